// @ts-check
import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] Default: the checkout.
 * @property {Record<string, string | undefined>} [env] Laid over this process's environment.
 * @property {number} [limitMs] After this the whole tree is ended. Default: none.
 * @property {"inherit" | "quiet" | "log"} [output] `quiet` keeps the tail only; `log` also writes it to `log`.
 * @property {string} [log] File for the output.
 *
 * @typedef {object} RunResult
 * @property {number | null} code Exit code, null where a signal ended it or it didn't start.
 * @property {boolean} timedOut
 * @property {string} tail Last characters of what it printed ("" with `inherit`).
 * @property {number} ms Wall clock.
 */

const TAIL = 8000;

/**
 * Runs a program to its end; never rejects. It leads its own process group, so a limit ends its children too.
 * @param {string} program @param {readonly string[]} args @param {RunOptions} [options]
 * @returns {Promise<RunResult>}
 */
export function run(program, args, { cwd = root, env = {}, limitMs, output = "inherit", log } = {}) {
  const started = performance.now();
  return new Promise((resolve) => {
    let tail = "";
    let timedOut = false;
    const file = log === undefined ? undefined : openLog(log);
    const child = spawn(program, [...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", output === "inherit" ? "inherit" : "pipe", output === "inherit" ? "inherit" : "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const untrack = endWithUs(child);
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      file?.write(chunk);
      tail = (tail + chunk.toString()).slice(-TAIL);
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            endTree(child);
          }, limitMs);
    /** @param {number | null} code */
    const finish = (code) => {
      clearTimeout(timer);
      untrack();
      file?.end();
      resolve({ code, timedOut, tail, ms: performance.now() - started });
    };
    child.once("error", (error) => {
      tail += `${program}: ${error.message}`;
      finish(null);
    });
    child.once("close", finish);
  });
}

/** npm, by this Node where npm itself started us (no shell, no .cmd). @returns {[string, string[]]} */
export function npm() {
  const script = process.env["npm_execpath"];
  if (script?.endsWith(".js") && script.includes("npm")) return [process.execPath, [script]];
  return process.platform === "win32" ? [process.env["ComSpec"] ?? "cmd.exe", ["/c", "npm"]] : ["npm", []];
}

/** Ends a process and all below it: politely, then for good. @param {import("node:child_process").ChildProcess} child */
export function endTree(child) {
  signalTree(child, "SIGTERM");
  setTimeout(() => signalTree(child, "SIGKILL"), 3000).unref();
}

/** @param {import("node:child_process").ChildProcess} child @param {NodeJS.Signals} signal */
export function signalTree(child, signal) {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32")
      spawn("taskkill", ["/pid", String(child.pid), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    else process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const ours = new Set();
let watching = false;

/** The child's whole tree ends when this process does. @param {import("node:child_process").ChildProcess} child */
export function endWithUs(child) {
  if (!watching) {
    watching = true;
    process.once("exit", endOurs);
    for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
      process.once(signal, () => {
        // Somebody else who listens decides when to go.
        if (process.listenerCount(signal) === 0) process.exit(130);
      });
  }
  ours.add(child);
  const untrack = () => void ours.delete(child);
  return untrack;
}
function endOurs() {
  for (const child of ours) signalTree(child, "SIGKILL");
}

/** @param {string} file */
function openLog(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  return createWriteStream(file);
}
