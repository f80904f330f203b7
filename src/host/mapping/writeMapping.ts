import { Uri, window, workspace } from "vscode";
import { dirname, join, relative, sep } from "node:path";
import type { SampleSetInfo } from "../../schema/sample";
import type { RewardTarget } from "../commands/command";
import type { Host } from "../host";
import { EMPTY_PROJECT, suiteParts, withSuite } from "../model/project";

/** Writes samples, columns and groups into the nearest project file (made where there is none) and shows it. */
export async function writeMapping(host: Host, target: RewardTarget, set: SampleSetInfo): Promise<void> {
  const client = await host.engine.client();
  const found = await client.project({ path: target.path });
  const folder = workspace.getWorkspaceFolder(Uri.file(target.path));
  const path = found.path ?? join(folder?.uri.fsPath ?? dirname(target.path), "rewardsmith.json");
  const home = dirname(path);
  const toRelative = (file: string): string => relative(home, file).split(sep).join("/");
  const reward = toRelative(target.path);
  const names = Object.keys(found.project?.suites ?? {});
  const suite =
    names.find((name) =>
      found.project?.suites[name]?.rewards.some((one) => one.use.split(":")[0] === reward),
    ) ?? "main";
  const functions = host.models.get(target.path)?.functions.map((fn) => `${reward}:${fn.name}`) ?? [];
  const text = found.path === null ? EMPTY_PROJECT : await readText(path);
  const parts = suiteParts(set, set.files.map(toRelative), names.includes(suite) ? [] : functions);
  await writeText(path, withSuite(text, suite, parts));
  await window.showTextDocument(Uri.file(path), { preview: false, preserveFocus: true });
}

async function readText(path: string): Promise<string> {
  const uri = Uri.file(path);
  const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return open ? open.getText() : new TextDecoder().decode(await workspace.fs.readFile(uri));
}

export async function writeText(path: string, text: string): Promise<void> {
  await workspace.fs.writeFile(Uri.file(path), new TextEncoder().encode(text));
}
