import * as monaco from "monaco-editor/editor/editor.api.js";
import type { CompletionEntry } from "../../src/protocol/lab.contract";
import type { Lab } from "../lab/lab";
import type { TextSession } from "./session";

type Range0 = NonNullable<CompletionEntry["range"]>;
const SETTLE_MS = 500;
const ANSWER_MS = 5000;

const Kind = monaco.languages.CompletionItemKind;
/** In the order of `vscode.CompletionItemKind`, which Monaco numbers otherwise. */
const KINDS = [
  Kind.Text,
  Kind.Method,
  Kind.Function,
  Kind.Constructor,
  Kind.Field,
  Kind.Variable,
  Kind.Class,
  Kind.Interface,
  Kind.Module,
  Kind.Property,
  Kind.Unit,
  Kind.Value,
  Kind.Enum,
  Kind.Keyword,
  Kind.Snippet,
  Kind.Color,
  Kind.File,
  Kind.Reference,
  Kind.Folder,
  Kind.EnumMember,
  Kind.Constant,
  Kind.Struct,
  Kind.Event,
  Kind.Operator,
  Kind.TypeParameter,
];

/** Completions, hovers and signatures by the user's own extensions, asked through the host about the real document. */
export function provide(lab: Lab, session: TextSession): { dispose(): void } {
  const { host } = lab.connection;
  const at = (position: monaco.Position) => ({
    line: position.lineNumber - 1,
    character: position.column - 1,
  });
  const mine = (model: monaco.editor.ITextModel): boolean => model === session.model;
  /** The document has to have what was typed: the extensions read it there. */
  const ask = async <T>(
    token: monaco.CancellationToken,
    call: (options: { signal: AbortSignal; timeoutMs: number }) => Promise<T>,
  ): Promise<T | null> => {
    await session.settled(SETTLE_MS);
    if (token.isCancellationRequested) return null;
    const abort = new AbortController();
    const listener = token.onCancellationRequested(() => abort.abort());
    try {
      return await call({ signal: abort.signal, timeoutMs: ANSWER_MS });
    } catch {
      return null;
    } finally {
      listener.dispose();
    }
  };

  const registered = [
    monaco.languages.registerCompletionItemProvider("python", {
      triggerCharacters: [".", "(", ",", " ", '"', "'"],
      provideCompletionItems: async (model, position, context, token) => {
        if (!mine(model)) return { suggestions: [] };
        const answer = await ask(token, (options) =>
          host.complete(
            {
              at: at(position),
              trigger: context.triggerCharacter ?? null,
              version: session.client.version,
            },
            options,
          ),
        );
        if (!answer) return { suggestions: [] };
        const word = model.getWordUntilPosition(position);
        const range = new monaco.Range(
          position.lineNumber,
          word.startColumn,
          position.lineNumber,
          word.endColumn,
        );
        return {
          incomplete: answer.incomplete,
          suggestions: answer.items.map((entry) => suggestion(entry, range)),
        };
      },
    }),
    monaco.languages.registerHoverProvider("python", {
      provideHover: async (model, position, token) => {
        if (!mine(model)) return null;
        const answer = await ask(token, (options) => host.hover({ at: at(position) }, options));
        if (!answer || answer.contents.length === 0) return null;
        const contents = answer.contents.map((value) => ({ value, supportThemeIcons: true }));
        return answer.range ? { contents, range: rangeOf(answer.range) } : { contents };
      },
    }),
    monaco.languages.registerSignatureHelpProvider("python", {
      signatureHelpTriggerCharacters: ["(", ","],
      signatureHelpRetriggerCharacters: [")"],
      provideSignatureHelp: async (model, position, token, context) => {
        if (!mine(model)) return null;
        const answer = await ask(token, (options) =>
          host.signature({ at: at(position), trigger: context.triggerCharacter ?? null }, options),
        );
        if (!answer) return null;
        return {
          value: {
            signatures: answer.signatures.map(({ label, documentation, parameters }) => ({
              label,
              documentation: { value: documentation },
              parameters: parameters.map((parameter) => ({
                label: parameter.label,
                documentation: { value: parameter.documentation },
              })),
            })),
            activeSignature: answer.active,
            activeParameter: answer.parameter,
          },
          dispose: () => undefined,
        };
      },
    }),
  ];
  return {
    dispose: () => {
      for (const one of registered) one.dispose();
    },
  };
}

function suggestion(entry: CompletionEntry, range: monaco.Range): monaco.languages.CompletionItem {
  const { label, detail, documentation, kind, insertText, snippet, sortText, filterText, additional } = entry;
  return {
    label,
    kind: KINDS[kind ?? 0] ?? Kind.Text,
    insertText,
    range: entry.range ? rangeOf(entry.range) : range,
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: { value: documentation } }),
    ...(sortText === undefined ? {} : { sortText }),
    ...(filterText === undefined ? {} : { filterText }),
    ...(snippet ? { insertTextRules: monaco.languages.CompletionItemInsertTextRule.InsertAsSnippet } : {}),
    ...(additional
      ? { additionalTextEdits: additional.map((edit) => ({ range: rangeOf(edit.range), text: edit.text })) }
      : {}),
  };
}

export function rangeOf({ start, end }: Range0): monaco.Range {
  return new monaco.Range(start.line + 1, start.character + 1, end.line + 1, end.character + 1);
}
