import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import * as vscode from "vscode";
import type { RewardsmithApi } from "../../src/host/app";
import type { FileScores, FunctionScores } from "../../src/schema/live";
import { until } from "./until";

export const EXTENSION = "rewardsmith.rewardsmith";

export function extension(): vscode.Extension<RewardsmithApi> {
  const found = vscode.extensions.getExtension<RewardsmithApi>(EXTENSION);
  assert.ok(found, `${EXTENSION} is not there`);
  return found;
}

export async function activate(): Promise<RewardsmithApi> {
  const api = await extension().activate();
  await api.ready;
  return api;
}

/** File of the workspace; each run has its own copy. */
export function file(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "no folder is open");
  return vscode.Uri.joinPath(folder.uri, name);
}

export async function show(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file(name)), {
    preview: false,
  });
}

/** A number for the report: printed, never asserted. */
export function note(text: string): void {
  const report = process.env["REWARDSMITH_TEST_REPORT"];
  if (report) appendFileSync(report, `${JSON.stringify({ note: text })}\n`);
}

/** Replaces the first occurrence of a text, in the editor only: nothing is saved. */
export async function replace(document: vscode.TextDocument, from: string, to: string): Promise<void> {
  const start = document.getText().indexOf(from);
  assert.ok(start >= 0, `${JSON.stringify(from)} is not in the text`);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(
    document.uri,
    new vscode.Range(document.positionAt(start), document.positionAt(start + from.length)),
    to,
  );
  assert.ok(await vscode.workspace.applyEdit(edit), "the edit was refused");
}

/** Back to the text on disk. */
export async function revert(document: vscode.TextDocument): Promise<void> {
  await vscode.window.showTextDocument(document, { preview: false });
  await vscode.commands.executeCommand("workbench.action.files.revert");
  await until(() => !document.isDirty, { what: "the document to be as on disk" });
}

/** Scores of exactly the text that the document has now. */
export async function fresh(
  api: RewardsmithApi,
  document: vscode.TextDocument,
  fits: (scores: FileScores) => boolean = () => true,
): Promise<FileScores> {
  const path = document.uri.fsPath;
  return until(
    () => {
      const scores = api.scoresOf(path);
      return scores?.status === "fresh" && scores.docVersion === document.version && fits(scores)
        ? scores
        : null;
    },
    {
      what: `fresh scores of ${vscode.workspace.asRelativePath(document.uri)}, version ${document.version}`,
      last: () => summary(api.scoresOf(path)),
    },
  );
}

export function functionOf(scores: FileScores, name: string): FunctionScores {
  const found = scores.functions.find((fn) => fn.name === name);
  assert.ok(found, `no scores for ${name}: ${scores.functions.map((fn) => fn.name).join(", ")}`);
  return found;
}

/** Mean over scored rows, as the snapshot has it. */
export function mean(scores: FileScores, name: string): unknown {
  return functionOf(scores, name).estimate?.mean;
}

function summary(scores: FileScores | undefined): unknown {
  return (
    scores && {
      seq: scores.seq,
      docVersion: scores.docVersion,
      status: scores.status,
      blocked: scores.blocked,
      error: scores.error,
      functions: scores.functions.map((fn) => [fn.name, fn.status, fn.states, fn.estimate?.mean]),
    }
  );
}

/** Python workers below this extension host, from the process table (Linux); null where that can't be asked. */
export function workers(): number[] | null {
  if (process.platform !== "linux") return null;
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
      commands.set(Number(name), readFileSync(`/proc/${name}/cmdline`, "utf8"));
    } catch {
      // Ended while we looked.
    }
  }
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at))
      if (at === process.pid) return true;
    return false;
  };
  return [...commands]
    .filter(([pid, command]) => command.includes("rewardsmith_worker") && isBelow(pid))
    .map(([pid]) => pid);
}
