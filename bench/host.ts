import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";
import { ask } from "../test/vscode/ask";
import { activate, file, fresh, functionOf, show } from "../test/vscode/session";
import { until } from "../test/vscode/until";

/** What the benchmark measures from inside the extension host; all times in milliseconds. */
export interface Measured {
  /** Change event → `setDecorations` with that version's numbers, 1,000 samples, by how the worker starts passes. */
  readonly host: Readonly<Record<"fork" | "spare", readonly number[]>>;
  /** Key pressed → new number on the screen, and the same for an extension that only paints. */
  readonly screen: { readonly ours: readonly number[]; readonly peer: readonly number[] };
  /** Whole passes of a reward of about 50 µs a row, asked for by Score, by number of rows. */
  readonly passes: Readonly<Record<"10" | "1000" | "10000", readonly number[]>>;
  readonly python: string;
}

const EDITS = Number(process.env["REWARDSMITH_BENCH_EDITS"] ?? 200);
const WARM = 10;
const KEYS = 60;
const PASSES = 7;

export async function run(): Promise<void> {
  const report = process.env["REWARDSMITH_BENCH_REPORT"];
  assert.ok(report, "start the benchmark by npm run bench");
  const settings = vscode.workspace.getConfiguration("rewardsmith");
  await settings.update("previews.enabled", true, vscode.ConfigurationTarget.Global);

  const host = { fork: await edits("fork"), spare: await edits("spare") };
  await settings.update("worker.mode", "auto", vscode.ConfigurationTarget.Global);
  const screen = {
    ours: await keys("reward.py", "^\\D*(-?\\d+(?:\\.\\d+)?)"),
    peer: await keys("peer.txt", "(peer v=\\d+)"),
  };
  const passes = { "10": await costs(10), "1000": await costs(1000), "10000": await costs(10_000) };
  const measured: Measured = { host, screen, passes, python: process.env["REWARDSMITH_BENCH_PYTHON"] ?? "" };
  writeFileSync(report, JSON.stringify(measured));
}

/** Toggles a constant and takes, for each edit, the time until its own numbers were painted. */
async function edits(mode: "fork" | "spare"): Promise<number[]> {
  const api = await activate();
  await vscode.workspace
    .getConfiguration("rewardsmith")
    .update("worker.mode", mode, vscode.ConfigurationTarget.Global);
  const editor = await show("reward.py");
  const { document } = editor;
  const path = document.uri.fsPath;
  await api.testing!.choose(path, [file("rows-1000.jsonl").fsPath]);
  await until(() => api.scoresOf(path)?.timing?.mode === mode, {
    ms: 30_000,
    what: `a pass in ${mode} mode`,
    last: () => api.scoresOf(path)?.timing,
  });
  const times: number[] = [];
  for (let i = 0; i < WARM + EDITS; i++) {
    const line = document.lineCount - 2;
    const scale = document.lineAt(line).text.endsWith("1") ? "SCALE = 2" : "SCALE = 1";
    await editor.edit((edit) => edit.replace(document.lineAt(line).range, scale), {
      undoStopBefore: false,
      undoStopAfter: false,
    });
    const { version } = document;
    const record = await until(
      () =>
        api
          .paintRecords(path)
          .find((one) => one.docVersion === version && one.scoresVersion === version && !one.old),
      { what: `numbers of version ${version} in ${mode} mode`, last: () => api.paintRecords(path).at(-1) },
    );
    assert.ok(record.changedAt !== null, "the change's own time is known");
    if (i >= WARM) times.push(record.paintedAt - record.changedAt);
    // People don't type without a pause; a spare process needs the time to be replaced, too.
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  const scores = await fresh(api, document);
  assert.equal(functionOf(scores, "correctness").n, 1000, "all samples were scored");
  return times;
}

/** The page presses keys at the end of the file's last line and watches the screen. */
async function keys(name: string, pattern: string): Promise<number[]> {
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  const editor = await show(name);
  const end = editor.document.lineAt(editor.document.lineCount - 2).range.end;
  editor.selection = new vscode.Selection(end, end);
  editor.revealRange(new vscode.Range(0, 0, 0, 0));
  if (name.endsWith(".py")) await fresh(await activate(), editor.document);
  return (await ask({ what: "keys", pattern, count: KEYS }, 240_000)) as number[];
}

async function costs(rows: number): Promise<number[]> {
  const api = await activate();
  const { document } = await show("busy.py");
  const path = document.uri.fsPath;
  await api.testing!.choose(path, [file(`rows-${rows}.jsonl`).fsPath]);
  await fresh(api, document, (scores) => scores.set?.rows === rows);
  const times: number[] = [];
  for (let i = 0; i < PASSES; i++) {
    const before = api.scoresOf(path)?.seq ?? 0;
    await vscode.commands.executeCommand("rewardsmith.score", { path });
    const scores = await fresh(
      api,
      document,
      (now) => now.seq > before && functionOf(now, "busy").n === rows,
    );
    assert.ok(scores.timing, "a pass has its times");
    times.push(scores.timing.passMs);
  }
  return times;
}
