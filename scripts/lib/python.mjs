// @ts-check
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { onPath } from "./chromium.mjs";

const execute = promisify(execFile);

/** @typedef {{ path: string, minor: number, version: string }} Interpreter */

export const INSTALL_PYTHON = "no Python 3.9 or newer: install one, or set REWARDSMITH_PYTHON to its path";

/** @param {string} file @returns {Promise<Interpreter | undefined>} */
async function ask(file) {
  try {
    const code = "import sys; print('.'.join(map(str, sys.version_info[:3])))";
    const { stdout } = await execute(file, ["-c", code], { timeout: 20_000 });
    const version = stdout.trim();
    const [major = 0, minor = 0] = version.split(".").map(Number);
    return major === 3 && minor >= 9 ? { path: file, minor, version } : undefined;
  } catch {
    return undefined;
  }
}

/** The interpreter that a plain `npm test` uses: REWARDSMITH_PYTHON, else `python3` or `python` on PATH. */
export async function findPython() {
  for (const file of [process.env["REWARDSMITH_PYTHON"], onPath(["python3"]), onPath(["python"])]) {
    const found = file && (await ask(file));
    if (found) return found;
  }
  return undefined;
}

/** One interpreter for each further minor version from 3.9 on that pyenv or PATH has. @param {number} except */
export async function otherPythons(except) {
  const versions = path.join(process.env["PYENV_ROOT"] ?? path.join(homedir(), ".pyenv"), "versions");
  const places = [
    ...(existsSync(versions)
      ? readdirSync(versions).map((name) => path.join(versions, name, "bin/python"))
      : []),
    ...[9, 10, 11, 12, 13, 14].map((minor) => onPath([`python3.${minor}`])),
  ];
  /** @type {Map<number, Interpreter>} */
  const found = new Map();
  for (const file of places) {
    const answer = file && existsSync(file) ? await ask(file) : undefined;
    if (answer && answer.minor !== except && !found.has(answer.minor)) found.set(answer.minor, answer);
  }
  return [...found.values()].sort((a, b) => a.minor - b.minor);
}
