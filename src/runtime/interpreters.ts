import { access, constants } from "node:fs/promises";
import { posix, win32 } from "node:path";
import * as z from "zod";
import { RewardsmithError } from "../base/errors";
import { runCommand, type RunCommand } from "./command";
import { errorCode, errorText } from "./systemErrors";

export const OLDEST_PYTHON = [3, 9] as const;

/** Where a candidate came from; the first that is there wins. */
export type InterpreterSource = "setting" | "VIRTUAL_ENV" | "folder" | "PATH" | "launcher";

export interface InterpreterCandidate {
  /** As it would be started; links are never followed, a virtual environment's `python` is one. */
  readonly path: string;
  readonly source: InterpreterSource;
}

export interface InterpreterSearch {
  /** The user's setting, or null. If there is one it is the only candidate. */
  readonly setting: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders that may hold `.venv` or `venv`. */
  readonly folders: readonly string[];
  readonly platform: NodeJS.Platform;
  /** Whether a file is there and may be run. */
  readonly isExecutable?: (path: string) => Promise<boolean>;
}

/** Interpreters in the order in which they are tried, without those that aren't there (a setting is kept all the same). */
export async function findInterpreters(search: InterpreterSearch): Promise<InterpreterCandidate[]> {
  if (search.setting !== null) return [{ path: search.setting, source: "setting" }];
  const there = search.isExecutable ?? isExecutable;
  const windows = search.platform === "win32";
  const paths = windows ? win32 : posix;
  const inEnvironment = (folder: string): string =>
    windows ? paths.join(folder, "Scripts", "python.exe") : paths.join(folder, "bin", "python");

  const wanted: InterpreterCandidate[] = [];
  const active = search.env["VIRTUAL_ENV"];
  if (active) wanted.push({ path: inEnvironment(active), source: "VIRTUAL_ENV" });
  for (const folder of search.folders)
    for (const name of [".venv", "venv"])
      wanted.push({ path: inEnvironment(paths.join(folder, name)), source: "folder" });

  const path = search.env["PATH"] ?? search.env["Path"] ?? "";
  const onPath = path.split(paths.delimiter).filter((folder) => folder !== "" && paths.isAbsolute(folder));
  const names = windows ? ["python.exe", "python3.exe"] : ["python3", "python"];
  for (const name of names)
    for (const folder of onPath) wanted.push({ path: paths.join(folder, name), source: "PATH" });
  if (windows)
    for (const folder of onPath) wanted.push({ path: paths.join(folder, "py.exe"), source: "launcher" });

  const found: InterpreterCandidate[] = [];
  for (const candidate of wanted)
    if (!found.some((other) => other.path === candidate.path) && (await there(candidate.path)))
      found.push(candidate);
  return found;
}

const Description = z.object({
  version: z.tuple([z.int(), z.int(), z.int()]),
  executable: z.string(),
  prefix: z.string(),
  /** Differs from `prefix` in a virtual environment. */
  basePrefix: z.string(),
});
export type InterpreterDescription = z.infer<typeof Description>;

/** Runs on every Python, old ones too: their version is what the message names. */
const DESCRIBE = `
import json, sys
print(json.dumps({"version": list(sys.version_info[:3]), "executable": sys.executable or "", "prefix": sys.prefix,
                  "basePrefix": getattr(sys, "base_prefix", sys.prefix)}))
`;

/** One short call. Rejects with PythonMissing (`path`) or PythonFailed (`path`, `stderr`); old versions are described. */
export async function describeInterpreter(
  path: string,
  run: RunCommand = runCommand,
): Promise<InterpreterDescription> {
  let result;
  try {
    result = await run(path, ["-c", DESCRIBE], { timeoutMs: 15_000 });
  } catch (error) {
    throw startFailure(path, error);
  }
  const { code, stdout, stderr } = result;
  try {
    // The last line: a site customisation may print before.
    const line = stdout.toString("utf8").trimEnd().split("\n").at(-1) ?? "";
    return Description.parse(JSON.parse(line));
  } catch {
    throw new RewardsmithError(
      "PythonFailed",
      `${path} ended with ${code ?? "a signal"} before it said what it is`,
      {
        path,
        stderr: stderr.slice(-2000),
      },
    );
  }
}

export function isTooOld(version: readonly number[]): boolean {
  const [major = 0, minor = 0] = version;
  return major < OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor < OLDEST_PYTHON[1]);
}

export function tooOld(path: string, version: readonly number[]): RewardsmithError {
  const text = version.join(".");
  return new RewardsmithError(
    "PythonTooOld",
    `${path} is Python ${text}; ${OLDEST_PYTHON.join(".")} or newer is needed`,
    { path, version: text },
  );
}

/** Why a program could not be started: missing, or there and not to be run. */
export function startFailure(path: string, error: unknown): RewardsmithError {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR"
    ? pythonMissing(path)
    : new RewardsmithError(
        "PythonFailed",
        `${path} could not be started: ${errorText(error)}`,
        { path, stderr: "" },
        { cause: error },
      );
}

export function pythonMissing(path: string): RewardsmithError {
  return new RewardsmithError("PythonMissing", `there is no Python interpreter at ${path}`, { path });
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
