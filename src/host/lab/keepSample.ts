import { type QuickPickItem, Range, Uri, commands, window, workspace } from "vscode";
import { basename, dirname, extname, join } from "node:path";
import { RewardsmithError } from "../../base/errors";
import type { LabHost } from "../host";
import { appendLine } from "./appendLine";

interface Place extends QuickPickItem {
  readonly file: string;
  /** One of the files that are scored. */
  readonly own: boolean;
}

/** Appends a tried completion, with its sample's other columns, to a file that the user picks. */
export async function keepSample(
  host: LabHost,
  path: string,
  row: number,
  completion: unknown,
): Promise<{ kept: boolean }> {
  const { t } = host.speech;
  const client = await host.engine.client();
  const { json, file, format } = await client.sampleLine({ path, row, completion });
  if (/[\r\n]/u.test(json)) throw new RewardsmithError("Internal", "a sample's line has line breaks in it");
  const picked = await window.showQuickPick(places(host, path, file, format === "trajectories"), {
    title: t("Keep as Sample"),
    placeHolder: t("The completion and the sample's other columns are added as the last line of this file"),
  });
  if (!picked) return { kept: false };
  const open = workspace.textDocuments.find(({ uri }) => uri.scheme === "file" && uri.fsPath === picked.file);
  if (open?.isDirty === true) {
    void window.showWarningMessage(
      t("{0} has unsaved changes. Save it, then keep the sample.", basename(picked.file)),
    );
    return { kept: false };
  }
  await appendLine(picked.file, json);
  void tell(host, picked);
  return { kept: true };
}

/** `foreign`: the files are of a form in which a sample is no line. */
function places(host: LabHost, path: string, own: string, foreign: boolean): Place[] {
  const { t } = host.speech;
  const files = [...new Set([own, ...(host.live.setOf(path)?.files ?? [])])];
  const lines = foreign ? [] : files.filter((file) => /\.(jsonl|ndjson)$/iu.test(file));
  const apart = join(dirname(own), `${basename(own, extname(own))}.kept.jsonl`);
  return [
    ...lines.map((file) => ({
      label: basename(file),
      description: t("is scored; the samples are read again"),
      detail: dirname(file),
      file,
      own: true,
    })),
    ...(lines.includes(apart)
      ? []
      : [
          {
            label: basename(apart),
            description: t("a file of its own for kept samples"),
            detail: dirname(apart),
            file: apart,
            own: false,
          },
        ]),
  ];
}

async function tell(host: LabHost, { file, own }: Place): Promise<void> {
  const { t } = host.speech;
  const open = t("Open");
  const text = own
    ? t("Kept as the last line of {0}.", basename(file))
    : t("Kept as the last line of {0}. Pick that file as samples to score it.", basename(file));
  if ((await window.showInformationMessage(text, open)) !== open) return;
  const document = await workspace.openTextDocument(Uri.file(file));
  const last = document.lineAt(document.lineCount - 1);
  const at = last.isEmptyOrWhitespace ? Math.max(0, last.lineNumber - 1) : last.lineNumber;
  await window.showTextDocument(document, { selection: new Range(at, 0, at, 0) });
}

const LONGEST_TITLE = 200;

/** The native difference of two texts, read-only. */
export async function diffTexts(host: LabHost, title: string, left: string, right: string): Promise<void> {
  await commands.executeCommand(
    "vscode.diff",
    host.texts.add("sample.txt", left),
    host.texts.add("tried.txt", right),
    title.slice(0, LONGEST_TITLE),
  );
}
