import { window, workspace } from "vscode";
import { COMMANDS } from "../ids";
import { readableText } from "../model/readable";
import { boundTarget, type Command } from "./command";

/** What is drawn, as text: decorations can't be read by a screen reader. */
export const readPreviews: Command = {
  id: COMMANDS.readPreviews,
  async run(host, argument) {
    const target = await boundTarget(host, argument);
    if (!target) return;
    const { t } = host.speech;
    const known = host.live.scoresOf(target.path);
    const scores = known && host.documents.asRead(known, host.speech);
    const fn = scores?.functions.find((one) => one.name === target.function) ?? scores?.functions[0];
    const document = fn && host.documents.placeOf(target.path, fn.line)?.document;
    const source = document && host.documents.sourceOf(document);
    if (!scores || !fn || !source) {
      void window.showInformationMessage(t("There are no numbers for this file yet."));
      return;
    }
    const moved = scores.docVersion !== -1 && scores.docVersion !== source.version;
    const all = host.painter.paintingOf(document);
    const range = host.models.get(target.path)?.functions.find((one) => one.name === fn.name)?.range;
    const own = (line: number): boolean =>
      range === undefined ||
      (line + source.first >= range.start.line && line + source.first <= range.end.line);
    const painting = {
      ...all,
      previews: all.previews.filter((one) => own(one.line)),
      never: all.never.filter(own),
    };
    const text = readableText(fn, scores, moved, painting, (line) => document.lineAt(line).text, host.speech);
    await window.showTextDocument(await workspace.openTextDocument({ content: text, language: "plaintext" }));
  },
};
