import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { READERS } from "../../core/runs/readers/registry";
import { systemPlatform } from "../processes/systemPlatform";
import { errorText } from "../systemErrors";
import { keep, keepOn } from "./keeper";
import { paths } from "./layout";
import { newToken, tokenVariables } from "./marks";
import { systemRunClock } from "./statusBook";
import { watchRun } from "./watch";

/**
 * `node supervisor.js MODE FOLDER`, the program behind a run on this machine.
 *
 * - `start`, `adopt`: starts the supervisor in a session of its own and leaves, so that it is nobody's child: who ends
 *   an editor's process tree doesn't find it.
 * - `watch-start`, `watch-adopt`: the supervisor.
 * - `keep`, `keep-on`: the job's parent.
 */
async function main(mode: string | undefined, folder: string | undefined): Promise<number> {
  if (folder === undefined) return 2;
  switch (mode) {
    case "start":
    case "adopt":
      return detach(`watch-${mode}`, folder);
    case "watch-start":
    case "watch-adopt":
      ignoreTerminal();
      await watchRun(
        {
          folder,
          platform: systemPlatform(),
          readers: READERS,
          clock: systemRunClock,
          env: process.env,
          keeper: (how, env) => startKeeper(how, folder, env),
        },
        mode === "watch-start" ? "start" : "adopt",
      );
      return 0;
    case "keep":
    case "keep-on":
      ignoreTerminal();
      await (mode === "keep" ? keep(folder) : keepOn(folder));
      return 0;
    default:
      return 2;
  }
}

function ignoreTerminal(): void {
  // Sessions of our own: these come from somebody's `kill`, or from an editor that signals all it can find.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
}

const program = fileURLToPath(import.meta.url);

function detach(mode: string, folder: string): Promise<number> {
  mkdirSync(paths.process(folder), { recursive: true });
  const log = openSync(paths.supervisorLog(folder), "a");
  const child = spawn(process.execPath, [program, mode, folder], {
    cwd: folder,
    env: { ...process.env, ...tokenVariables(newToken()) },
    detached: true,
    stdio: ["ignore", log, log],
    windowsHide: true,
  });
  child.unref();
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("spawn", () => done(0));
  });
}

function startKeeper(mode: "keep" | "keep-on", folder: string, env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [program, mode, folder], {
    cwd: folder,
    env: { ...process.env, ...env, ...tokenVariables(newToken()) },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
}

try {
  process.exitCode = await main(process.argv[2], process.argv[3]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : errorText(error)}\n`);
  process.exitCode = 3;
}
