// @ts-check
// The rows of the budget about trajectories that need no screen: large files through the product's engine process,
// started as the extension host starts it, beside tools and readers that people use today.
import { spawnSync } from "node:child_process";
import { mkdir, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { onPath } from "../../scripts/lib/chromium.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { ensureEnvironment } from "../../scripts/frameworks.mjs";
import { cpuSeconds, Engine, idleProcess, longest, residentMB, watchMemory } from "./engine.mjs";
import { RARE, RARE_AT, writeRollouts } from "./rollouts.mjs";
import { median } from "./stats.mjs";

/** @typedef {(row: import("./stats.mjs").Row) => void} Add */
/** @typedef {{ name: string, file: string, bytes: number, rows: number }} Made */

const FREE_FOR_5_GB = 12e9;
const STARTS = 3;
const FIRST_ROWS_MS = 500;

/**
 * @param {object} options
 * @param {string} options.folder For the files; emptied by the caller. @param {Add} options.add
 * @param {string | undefined} options.python Interpreter for the plain loop.
 * @param {string} [options.program] The engine. @param {(what: string) => boolean} [options.wanted] Parts to measure.
 */
export async function measureTrajectories({ folder, add, python, program, wanted = () => true }) {
  await mkdir(folder, { recursive: true });
  const { bavail, bsize } = await statfs(folder);
  const room = bavail * bsize >= FREE_FOR_5_GB;
  const context = { folder, add, program };
  const small = await made(folder, "110 MB", 110e6);
  const readers = await ensureEnvironment("readers", console.log);
  if (wanted("first")) await firstRows(context, small);
  if (wanted("small")) await jsonPeers(context, small, python, readers);
  if (wanted("parquet")) await parquet(context, small, readers);
  await rm(small.file);

  if (["first", "offsets", "summaries", "search"].some(wanted)) {
    const large = await made(folder, "1 GB", 1e9);
    if (wanted("first")) await firstRows(context, large);
    if (wanted("offsets")) await offsets(context, large);
    if (wanted("summaries")) await whole(context, large, wanted);
    await rm(large.file);
  }

  if (!wanted("huge")) return;
  if (!room) {
    const why = `needs ${FREE_FOR_5_GB / 1e9} GB free; there are ${((bavail * bsize) / 1e9).toFixed(0)} GB`;
    for (const { what, unit, limit } of [
      { what: "first rows of JSONL, 5 GB", unit: "ms", limit: FIRST_ROWS_MS },
      { what: "engine memory over idle, 5 GB", unit: "MB", limit: 200 },
    ])
      add({ what, value: null, unit, limit, peer: "", note: why });
    return;
  }
  const huge = await made(folder, "5 GB", 5e9);
  await firstRows(context, huge);
  await memory(context, huge);
  await rm(huge.file);
}

/** @param {string} folder @param {string} name @param {number} bytes @returns {Promise<Made>} */
async function made(folder, name, bytes) {
  const file = path.join(folder, `rollouts-${name.replaceAll(" ", "-")}.jsonl`);
  return { name, file, ...(await writeRollouts(file, bytes)) };
}

/** @typedef {{ folder: string, add: Add, program: string | undefined }} Context */

/** @param {Context} context */
async function started({ folder, program }) {
  const engine = await Engine.start(folder, program);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return engine;
}

/** The view is opened and asks; the file is in the system's cache, as one that was just written. @param {Context} context @param {string} file */
async function firstRowsOnce(context, file) {
  const engine = await started(context);
  try {
    const began = performance.now();
    const { view } = await engine.open(file);
    const { rows } = await view.firstRows();
    return { ms: performance.now() - began, rows: rows.length };
  } finally {
    await engine.stop();
  }
}

/** @param {Context} context @param {{ name: string, file: string }} file */
async function firstRows(context, { name, file }) {
  const times = [];
  for (let i = 0; i < STARTS; i++) times.push(await firstRowsOnce(context, file));
  context.add({
    what: `first rows of JSONL, ${name}, view opened → rows in the page`,
    value: median(times.map(({ ms }) => ms)),
    unit: "ms",
    limit: FIRST_ROWS_MS,
    peer: `${STARTS} new engine processes, their threads not started yet: ${times.map(({ ms }) => ms.toFixed(0)).join(", ")} ms`,
  });
}

/** All summaries, and what is asked of a source that is read: 1 GB. @param {Context} context @param {Made} made @param {(what: string) => boolean} wanted */
async function whole(context, made, wanted) {
  const engine = await started(context);
  try {
    const cpu = cpuSeconds(engine.pid);
    const began = performance.now();
    const { view } = await engine.open(made.file);
    await view.firstRows();
    await view.complete();
    const seconds = (performance.now() - began) / 1000;
    const used = (cpuSeconds(engine.pid) ?? Number.NaN) - (cpu ?? Number.NaN);
    const times = [began, ...view.told.map(({ at }) => at)];
    const gap = Math.max(...times.slice(1).map((at, nth) => at - (times[nth] ?? at)));
    const perCore = made.bytes / 1e6 / used;
    context.add({
      what: `summaries of JSONL, ${made.name}, for each second of a core`,
      value: Number.isNaN(perCore) ? made.bytes / 1e6 / seconds : perCore,
      unit: "MB/s",
      limit: 80,
      least: true,
      peer: `all threads ${used.toFixed(1)} s of processor time in ${seconds.toFixed(1)} s (${(made.bytes / 1e6 / seconds).toFixed(0)} MB/s); ${view.told.length} times progress, longest without ${gap.toFixed(0)} ms`,
    });
    await middle(context, made, view);
    if (wanted("search")) await search(context, made, engine, view);
  } finally {
    await engine.stop();
  }
}

/** @param {Context} context @param {Made} made @param {import("./engine.mjs").View} view */
async function middle({ add }, { name, rows }, view) {
  const times = [];
  for (const share of [0.5, 0.25, 0.75, 0.4, 0.6]) {
    const from = Math.floor(rows * share);
    const began = performance.now();
    const page = await view.page(from, 60);
    const listed = performance.now() - began;
    await view.ask("messages", { index: page.rows[0].index, branch: 0, from: 0, count: 20, maxText: 20_000 });
    times.push({ listed, shown: performance.now() - began });
  }
  add({
    what: `jump to the middle of ${name}: 60 rows and the first one's messages`,
    value: median(times.map(({ shown }) => shown)),
    unit: "ms",
    limit: 100,
    peer: `its rows alone ${median(times.map(({ listed }) => listed)).toFixed(0)} ms (medians of ${times.length})`,
  });
}

/** @param {Context} context @param {Made} made @param {Engine} engine @param {import("./engine.mjs").View} view */
async function search({ add }, { name, file }, engine, view) {
  const grep = onPath(["grep"]);
  /** @type {number[]} */
  const alone = [];
  for (let i = 0; grep && i < 3; i++) {
    const began = performance.now();
    spawnSync(grep, ["-c", RARE, file]);
    alone.push(performance.now() - began);
  }
  const from = Date.now();
  const began = performance.now();
  /** @type {string | null} */
  let cursor = null;
  let first = null;
  let hits = 0;
  do {
    /** @type {{ cursor: string | null, hits: unknown[] }} */
    const answer = await view.ask("search", { text: RARE, matchCase: true, cursor, limit: 200 });
    hits += answer.hits.length;
    if (answer.hits.length > 0) first ??= performance.now() - began;
    ({ cursor } = answer);
  } while (cursor !== null);
  const took = performance.now() - began;
  const blocked = longest(engine.blocks, from, Date.now());
  if (hits !== RARE_AT.length) throw new Error(`${hits} hits in place of ${RARE_AT.length}`);
  if (alone.length > 0)
    add({
      what: `search in ${name}, over grep -c`,
      value: took / median(alone),
      unit: "×",
      limit: 4,
      peer: `${took.toFixed(0)} ms; grep -c ${median(alone).toFixed(0)} ms; first of ${hits} hits, which is at ${(RARE_AT[0] ?? 0) * 100} %, after ${(first ?? 0).toFixed(0)} ms; longest block ${blocked.toFixed(0)} ms`,
    });
  add({
    what: `search in ${name}: first hit, as a share of the whole search`,
    value: (first ?? took) / took,
    unit: "",
    limit: 0.5,
    peer: "",
  });
}

/** Memory and blocks while 5 GB are read. @param {Context} context @param {Made} made */
async function memory(context, made) {
  const engine = await started(context);
  const idle = residentMB(engine.pid);
  const control = idleProcess();
  try {
    const from = Date.now();
    const most = watchMemory(engine.pid);
    const { view } = await engine.open(made.file);
    await view.firstRows();
    const progress = await view.complete();
    const peak = most();
    const read = Date.now();
    const after = residentMB(engine.pid);
    context.add({
      what: `engine memory over idle, ${made.name}, most while it is read`,
      value: idle === null ? null : peak - idle,
      unit: "MB",
      limit: 200,
      peer: `idle ${(idle ?? 0).toFixed(0)} MB, ${progress.known} trajectories in ${((read - from) / 1000).toFixed(0)} s, after them ${((after ?? 0) - (idle ?? 0)).toFixed(0)} MB over idle`,
      ...(idle === null ? { note: "this system doesn't tell a process's memory (/proc)" } : {}),
    });
    context.add({
      what: `longest block of the engine's main thread while ${made.name} are read`,
      value: longest(engine.blocks, from, read),
      unit: "ms",
      limit: 50,
      peer: `${engine.blocks.filter(({ at, ms }) => at >= from && ms > 50).length} over 50 ms; a process that does nothing meanwhile ${longest(control.blocks, from, read).toFixed(0)} ms`,
    });
    const asked = Date.now();
    const began = performance.now();
    for (const query of [
      { filter: "reward>0.5" },
      { sort: "reward", descending: true },
      { filter: "turns>3 reward<0.1", sort: "turns" },
    ])
      await view.page(0, 60, query);
    context.add({
      what: `longest block while ${progress.known} trajectories are filtered and sorted`,
      value: longest(engine.blocks, asked, Date.now()),
      unit: "ms",
      limit: 50,
      peer: `three orders took ${(performance.now() - began).toFixed(0)} ms; a process that does nothing meanwhile ${longest(control.blocks, asked, Date.now()).toFixed(0)} ms`,
    });
  } finally {
    control.stop();
    await engine.stop();
  }
}

/** The lines container's own count of lines, in a process of its own. @param {Context} context @param {Made} made */
async function offsets({ add, folder }, { name, file }) {
  const { build } = await import("esbuild");
  const program = path.join(folder, "offsets.mjs");
  await build({
    entryPoints: [path.join(root, "bench/offsets.ts")],
    outfile: program,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  const own = spawnSync(process.execPath, [program, file, "3"], { encoding: "utf8" });
  if (own.status !== 0) throw new Error(own.stderr);
  /** @type {{ times: number[], lines: number }} */
  const { times, lines } = JSON.parse(own.stdout);
  const wc = onPath(["wc"]);
  /** @type {number[]} */
  const alone = [];
  let counted = lines;
  for (let i = 0; wc && i < 3; i++) {
    const began = performance.now();
    const { stdout } = spawnSync(wc, ["-l", file], { encoding: "utf8" });
    alone.push(performance.now() - began);
    counted = Number.parseInt(stdout, 10);
  }
  if (counted !== lines) throw new Error(`wc counts ${counted} lines, the product ${lines}`);
  add({
    what: `line offsets of ${name}, over wc -l`,
    value: alone.length > 0 ? median(times) / median(alone) : null,
    unit: "×",
    limit: 4,
    peer: `${median(times).toFixed(0)} ms; wc -l ${alone.length > 0 ? median(alone).toFixed(0) : "–"} ms (medians of 3)`,
    ...(alone.length > 0 ? {} : { note: "wc isn't here" }),
  });
}

/** What a reader of another kind takes for a file; undefined where it can't. @param {string} python @param {string[]} args */
function reader(python, args) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(python, [path.join(root, "bench/readers.py"), ...args], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`readers.py ${args[0]}: ${stderr.slice(-500)}`);
  /** @type {{ rows: number, seconds: number }} */
  const { rows, seconds } = JSON.parse(stdout);
  return { rows, ms: seconds * 1000, process: performance.now() - began };
}

/** @typedef {Awaited<ReturnType<typeof ensureEnvironment>>} Readers */

/** @param {Context} context @param {Made} small @param {string | undefined} python @param {Readers} readers */
async function jsonPeers(context, small, python, readers) {
  const engine = await started(context);
  try {
    const began = performance.now();
    const { view } = await engine.open(small.file);
    await view.firstRows();
    const progress = await view.complete();
    const ms = performance.now() - began;
    if (progress.known !== small.rows) throw new Error(`${progress.known} of ${small.rows} rows`);
    const loop = python ? reader(python, ["json-loop", small.file]) : null;
    const pandas = "python" in readers ? reader(readers.python, ["pandas-json", small.file]) : null;
    context.add({
      what: `all of ${small.name} of JSONL listed and summarised`,
      value: ms,
      unit: "ms",
      limit: null,
      peer: [
        loop ? `Python's json.loads line by line ${loop.ms.toFixed(0)} ms` : "",
        pandas
          ? `pandas.read_json(lines=True) ${pandas.process.toFixed(0)} ms, its start included`
          : `pandas isn't here (${"install" in readers ? readers.install : ""})`,
      ]
        .filter(Boolean)
        .join("; "),
    });
  } finally {
    await engine.stop();
  }
}

/** Rows of a row group as writers of data sets make them; and (null) the default of pandas: all in one, up to a million. */
const ROW_GROUPS = /** @type {const} */ ([2000, null]);

/** @param {Context} context @param {Made} small @param {Readers} readers */
async function parquet(context, small, readers) {
  if ("python" in readers) {
    for (const group of ROW_GROUPS) await parquetOf(context, small, readers.python, group);
    return;
  }
  context.add({
    what: "first rows of Parquet, 200 MB",
    value: null,
    unit: "ms",
    limit: FIRST_ROWS_MS,
    peer: "",
    note: `the file is written by pyarrow, which isn't here (${readers.install})`,
  });
}

/** @param {Context} context @param {Made} small @param {string} python @param {number | null} group */
async function parquetOf(context, small, python, group) {
  const file = path.join(context.folder, "completions_1.parquet");
  const write = [
    "parquet-write",
    file,
    String(200e6),
    small.file,
    ...(group === null ? [] : [String(group)]),
  ];
  const { rows } = reader(python, write);
  const { size } = await stat(file);
  const name = `Parquet, ${(size / 1e6).toFixed(0)} MB, ${group === null ? "one row group" : `row groups of ${group}`}`;
  const [peerFirst, peerAll] = ["parquet-first", "parquet-pandas"].map((what) =>
    reader(python, [what, file]),
  );
  const first = `first rows of ${name}`;
  const firstPeer = `TRL's table; pyarrow's first 60 rows ${peerFirst?.ms.toFixed(0)} ms, its import included`;
  const engine = await started(context);
  try {
    const firsts = [];
    for (let i = 0; i < STARTS; i++) firsts.push(await firstRowsOnce(context, file));
    context.add({
      what: first,
      value: median(firsts.map(({ ms }) => ms)),
      unit: "ms",
      limit: FIRST_ROWS_MS,
      peer: firstPeer,
    });
    const idle = residentMB(engine.pid) ?? 0;
    const most = watchMemory(engine.pid);
    const from = Date.now();
    const { view } = await engine.open(file);
    await view.firstRows();
    const progress = await view.complete();
    const seconds = (Date.now() - from) / 1000;
    if (progress.known !== rows) throw new Error(`${progress.known} of ${rows} rows of Parquet`);
    context.add({
      what: `summaries of ${name}`,
      value: size / 1e6 / seconds,
      unit: "MB/s",
      limit: null,
      peer: `${progress.known} rows in ${seconds.toFixed(1)} s, ${(progress.bytes / 1e6).toFixed(0)} MB gone through, engine at most ${(most() - idle).toFixed(0)} MB over idle, longest block ${longest(engine.blocks, from, Date.now()).toFixed(0)} ms; pandas.read_parquet ${((peerAll?.process ?? 0) / 1000).toFixed(1)} s, which makes no messages of them`,
    });
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    context.add({ what: first, value: null, unit: "ms", limit: FIRST_ROWS_MS, peer: firstPeer, note });
  } finally {
    await engine.stop();
    await rm(file);
  }
}
