import { effect } from "@preact/signals";
import * as monaco from "monaco-editor/editor/editor.api.js";
import type { Greeting, Lab } from "../lab/lab";
import { Drawings } from "./drawing";
import "./editor.css";
import "./features";
import { leave } from "./focus";
import { provide, rangeOf } from "./providers";
import { TextSession } from "./session";
import { followTheme } from "./theme";
import { editorWorker } from "./workers";

self.MonacoEnvironment = { getWorker: editorWorker };

const KEEP_MS = 250;
/** Longer than edits take on a busy machine; a file that can't be changed never gets there. */
const SAVE_WAITS_MS = 10_000;
/** Formatters and dialogs of the editor belong to it. */
const SAVE_TIMEOUT_MS = 120_000;
/** Escape first closes what is open in the editor; only then it leaves. */
const NOTHING_OPEN =
  "editorTextFocus && !suggestWidgetVisible && !parameterHintsVisible && !findWidgetVisible && !inSnippetMode && !editorHasSelection && !editorHasMultipleSelections && !editorHoverVisible && !markersNavigationVisible";

/** Monaco on the Lab's document in `room`, until disposed. @param onTrouble see {@link TextSession} */
export function startEditor(
  lab: Lab,
  room: HTMLElement,
  greeting: Greeting & { readonly document: NonNullable<Greeting["document"]> },
  onTrouble: (text: string | null) => void,
): { dispose(): void } {
  const { t } = lab.speech.value;
  const { options } = greeting;
  const theme = followTheme();
  // The two need each other: the text is there first.
  let onText = (): void => undefined;
  const session = new TextSession(lab, greeting.document, () => onText(), onTrouble);
  const { model } = session;
  model.updateOptions({ tabSize: options.tabSize, insertSpaces: options.insertSpaces });
  const editor = monaco.editor.create(room, {
    model,
    fontFamily: options.fontFamily,
    fontSize: options.fontSize,
    wordWrap: options.wordWrap ? "on" : "off",
    detectIndentation: false,
    automaticLayout: true,
    minimap: { enabled: false },
    glyphMargin: true,
    folding: true,
    lineNumbersMinChars: 3,
    scrollBeyondLastLine: false,
    wordBasedSuggestions: "off",
    fixedOverflowWidgets: true,
    quickSuggestions: { other: true, comments: false, strings: true },
    snippetSuggestions: "inline",
    readOnlyMessage: {
      value: t(
        "{0} is read-only by a setting of VS Code (files.readonlyInclude): it is not changed.",
        greeting.name,
      ),
    },
    ariaLabel: t(
      "{0}, the reward. Escape leaves the editor for the samples; Control+M has Tab move the focus.",
      greeting.name,
    ),
  });
  const drawings = new Drawings(editor, model, session.client, t);
  onText = () => {
    if (session.undone !== null) {
      const position = model.getPositionAt(session.undone);
      editor.setPosition(position);
      editor.revealPositionInCenterIfOutsideViewport(position);
    }
    drawings.versionChanged();
  };
  const kept = lab.state.value.editor;
  if (kept) {
    editor.setPosition({ lineNumber: kept.line + 1, column: kept.character + 1 });
    editor.setScrollTop(editor.getTopForLineNumber(Math.min(kept.top + 1, model.getLineCount())));
  }
  let keeping: ReturnType<typeof setTimeout> | undefined;
  const keep = (): void => {
    clearTimeout(keeping);
    keeping = setTimeout(() => {
      const position = editor.getPosition();
      const top = editor.getVisibleRanges()[0]?.startLineNumber ?? 1;
      if (position)
        lab.set({ editor: { line: position.lineNumber - 1, character: position.column - 1, top: top - 1 } });
    }, KEEP_MS);
  };
  addKeys(lab, editor, session, room, t);
  const disposables: { dispose(): void }[] = [
    model.onDidChangeContent(() => drawings.textChanged()),
    editor.onDidPaste(() => session.endWord()),
    editor.onDidChangeCursorPosition(({ source, reason }) => {
      // A caret that was set by mouse, arrows or a command begins a word.
      if (source === "mouse" || reason === monaco.editor.CursorChangeReason.Explicit) session.endWord();
      keep();
    }),
    editor.onDidScrollChange(keep),
    { dispose: effect(() => drawings.show(lab.drawing.value)) },
    { dispose: effect(() => drawings.markers(lab.markers.value)) },
    { dispose: effect(() => editor.updateOptions({ readOnly: lab.readOnly.value })) },
    provide(lab, session),
    drawings,
    editor,
    session,
    theme,
    { dispose: () => clearTimeout(keeping) },
  ];
  session.refresh();
  lab.editor.value = {
    reveal: (line, stay = false) => {
      const at = Math.min(Math.max(1, line), model.getLineCount());
      editor.setPosition({ lineNumber: at, column: model.getLineFirstNonWhitespaceColumn(at) || 1 });
      editor.revealLineInCenterIfOutsideViewport(at);
      if (!stay) editor.focus();
    },
    focus: () => editor.focus(),
  };
  return {
    dispose: () => {
      lab.editor.value = null;
      for (const one of disposables) one.dispose();
    },
  };
}

function addKeys(
  lab: Lab,
  editor: monaco.editor.IStandaloneCodeEditor,
  session: TextSession,
  room: HTMLElement,
  t: Lab["t"],
): void {
  const { KeyMod, KeyCode } = monaco;
  const { host } = lab.connection;
  // Undo is the document's: Monaco's own would take back what others did, and VS Code would not know.
  editor.addCommand(KeyMod.CtrlCmd | KeyCode.KeyZ, () => session.undo(false));
  editor.addCommand(KeyMod.CtrlCmd | KeyMod.Shift | KeyCode.KeyZ, () => session.undo(true));
  editor.addCommand(KeyMod.CtrlCmd | KeyCode.KeyY, () => session.undo(true));
  editor.addCommand(KeyCode.Escape, () => leave(room), NOTHING_OPEN);
  // VS Code would save what it has: the last keys may still be on their way to it.
  editor.addCommand(KeyMod.CtrlCmd | KeyCode.KeyS, () => {
    const save = async (): Promise<void> => {
      await session.settled(SAVE_WAITS_MS);
      await host.save({}, { timeoutMs: SAVE_TIMEOUT_MS });
    };
    save().catch((error: unknown) => lab.fail(error));
  });
  const definition = async (position: monaco.Position): Promise<void> => {
    await session.settled(500);
    const at = { line: position.lineNumber - 1, character: position.column - 1 };
    const { range } = await host.definition({ at }, { timeoutMs: 10_000 });
    if (!range) return;
    editor.setSelection(rangeOf(range));
    editor.revealRangeInCenterIfOutsideViewport(rangeOf(range));
  };
  const go = (position: monaco.Position | null): void => {
    if (position)
      definition(position).catch((error: unknown) =>
        lab.say(error instanceof Error ? error.message : String(error)),
      );
  };
  editor.addAction({
    id: "rewardsmith.definition",
    label: t("Go to Definition"),
    keybindings: [KeyCode.F12],
    contextMenuGroupId: "navigation",
    run: () => go(editor.getPosition()),
  });
  editor.onMouseDown(({ event, target }) => {
    const primary = event.ctrlKey || event.metaKey;
    if (primary && !event.altKey && target.type === monaco.editor.MouseTargetType.CONTENT_TEXT)
      go(target.position);
  });
}
