import { Range, Uri, commands, window, workspace } from "vscode";
import { basename, dirname, extname, join } from "node:path";
import type { z } from "zod";
import { RewardsmithError } from "../../base/errors";
import type { TrajectoriesContract } from "../../protocol/trajectories.contract";
import type { TrajectoryExport } from "../../schema/trajectoryView";
import type { LabHost } from "../host";
import { COMMANDS } from "../ids";
import { formatCount } from "../../words/format";
import { leftOutInWords } from "../../words/trajectories";
import type { Viewer } from "./viewer";

type Ask = z.output<TrajectoriesContract["methods"]["act"]["params"]>;

/** Documents that are larger than this don't reach extensions, and no person reads them. */
const MOST_BYTES_IN_EDITOR = 50_000_000;

/** Carries out what the page asks: where must be asked the host asks, what must be written the engine writes. */
export async function carryOut(host: LabHost, viewer: Viewer, ask: Ask): Promise<string | null> {
  const { t } = host.speech;
  const [first] = ask.indexes;
  switch (ask.act) {
    case "openSource":
      return first === undefined ? null : openSource(host, viewer.path, first);
    case "score":
    case "openLab":
      await commands.executeCommand(COMMANDS.scoreTrajectories, {
        source: viewer.path,
        lab: ask.act === "openLab",
      });
      return null;
    case "promote":
      return write(host, viewer, ask, "samples", t("Promote to Samples"), "samples");
    case "promoteRegression":
      return write(host, viewer, ask, "regression", t("Add to Regression Set"), "regression");
    case "exportTask":
      return write(host, viewer, ask, "task", t("Make Environment Tasks"), "tasks");
    case "exportSft":
      return write(host, viewer, ask, "sft", t("Export Demonstrations"), "sft");
    case "exportDpo":
      return write(host, viewer, ask, "dpo", t("Export Preference Pairs"), "dpo");
    case "exportFiltered":
      return write(host, viewer, ask, "filtered", t("Export Filtered Prompts"), "filtered");
    case "splits":
      return write(host, viewer, ask, "splits", t("Write Splits"), "split");
    case "leakage":
    case "difficulty":
      return report(host, viewer, ask.act, ask.filter ?? "");
    case "compare":
      await commands.executeCommand(COMMANDS.compareGroup, { source: viewer.path, indexes: ask.indexes });
      return null;
    case "diff":
      return diff(host, viewer.path, ask.indexes);
  }
}

export async function openSource(host: LabHost, path: string, index: number): Promise<string | null> {
  const { t } = host.speech;
  const { file, line } = await (await host.engine.client()).trajectoryAt({ path, index });
  const uri = Uri.file(file);
  const { size } = await workspace.fs.stat(uri);
  if (!/\.(jsonl|ndjson|json|traj|ya?ml|txt)$/i.test(file))
    return t("{0} isn't a text file; the record is shown under Raw.", basename(file));
  if (size > MOST_BYTES_IN_EDITOR)
    return t(
      "{0} is too large for the text editor; the record is shown under Raw. It is on line {1}.",
      basename(file),
      line,
    );
  const shown = await workspace.openTextDocument(uri);
  const at = Math.min(Math.max(0, line - 1), shown.lineCount - 1);
  await window.showTextDocument(shown, { selection: new Range(at, 0, at, 0) });
  return null;
}

async function write(
  host: LabHost,
  viewer: Viewer,
  ask: Ask,
  kind: TrajectoryExport,
  title: string,
  part: string,
): Promise<string | null> {
  const { t, language } = host.speech;
  const near = join(dirname(viewer.path), `${basename(viewer.path, extname(viewer.path))}.${part}.jsonl`);
  const target = await window.showSaveDialog({
    title,
    saveLabel: title,
    defaultUri: Uri.file(near),
    filters: { "JSON Lines": ["jsonl"] },
  });
  if (!target) return null;
  const to = target.fsPath;
  const append = kind === "samples" || kind === "regression";
  const client = await host.engine.client();
  const { written, files, leftOut } = await client.exportTrajectories({
    path: viewer.path,
    kind,
    indexes: ask.filter === null ? ask.indexes : null,
    filter: ask.filter ?? "",
    to,
    append,
  });
  const said = [
    t(
      "{0} rows written to {1}.",
      formatCount(written, language),
      files.map((file) => basename(file)).join(", "),
    ),
    ...leftOut.map((one) => leftOutInWords(one, host.speech)),
  ].join(" ");
  const open = t("Open");
  void window.showInformationMessage(said, open).then(async (answer) => {
    if (answer === open && files[0] !== undefined) await window.showTextDocument(Uri.file(files[0]));
  });
  return said;
}

async function report(
  host: LabHost,
  viewer: Viewer,
  kind: "leakage" | "difficulty",
  filter: string,
): Promise<string | null> {
  const { t } = host.speech;
  let against: string | null = null;
  if (kind === "leakage") {
    const within = t("Within these trajectories");
    const other = t("Against a test file…");
    const answer = await window.showQuickPick([within, other], { title: t("Check for leakage") });
    if (answer === undefined) return null;
    if (answer === other) {
      const [picked] = (await window.showOpenDialog({ canSelectMany: false, openLabel: t("Compare") })) ?? [];
      if (!picked) return null;
      against = picked.fsPath;
    }
  }
  const client = await host.engine.client();
  const { markdown } = await client.reportTrajectories({ path: viewer.path, kind, filter, against });
  await window.showTextDocument(
    await workspace.openTextDocument({ content: markdown, language: "markdown" }),
  );
  return null;
}

async function diff(host: LabHost, path: string, indexes: readonly number[]): Promise<string | null> {
  const [left, right] = indexes;
  if (left === undefined || right === undefined)
    throw new RewardsmithError("BadArguments", "A comparison needs two trajectories.", {});
  const client = await host.engine.client();
  const [one, other] = await Promise.all([
    client.trajectoryText({ path, index: left }),
    client.trajectoryText({ path, index: right }),
  ]);
  await commands.executeCommand(
    "vscode.diff",
    host.texts.add(`${left + 1}.md`, one.text),
    host.texts.add(`${right + 1}.md`, other.text),
    host.speech.t("{0} ↔ {1}", one.title, other.title),
  );
  return null;
}
