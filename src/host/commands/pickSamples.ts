import { QuickPickItemKind, type QuickPickItem, Uri, window, workspace } from "vscode";
import { basename, dirname, resolve } from "node:path";
import { RewardsmithError } from "../../base/errors";
import type { Suite } from "../../schema/project";
import type { SampleSetInfo } from "../../schema/sample";
import type { Host } from "../host";
import { COMMANDS } from "../ids";
import { mappingOf } from "../model/project";
import { bytesInWords, labelOf } from "../model/sampleNodes";
import { editMapping } from "../mapping/editMapping";
import { type Command, type RewardTarget, rewardTarget } from "./command";
import { scoreNow } from "./score";

export const pickSamples: Command = {
  id: COMMANDS.pickSamples,
  async run(host, argument) {
    const target = await rewardTarget(host, argument);
    if (target) await chooseSamples(host, target);
  },
};

interface FileItem extends QuickPickItem {
  readonly files?: readonly string[];
  readonly browse?: true;
}

/** Files, then how their columns are used, then permission to run (once for a file). Ends with a score. */
export async function chooseSamples(host: Host, target: RewardTarget): Promise<void> {
  if (!workspace.isTrusted) throw new RewardsmithError("Untrusted", "not trusted");
  const client = await host.engine.client();
  const { path: projectPath, project } = await client.project({ path: target.path });
  const suites = Object.entries(project?.suites ?? {}).flatMap(([name, suite]) =>
    projectPath === null || suite.samples.length === 0
      ? []
      : [{ name, suite, files: suite.samples.map((file) => resolve(dirname(projectPath), file)) }],
  );
  const files = await chooseFiles(host, target.path, suites);
  if (files) await useSamples(host, target, files, suites);
}

/** These files as a reward's samples: how their columns are used, permission to run, a score. */
export async function scoreOn(host: Host, target: RewardTarget, files: readonly string[]): Promise<void> {
  if (!workspace.isTrusted) throw new RewardsmithError("Untrusted", "not trusted");
  await useSamples(host, target, files, []);
}

async function useSamples(
  host: Host,
  target: RewardTarget,
  files: readonly string[],
  suites: readonly ProposedSamples[],
): Promise<void> {
  const client = await host.engine.client();
  const before = host.consents.get(target.path);
  const same = before !== undefined && sameFiles(before.files, files);
  const kept = same ? before.mapping : null;
  let set = await client.openSamples({ files: [...files], mapping: kept });
  // What the user chose stands above what the project file proposes, and that above a guess.
  const proposed = kept === null ? suites.find((one) => sameFiles(one.files, files))?.suite : undefined;
  if (proposed)
    set = await client.openSamples({ files: [...files], mapping: mappingOf(proposed, set.mapping) });
  const edited = await editMapping(host, target, set);
  if (!edited) return;
  if (!before && !(await mayRun(host, target.path, edited.set))) return;
  await host.consents.set(target.path, {
    files: [...files],
    mapping: edited.chosen || proposed ? edited.set.mapping : kept,
    contracts: before?.contracts ?? {},
    allow: before?.allow ?? {},
    live: before?.live ?? true,
    pinned: same ? before.pinned : null,
  });
  await host.live.rebind(target.path);
  const problem = host.live.problemOf(target.path);
  if (problem) throw problem;
  void host.interpreter.refresh();
  await scoreNow(host, target.path);
}

function sameFiles(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((file, index) => file === b[index]);
}

interface ProposedSamples {
  readonly name: string;
  readonly suite: Suite;
  readonly files: readonly string[];
}

async function chooseFiles(
  host: Host,
  path: string,
  suites: readonly ProposedSamples[],
): Promise<readonly string[] | null> {
  const { t } = host.speech;
  const folders = (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const items = async (): Promise<FileItem[]> => {
    const scan = await host.scan.read();
    const list: FileItem[] = [];
    const current = host.consents.get(path)?.files;
    if (current)
      list.push({
        label: current.map((file) => labelOf(file, folders)).join(", "),
        description: t("in use"),
        files: current,
      });
    for (const { name, files } of suites) {
      const suite = t("suite {0} in rewardsmith.json", name);
      const listed = list.find((item) => item.files && sameFiles(item.files, files));
      if (listed) listed.description = `${listed.description ?? ""} · ${suite}`;
      else
        list.push({
          label: files.map((file) => labelOf(file, folders)).join(", "),
          description: suite,
          files,
        });
    }
    const near = dirname(path);
    const above = list.map((item) => item.files ?? []);
    const found = scan.samples
      .filter((file) => !above.some((files) => sameFiles(files, [file.path])))
      .sort(
        (a, b) =>
          Number(dirname(b.path) === near) - Number(dirname(a.path) === near) || a.path.localeCompare(b.path),
      );
    if (found.length > 0) list.push({ label: t("found in this folder"), kind: QuickPickItemKind.Separator });
    for (const file of found.slice(0, 500))
      list.push({
        label: labelOf(file.path, folders),
        description: bytesInWords(file.bytes, host.speech),
        files: [file.path],
      });
    list.push(
      { label: "", kind: QuickPickItemKind.Separator },
      { label: `$(folder-opened) ${t("Browse…")}`, alwaysShow: true, browse: true },
    );
    return list;
  };
  const chosen = await window.showQuickPick(items(), {
    title: t("Samples for {0} (1 of 2)", basename(path)),
    placeHolder: t("A file of outputs: JSONL, JSON, CSV or Parquet, one row a completion"),
    matchOnDescription: true,
  });
  if (!chosen) return null;
  if (chosen.browse !== true) return chosen.files ?? null;
  const picked = await window.showOpenDialog({
    canSelectMany: true,
    defaultUri: Uri.file(dirname(path)),
    filters: { [t("Samples")]: ["jsonl", "ndjson", "json", "csv", "parquet"], [t("All files")]: ["*"] },
    openLabel: t("Use as Samples"),
  });
  return picked && picked.length > 0 ? picked.map((uri) => uri.fsPath) : null;
}

/** Asked once for a file: what will run, with which interpreter, on what. */
async function mayRun(host: Host, path: string, set: SampleSetInfo): Promise<boolean> {
  const { t } = host.speech;
  const folders = (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  await host.interpreter.refresh();
  const python = host.interpreter.current;
  if (!python || python.python === null)
    throw new RewardsmithError(
      python?.error === null || python === undefined ? "PythonMissing" : "PythonFailed",
      python?.error ?? "no interpreter",
    );
  const run = t("Score");
  const answer = await window.showInformationMessage(
    t(
      "Run {0} on {1} now and whenever you edit it?",
      labelOf(path, folders),
      set.files.map((file) => basename(file)).join(", "),
    ),
    {
      modal: true,
      detail: [
        t("Runs: {0}, and the modules that it imports", path),
        t("With: Python {0}, {1}", python.version ?? "", python.python),
        t("On: {0} samples", set.rows),
        t(
          "While you type, connecting, starting programs, and writing or removing files are held until you allow them. This keeps accidents from happening; it is not a sandbox.",
        ),
        t("Remembered for this workspace only. Forget it with Rewardsmith: Forget Permission to Run."),
      ].join("\n\n"),
    },
    run,
  );
  return answer === run;
}
