// @ts-check
// `npm test`: installs, builds, runs every tier and closes with one counted line over all of them.
// --all adds the heavy tiers (other Pythons, real trainers); --only a,b runs these tiers; --bail is not there on purpose: a broken
// tier never hides another.
import { readFile, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import {
  closingLine,
  exitCode,
  fromRows,
  fromVitest,
  judge,
  none,
  one,
  plus,
  skippedTier,
} from "./lib/count.mjs";
import { build, ensureInstalled } from "./lib/install.mjs";
import { out, root } from "./lib/paths.mjs";
import { run } from "./lib/run.mjs";

/** @typedef {import("./lib/count.mjs").Counts} Counts */
/** @typedef {{ name: string, heavy?: boolean, quick?: boolean, run: () => Promise<Counts> }} Tier */

const MINUTE = 60_000;
const report = (/** @type {string} */ name) => path.join(out, "reports", name);
const bin = (/** @type {string} */ file) => path.join(root, "node_modules", file);

/** A check without tests of its own. @param {string} name @param {string} program @param {string[]} args @returns {Promise<Counts>} */
async function check(name, program, args) {
  const { code, tail, timedOut } = await run(program, args, { output: "quiet", limitMs: 5 * MINUTE });
  return one(code === 0 && !timedOut, name, tail.trim());
}

/** @param {string} project @param {number} limitMs @param {Record<string, string>} [env] @returns {Promise<Counts>} */
async function vitest(project, limitMs, env = {}) {
  const file = report(`${project}.json`);
  await rm(file, { force: true });
  const end = await run(
    process.execPath,
    [
      bin("vitest/vitest.mjs"),
      "run",
      "--project",
      project,
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${file}`,
    ],
    { output: "log", log: report(`${project}.log`), limitMs, env },
  );
  return judge(existsSync(file) ? fromVitest(JSON.parse(await readFile(file, "utf8"))) : undefined, end);
}

/** @param {boolean} [others] Every other version on this machine too. @returns {Promise<Counts>} */
async function python(others = false) {
  const { findPython, otherPythons, INSTALL_PYTHON } = await import("./lib/python.mjs");
  const first = await findPython();
  if (!first) return skippedTier(INSTALL_PYTHON);
  const interpreters = others ? await otherPythons(first.minor) : [first];
  if (interpreters.length === 0) return skippedTier("no other Python from 3.9 on is here");
  let total = none();
  for (const { path: interpreter, version } of interpreters) {
    const file = report(`python-${version}.jsonl`);
    await rm(file, { force: true });
    const end = await run(interpreter, ["scripts/python_tests.py", file], {
      output: "log",
      log: report(`python-${version}.log`),
      limitMs: 5 * MINUTE,
    });
    const counts = judge(existsSync(file) ? fromRows(await readFile(file, "utf8")) : undefined, end);
    say(`  Python ${version}: ${closingLine(counts)}`);
    total = plus(total, counts);
  }
  return total;
}

/** Suites inside a real VS Code. @returns {Promise<Counts>} */
async function editor() {
  const { findChromium, INSTALL_CHROMIUM } = await import("./lib/chromium.mjs");
  if (!findChromium()) return skippedTier(INSTALL_CHROMIUM);
  const { ensureVSCode } = await import("./vscode.mjs");
  const { GROUPS, buildSuites, runGroup } = await import("./lib/suites.mjs");
  const vscode = await ensureVSCode(say);
  const entry = await buildSuites();
  let total = none();
  for (const group of GROUPS) {
    const counts = await runGroup(group, { vscode, entry }).catch((/** @type {Error} */ error) =>
      one(false, `${group.name}: did not run`, error.stack ?? error.message),
    );
    say(`  ${group.name}: ${closingLine(counts)}`);
    total = plus(total, counts);
  }
  return total;
}

/** A browser on a real VS Code. @returns {Promise<Counts>} */
async function screen() {
  const { findChromium, INSTALL_CHROMIUM } = await import("./lib/chromium.mjs");
  if (!findChromium()) return skippedTier(INSTALL_CHROMIUM);
  const { ensureVSCode } = await import("./vscode.mjs");
  await ensureVSCode(say);
  return vitest("ui", 25 * MINUTE);
}

/** Files that other people's tools wrote: in the folder that REWARDSMITH_REAL names, never committed. @returns {Promise<Counts>} */
async function realFiles() {
  const folder = process.env["REWARDSMITH_REAL"];
  if (!folder || !existsSync(folder))
    return skippedTier("real files are not here: set REWARDSMITH_REAL to the folder that holds them");
  return vitest("real", 5 * MINUTE);
}

/** Real trainers, from their own cached environment. @returns {Promise<Counts>} */
async function frameworks() {
  /** @type {{ ensureFrameworks: (say: (text: string) => void) => Promise<unknown> }} */
  const { ensureFrameworks } = await import(new URL("./frameworks.mjs", import.meta.url).href);
  try {
    await ensureFrameworks(say);
  } catch (error) {
    return skippedTier(
      `real trainers can't be installed here: ${error instanceof Error ? error.message : error}`,
    );
  }
  return vitest("frameworks", 20 * MINUTE);
}

/** @type {readonly Tier[]} */
const TIERS = [
  { name: "types", quick: true, run: () => check("types", process.execPath, ["scripts/typecheck.mjs"]) },
  {
    name: "lint",
    quick: true,
    run: () => check("lint", process.execPath, [bin("eslint/bin/eslint.js"), ".", "--max-warnings", "0"]),
  },
  {
    name: "format",
    quick: true,
    run: () =>
      check("format", process.execPath, [
        bin("prettier/bin/prettier.cjs"),
        "--check",
        ".",
        "--log-level",
        "warn",
      ]),
  },
  {
    name: "schemas",
    quick: true,
    run: () => check("generated schemas", process.execPath, ["scripts/schema.mjs", "--check"]),
  },
  { name: "python", quick: true, run: () => python() },
  { name: "unit", quick: true, run: () => vitest("unit", 5 * MINUTE) },
  { name: "contract", run: () => vitest("contract", 12 * MINUTE) },
  { name: "real", run: realFiles },
  { name: "package", run: () => vitest("package", 3 * MINUTE) },
  { name: "editor", run: editor },
  { name: "screen", run: screen },
  { name: "pythons", heavy: true, run: () => python(true) },
  { name: "frameworks", heavy: true, run: frameworks },
];

/** @param {string} text */
function say(text) {
  console.log(text);
}

/** @param {readonly Tier[]} tiers */
async function runTiers(tiers) {
  const started = performance.now();
  let total = none();
  for (const tier of tiers) {
    const since = performance.now();
    say(`▸ ${tier.name} …`);
    const counts = await tier
      .run()
      .catch((/** @type {Error} */ error) => one(false, `${tier.name}: broke`, error.stack ?? error.message));
    for (const { name, text } of counts.failures)
      say(
        `  ✗ ${name}\n${text
          .split("\n")
          .slice(0, 25)
          .map((line) => `      ${line}`)
          .join("\n")}`,
      );
    for (const note of counts.notes ?? []) say(`  · ${note}`);
    const why = counts.reason ? ` (skipped: ${counts.reason})` : "";
    say(
      `  ${tier.name}: ${closingLine(counts)}${why} in ${((performance.now() - since) / 1000).toFixed(0)} s`,
    );
    total = plus(total, counts);
  }
  say(
    `Tiers took ${((performance.now() - started) / MINUTE).toFixed(1)} min; reports in out/reports, pictures in out/shots.`,
  );
  return total;
}

const args = process.argv.slice(2);
const only = args.includes("--only") ? (args[args.indexOf("--only") + 1] ?? "").split(",") : undefined;
const unknown = only?.filter((name) => !TIERS.some((tier) => tier.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`No tier ${unknown.join(", ")}; there are: ${TIERS.map((tier) => tier.name).join(", ")}`);
  process.exit(2);
}
const chosen = TIERS.filter((tier) =>
  only
    ? only.includes(tier.name)
    : args.includes("--quick")
      ? tier.quick
      : !tier.heavy || args.includes("--all"),
);
await ensureInstalled();
await build();
const total = await runTiers(chosen);
console.log(closingLine(total));
process.exit(exitCode(total));
