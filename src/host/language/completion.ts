import { own } from "../../base/own";
import {
  type CancellationToken,
  CompletionItem,
  CompletionItemKind,
  type CompletionItemProvider,
  type Position,
  Range,
  type TextDocument,
} from "vscode";
import { isPython } from "../documents";
import type { Host } from "../host";
import type { SampleSetInfo } from "../../schema/sample";
import { literalOf, openComparison, type OpenComparison } from "../model/comparison";
import { openSignature } from "../model/signature";
import { toAbortSignal } from "../signal";

const LINES_ABOVE = 30;

/** Values offered of one column, the most frequent first. */
const MOST_VALUES = 50;

/** Names of sample columns where a reward's parameters are written, and a column's values where one is compared. */
export class ColumnCompletion implements CompletionItemProvider {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async provideCompletionItems(
    document: TextDocument,
    position: Position,
    token: CancellationToken,
  ): Promise<CompletionItem[]> {
    if (!isPython(document)) return [];
    const set = this.#host.live.setOf(document.uri.fsPath);
    if (!set) return [];
    const from = Math.max(0, position.line - LINES_ABOVE);
    const before = document.getText(new Range(from, 0, position.line, position.character));
    const comparison = openComparison(before);
    if (comparison) return this.#values(set, comparison, position, token);
    const signature = openSignature(before);
    if (!signature) return [];
    const { t } = this.#host.speech;
    const { prompt, completion, completionIds, columns } = set.mapping;
    const renamed = new Map(Object.entries(columns).map(([parameter, column]) => [column, parameter]));
    const taken = new Set([prompt, completion, completionIds]);
    return set.columns
      .filter((column) => !taken.has(column.name))
      .flatMap((column) => {
        const name = renamed.get(column.name) ?? column.name;
        if (!/^[A-Za-z_]\w*$/u.test(name) || signature.given.includes(name)) return [];
        const item = new CompletionItem(name, CompletionItemKind.Field);
        item.detail = t("column of the samples: {0}", column.kinds.join(", "));
        item.documentation = column.examples.slice(0, 3).join("\n");
        item.sortText = `0${name}`;
        return [item];
      });
  }

  async #values(
    set: SampleSetInfo,
    { name, quote, typed }: OpenComparison,
    position: Position,
    token: CancellationToken,
  ): Promise<CompletionItem[]> {
    const column = own(set.mapping.columns, name) ?? name;
    if (!set.columns.some((one) => one.name === column)) return [];
    const client = await this.#host.engine.client();
    const { values, present } = await client.columnValues(
      { set: set.set, column, limit: MOST_VALUES },
      { signal: toAbortSignal(token) },
    );
    const { t } = this.#host.speech;
    return values.flatMap(({ text, count }, at) => {
      const literal = literalOf(text, quote);
      if (literal === null) return [];
      const item = new CompletionItem(text, CompletionItemKind.Value);
      item.insertText = literal;
      item.filterText = literal;
      item.range = new Range(position.translate(0, -typed.length), position);
      item.detail = t("{0} of {1} samples", count, present);
      item.sortText = String(at).padStart(4, "0");
      return [item];
    });
  }
}
