// @ts-check
// Environments with real trainers for the heavy tier, in the cache outside the checkout. `node scripts/frameworks.mjs`
// makes them and prints where they are; a few gigabytes for each, once.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { onPath } from "./lib/chromium.mjs";
import { cacheDir, root } from "./lib/paths.mjs";
import { findPython, otherPythons } from "./lib/python.mjs";
import { run } from "./lib/run.mjs";

/** @typedef {"trl" | "debugpy" | "readers"} Framework */
/** @typedef {{ python: string } | { skip: string, install: string }} Environment */

/** `debugpy` is no trainer: the debugger that Debug This Sample starts under. */
export const FRAMEWORKS = /** @type {const} */ (["trl", "debugpy"]);

/** The lines that are installed; `readers`: other readers of trajectories, for the benchmark alone. @param {Framework} name */
const requirementsOf = (name) =>
  name === "readers" ? "bench/requirements-readers.txt" : `test/frameworks/requirements-${name}.txt`;

/** What tests give the interpreter: nothing is fetched while they run, no GPU is used. */
export const FRAMEWORK_ENV = { HF_HUB_OFFLINE: "1", CUDA_VISIBLE_DEVICES: "" };

const UV = "uv==0.13.9";
const MINUTE = 60_000;

/** Minor versions of Python 3 that the frameworks support, best first: those with the most ready-built packages. */
const MINORS = [12, 11, 10, 13];

const windows = process.platform === "win32";
const inside = (/** @type {string} */ venv, /** @type {string} */ name) =>
  windows ? path.join(venv, "Scripts", `${name}.exe`) : path.join(venv, "bin", name);

/**
 * The environment of a framework, made when it isn't there; or why it can't be had and the line that would install it.
 * @param {Framework} name @param {(text: string) => void} [say] @returns {Promise<Environment>}
 */
export async function ensureEnvironment(name, say = () => undefined) {
  const requirements = path.join(root, requirementsOf(name));
  const install = `uv pip install -r ${requirementsOf(name)}`;
  const base = await interpreter();
  if (!base) return { skip: `${name} needs Python 3.10 to 3.13 and there is none`, install };
  const hash = createHash("sha256")
    .update(await readFile(requirements))
    .update(`3.${base.minor}`)
    .digest("hex")
    .slice(0, 12);
  const venv = path.join(cacheDir(), "frameworks", `${name}-${hash}`);
  const python = inside(venv, "python");
  const complete = path.join(venv, "complete");
  if (existsSync(complete) && existsSync(python)) return { python };

  const uv = await ensureUv(base.path, say);
  if (!uv) return { skip: "uv isn't here and can't be installed from PyPI", install };
  say(`Installing ${name} (${install}) into ${venv}`);
  await rm(venv, { recursive: true, force: true });
  await mkdir(path.dirname(venv), { recursive: true });
  const env = { UV_PYTHON_DOWNLOADS: "never" };
  for (const args of [
    ["venv", "--quiet", "--python", base.path, venv],
    ["pip", "install", "--quiet", "--python", python, "-r", requirements],
  ]) {
    const { code, tail } = await run(uv, args, { env, output: "quiet", limitMs: 20 * MINUTE });
    if (code !== 0) return { skip: `${name} can't be installed here: ${tail.trim().slice(-600)}`, install };
  }
  await writeFile(complete, install);
  return { python };
}

/**
 * All of them; rejects with a sentence where none can be had. Tests of one that is missing are counted as skipped.
 * @param {(text: string) => void} [say]
 */
export async function ensureFrameworks(say = () => undefined) {
  /** @type {string[]} */
  const missing = [];
  for (const name of FRAMEWORKS) {
    const environment = await ensureEnvironment(name, say);
    if ("skip" in environment) missing.push(`${environment.skip} (${environment.install})`);
  }
  for (const text of missing) say(`  ${text}`);
  if (missing.length === FRAMEWORKS.length) throw new Error(missing.join("; "));
}

async function interpreter() {
  const first = await findPython();
  const all = first ? [first, ...(await otherPythons(first.minor))] : await otherPythons(-1);
  for (const minor of MINORS) {
    const found = all.find((p) => p.minor === minor);
    if (found) return found;
  }
  return undefined;
}

/** uv of this machine, else one of our own from PyPI. @param {string} python @param {(text: string) => void} say */
async function ensureUv(python, say) {
  const there = onPath(["uv"]);
  if (there && (await run(there, ["--version"], { output: "quiet" })).code === 0) return there;
  const venv = path.join(cacheDir(), "tools", UV.replace("==", "-"));
  const uv = inside(venv, "uv");
  if (existsSync(uv)) return uv;
  say(`Installing ${UV} (python -m venv, pip install)`);
  for (const args of [
    [python, "-m", "venv", venv],
    [inside(venv, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV],
  ]) {
    const [program = "", ...rest] = args;
    const { code } = await run(program, rest, { output: "quiet", limitMs: 5 * MINUTE });
    if (code !== 0) return undefined;
  }
  return existsSync(uv) ? uv : undefined;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const name of FRAMEWORKS) {
    const environment = await ensureEnvironment(name, console.log);
    if ("python" in environment) console.log(`${name}: ${environment.python}`);
    else {
      console.error(`${name}: ${environment.skip}\n  ${environment.install}`);
      process.exitCode = 1;
    }
  }
}
