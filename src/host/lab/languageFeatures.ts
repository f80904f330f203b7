import {
  type CompletionItem,
  type CompletionList,
  type Hover,
  Location,
  type LocationLink,
  MarkdownString,
  Position,
  type Range,
  type SignatureHelp,
  SnippetString,
  type TextDocument,
  commands,
  window,
} from "vscode";
import type { Handlers } from "../../protocol/rpc";
import type { CompletionEntry, LabContract } from "../../protocol/lab.contract";

type Features = Pick<Handlers<LabContract["methods"]>, "complete" | "hover" | "signature" | "definition">;

const MOST_ITEMS = 2000;
/** Items whose documentation is asked for at once; the rest would cost a question each. */
const RESOLVED = 20;
const MOST_MARKDOWN = 100_000;

/**
 * The user's own providers, asked on behalf of the Lab's editor. What they answer is shown there as untrusted: no
 * commands, no HTML.
 */
export function languageFeatures(document: TextDocument): Features {
  const { uri } = document;
  const place = ({ line, character }: { line: number; character: number }): Position =>
    document.validatePosition(new Position(line, character));
  return {
    complete: async ({ at, trigger }) => {
      const list = await commands.executeCommand<CompletionList | undefined>(
        "vscode.executeCompletionItemProvider",
        uri,
        place(at),
        trigger ?? undefined,
        RESOLVED,
      );
      const items = list?.items ?? [];
      return {
        items: items.slice(0, MOST_ITEMS).map(entryOf),
        incomplete: (list?.isIncomplete ?? false) || items.length > MOST_ITEMS,
      };
    },
    hover: async ({ at }) => {
      const hovers =
        (await commands.executeCommand<Hover[] | undefined>("vscode.executeHoverProvider", uri, place(at))) ??
        [];
      const range = hovers.find((hover) => hover.range)?.range;
      return {
        contents: hovers.flatMap(({ contents }) => contents.map(markdownOf)).filter((text) => text !== ""),
        range: range ? plain(range) : null,
      };
    },
    signature: async ({ at, trigger }) => {
      const help = await commands.executeCommand<SignatureHelp | undefined>(
        "vscode.executeSignatureHelpProvider",
        uri,
        place(at),
        trigger ?? undefined,
      );
      if (!help || help.signatures.length === 0) return null;
      const active = Math.min(Math.max(0, help.activeSignature), help.signatures.length - 1);
      return {
        signatures: help.signatures.map(({ label, documentation, parameters }) => ({
          label,
          documentation: markdownOf(documentation),
          parameters: parameters.map((parameter) => ({
            label: parameter.label,
            documentation: markdownOf(parameter.documentation),
          })),
        })),
        active,
        parameter: Math.max(0, help.signatures[active]?.activeParameter ?? help.activeParameter),
      };
    },
    definition: async ({ at }) => {
      const found = await commands.executeCommand<(Location | LocationLink)[] | undefined>(
        "vscode.executeDefinitionProvider",
        uri,
        place(at),
      );
      const [first] = found ?? [];
      if (!first) return { range: null };
      const target =
        first instanceof Location
          ? first
          : new Location(first.targetUri, first.targetSelectionRange ?? first.targetRange);
      if (target.uri.toString() === uri.toString()) return { range: plain(target.range) };
      await window.showTextDocument(target.uri, { selection: target.range });
      return { range: null };
    },
  };
}

function entryOf(item: CompletionItem): CompletionEntry {
  const { label, detail, documentation, kind, insertText, range, sortText, filterText } = item;
  const name = typeof label === "string" ? label : label.label;
  const within = range === undefined ? undefined : "inserting" in range ? range.inserting : range;
  return {
    label: name,
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: markdownOf(documentation) }),
    ...(kind === undefined ? {} : { kind }),
    insertText: insertText instanceof SnippetString ? insertText.value : (insertText ?? name),
    snippet: insertText instanceof SnippetString,
    ...(within === undefined ? {} : { range: plain(within) }),
    ...(sortText === undefined ? {} : { sortText }),
    ...(filterText === undefined ? {} : { filterText }),
    ...(item.additionalTextEdits === undefined
      ? {}
      : {
          additional: item.additionalTextEdits.map((edit) => ({
            range: plain(edit.range),
            text: edit.newText,
          })),
        }),
  };
}

type Text = string | MarkdownString | { language: string; value: string } | undefined;

function markdownOf(text: Text): string {
  if (text === undefined) return "";
  if (typeof text === "string" || text instanceof MarkdownString)
    return (typeof text === "string" ? text : text.value).slice(0, MOST_MARKDOWN);
  return `\`\`\`${text.language}\n${text.value.slice(0, MOST_MARKDOWN - 100)}\n\`\`\``;
}

const plain = ({ start, end }: Range) => ({
  start: { line: start.line, character: start.character },
  end: { line: end.line, character: end.character },
});
