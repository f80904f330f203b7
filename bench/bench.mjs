// @ts-check
// `npm run bench`: the speed budget, each row beside a peer or a limit from the same run. Times are printed and kept in
// bench/history.jsonl; only sizes are asserted, by tests.
//   --no-editor   only what needs no VS Code
//   --lab         only the Lab's rows; nothing is kept in bench/history.jsonl
//   --trajectories [PARTS]   only the rows about trajectories, or some: first,small,parquet,offsets,summaries,search,huge,screen
//   --edits N     another number of edits than 200 (for a quick look)
import { appendFile, mkdtemp, rm, stat } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import path from "node:path";
import { ensureInstalled } from "../scripts/lib/install.mjs";
import { root } from "../scripts/lib/paths.mjs";
import { findPython, INSTALL_PYTHON } from "../scripts/lib/python.mjs";
import { INSTALL_CHROMIUM, findChromium } from "../scripts/lib/chromium.mjs";
import { bareLoop, barePython, score } from "./lib/cli.mjs";
import { writeInputs } from "./lib/inputs.mjs";
import { median, met, p95, say } from "./lib/stats.mjs";

/** Of the rows about trajectories, those that need no screen. */
const PARTS = ["first", "small", "parquet", "offsets", "summaries", "search", "huge"];
const onlyLab = process.argv.includes("--lab");
const onlyTrajectories = process.argv.includes("--trajectories");
const parts = onlyTrajectories ? process.argv[process.argv.indexOf("--trajectories") + 1] : undefined;
const edits = process.argv.includes("--edits")
  ? Number(process.argv[process.argv.indexOf("--edits") + 1])
  : 200;
await ensureInstalled();
const { pack } = await import("../scripts/package.mjs");
const { bytes } = await pack();
const python = await findPython();
if (!python) {
  console.error(INSTALL_PYTHON);
  process.exit(2);
}

const folder = await mkdtemp(path.join(tmpdir(), "rewardsmith-bench-inputs-"));
/** @type {import("./lib/stats.mjs").Row[]} */
const rows = [];
/** @param {import("./lib/stats.mjs").Row} row */
const add = (row) => {
  rows.push(row);
  say(row);
};
const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
/** @type {string} */
let vscodeVersion = "none";

if (onlyLab) {
  try {
    const { ensureVSCode } = await import("../scripts/vscode.mjs");
    await writeInputs(folder, 500);
    await labRows(await ensureVSCode());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.exit(0);
}

if (onlyTrajectories) {
  try {
    await trajectoryRows((part) => parts === undefined || parts.split(",").includes(part));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  process.exit(0);
}

try {
  const steps = await calibrate(50);
  const loop = { 1000: bareLoop(python.path, folder, 1000), 10_000: bareLoop(python.path, folder, 10_000) };
  const bareSlope = (loop[10_000] - loop[1000]) / 9000;

  if (process.argv.includes("--no-editor")) console.log("Rows that need VS Code: left out (--no-editor).");
  else if (!findChromium()) console.log(`Rows that need VS Code: not measured (${INSTALL_CHROMIUM}).`);
  else
    await editorRows(steps, bareSlope).catch((/** @type {Error} */ error) =>
      console.log(`Rows that need VS Code: not measured.\n${error.message}`),
    );

  for (const { n, limit } of [
    { n: 1000, limit: 600 },
    { n: 10_000, limit: 900 },
  ]) {
    const peer = barePython(python.path, folder, n);
    add({
      what: `rewardsmith score, cold process, ${n} rows (median of 5)`,
      value: score(python.path, folder, n),
      unit: "ms",
      limit,
      peer: `bare Python process ${ms(peer)}`,
    });
  }
  await trajectoryRows(() => true);
  const host = await stat(path.join(root, "dist/extension.js"));
  add({ what: "host bundle", value: host.size / 1000, unit: "kB", limit: 400, peer: "" });
  add({ what: "package", value: bytes / 1e6, unit: "MB", limit: 6, peer: "" });
} finally {
  await rm(folder, { recursive: true, force: true });
}

await appendFile(
  path.join(root, "bench/history.jsonl"),
  `${JSON.stringify({
    date: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    python: python.version,
    vscode: vscodeVersion,
    rows: rows.map(({ what, value, unit, limit, least, peer }) => ({
      what,
      value: value === null ? null : Number(value.toFixed(2)),
      unit,
      limit,
      ...(least ? { least } : {}),
      ...(peer ? { peer } : {}),
    })),
  })}\n`,
);
const missed = rows.filter((row) => met(row) === false);
console.log(`\n${rows.length - missed.length} of ${rows.length} rows met; appended to bench/history.jsonl.`);
process.exit(0);

/**
 * Turns of the inner loop for one row to take about `micros`, on this machine now.
 * @param {number} micros
 */
async function calibrate(micros) {
  const guess = 500;
  await writeInputs(folder, guess);
  const perRow = (bareLoop(/** @type {{ path: string }} */ (python).path, folder, 10_000) / 10_000) * 1000;
  const steps = Math.max(1, Math.round((guess * micros) / perRow));
  await writeInputs(folder, steps);
  return steps;
}

/** @param {number} steps @param {number} bareSlope Milliseconds a row. */
async function editorRows(steps, bareSlope) {
  const { ensureVSCode } = await import("../scripts/vscode.mjs");
  const { measureEditor } = await import("./lib/editor.mjs");
  const vscode = await ensureVSCode();
  vscodeVersion = vscode.version;
  const { host, screen, passes } = await measureEditor(
    vscode,
    /** @type {NonNullable<typeof python>} */ (python),
    steps,
    edits,
  );

  for (const [mode, limit] of /** @type {const} */ ([
    ["fork", 60],
    ["spare", 250],
  ]))
    add({
      what: `change event → setDecorations, 1,000 samples, ${host[mode].length} edits, ${mode}, p95`,
      value: p95(host[mode]),
      unit: "ms",
      limit,
      peer: `p50 ${ms(median(host[mode]))}; a trivial decoration needs no pass`,
    });

  const [ours, peer] = [screen.ours, screen.peer];
  const besides = `trivial decoration p50 ${ms(median(peer))}, p95 ${ms(p95(peer))}`;
  const keydown = `keydown → new number on screen, ${ours.length} keys`;
  add({ what: `${keydown}, p50`, value: median(ours), unit: "ms", limit: 120, peer: besides });
  add({ what: `${keydown}, p95`, value: p95(ours), unit: "ms", limit: 250, peer: besides });
  add({
    what: `${keydown}, p50 over the trivial decoration's own`,
    value: median(ours) - median(peer),
    unit: "ms",
    limit: 60,
    peer: besides,
  });

  await labRows(vscode);

  const [few, many, most] = [median(passes["10"]), median(passes["1000"]), median(passes["10000"])];
  add({
    what: "fixed cost of a pass (10 rows, their own time taken off)",
    value: few - 10 * bareSlope,
    unit: "ms",
    limit: 20,
    peer: `10 rows alone take ${(10 * bareSlope).toFixed(2)} ms in a bare loop`,
  });
  add({
    what: "slope of a pass from 1,000 to 10,000 rows, 50 µs reward, over bare Python's",
    value: (most - many) / 9000 / bareSlope,
    unit: "×",
    limit: 1.2,
    peer: `bare loop ${(bareSlope * 1000).toFixed(1)} µs a row; passes took ${ms(many)} and ${ms(most)}`,
  });
}

/** @param {(part: string) => boolean} wanted */
async function trajectoryRows(wanted) {
  if (PARTS.some(wanted)) {
    const { measureTrajectories } = await import("./lib/trajectories.mjs");
    await measureTrajectories({
      folder: path.join(folder, "trajectories"),
      add,
      python: python?.path,
      wanted,
    });
  }
  if (!wanted("screen") || process.argv.includes("--no-editor")) return;
  if (!findChromium()) {
    console.log(`Rows about trajectories that need VS Code: not measured (${INSTALL_CHROMIUM}).`);
    return;
  }
  const { ensureVSCode } = await import("../scripts/vscode.mjs");
  const { measureTrajectoryScreen } = await import("./lib/trajectoriesScreen.mjs");
  await measureTrajectoryScreen(await ensureVSCode(), add).catch((/** @type {Error} */ error) =>
    console.log(`Rows about trajectories that need VS Code: not measured.\n${error.message}`),
  );
}

/** @param {import("../scripts/vscode.mjs").BrowserVSCode} vscode */
async function labRows(vscode) {
  const { measureLab } = await import("./lib/lab.mjs");
  const keys = Math.min(60, edits);
  const lab = await measureLab(vscode, /** @type {NonNullable<typeof python>} */ (python).path, folder, keys);
  const once = `a panel that holds one row in its HTML ${ms(lab.peerCold)}`;
  add({
    what: "Scores panel, command → first rows on screen",
    value: lab.panelCold,
    unit: "ms",
    limit: 400,
    peer: once,
  });
  add({
    what: "Reward Lab cold, command → Monaco's lines on screen",
    value: lab.labCold,
    unit: "ms",
    limit: 1200,
    peer: once,
  });
  add({
    what: "Reward Lab shown again, click on its tab → rows",
    value: lab.again,
    unit: "ms",
    limit: 150,
    peer: once,
  });
  const spread = `p50 ${ms(median(lab.numbers))}`;
  add({
    what: `Lab: keydown → new number in Monaco, 1,000 samples, ${lab.numbers.length} keys, p50`,
    value: median(lab.numbers),
    unit: "ms",
    limit: 120,
    peer: "",
  });
  add({
    what: `Lab: keydown → new number in Monaco, 1,000 samples, ${lab.numbers.length} keys, p95`,
    value: p95(lab.numbers),
    unit: "ms",
    limit: 250,
    peer: spread,
  });
  add({
    what: `Lab: typing while 20,000 rows stream, keydown → glyph, ${lab.typing.length} keys, p95`,
    value: p95(lab.typing),
    unit: "ms",
    limit: 32,
    peer: `p50 ${ms(median(lab.typing))}; VS Code's own editor p50 ${ms(median(lab.typingPeer))}, p95 ${ms(p95(lab.typingPeer))}`,
  });
  add({
    what: "Lab: script, style and layout a scrolled frame, 20,000 rows, mean of 120",
    value: lab.scroll.work,
    unit: "ms",
    limit: 8,
    peer: "the workbench's own part included",
  });
  add({
    what: "Lab: longest blank row while scrolling 20,000 rows",
    value: lab.scroll.blank,
    unit: "ms",
    limit: 100,
    peer: "",
  });
}
