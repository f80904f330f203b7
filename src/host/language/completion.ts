import {
  CompletionItem,
  CompletionItemKind,
  type CompletionItemProvider,
  type Position,
  Range,
  type TextDocument,
} from "vscode";
import { isPython } from "../documents";
import type { Host } from "../host";
import { openSignature } from "../model/signature";

const LINES_ABOVE = 30;

/** Names of sample columns where a reward's parameters are written. */
export class ColumnCompletion implements CompletionItemProvider {
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  provideCompletionItems(document: TextDocument, position: Position): CompletionItem[] {
    if (!isPython(document)) return [];
    const set = this.#host.live.setOf(document.uri.fsPath);
    if (!set) return [];
    const from = Math.max(0, position.line - LINES_ABOVE);
    const signature = openSignature(document.getText(new Range(from, 0, position.line, position.character)));
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
}
