import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { RewardsmithError } from "../../base/errors";
import type { RunProcessPort } from "../../core/ports";
import { endOf, isLive, isOver, unseenEnd, type RunEnd } from "../../core/runs/stateMachine";
import type { ProcessMark, RunStatus } from "../../schema/run";
import type { ProcessPlatform } from "../processes/platform";
import { errorText } from "../systemErrors";
import { leaveRequest } from "./control";
import { pause } from "./endJob";
import { readExitFile, readJobFile } from "./keeperFiles";
import { paths } from "./layout";
import { lastHolder, takeLock } from "./lock";
import { bootId, isAlive, ownMark } from "./marks";
import { StatusBook, readStatus, systemRunClock } from "./statusBook";
import { tailOf } from "./tail";

const TAKEN_WITHIN_MS = 20_000;
/** A supervisor that has just been started needs this long to take the run; until then no second one is started. */
const ADOPTION_MS = 3000;

export interface RunProcessOptions {
  readonly platform: ProcessPlatform;
  /** The supervisor's bundle. */
  readonly program: string;
}

/** Runs as processes of this machine. */
export function runProcesses({ platform, program }: RunProcessOptions): RunProcessPort {
  const adopting = new Map<string, number>();

  async function detached(
    mode: "start" | "adopt",
    folder: string,
    secrets: Readonly<Record<string, string>>,
  ): Promise<void> {
    const child = spawn(process.execPath, [program, mode, folder], {
      // Where the editor's own Node is Electron, it has to be told to be Node.
      env: {
        ...process.env,
        ...(process.versions["electron"] === undefined ? {} : { ELECTRON_RUN_AS_NODE: "1" }),
        ...secrets,
      },
      stdio: ["ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await new Promise<void>((done, fail) => {
      child.once("error", fail);
      child.once("close", (code) => {
        if (code === 0) done();
        else
          fail(
            new RewardsmithError("Internal", `the supervisor could not be started: ${stderr.trim()}`, {
              stderr,
            }),
          );
      });
    });
  }

  const holder = async (folder: string): Promise<ProcessMark | null> => {
    const { mark } = await lastHolder(folder);
    return mark !== null && (await isAlive(mark, platform)) ? mark : null;
  };

  return {
    async start(folder, secrets) {
      await detached("start", folder, secrets);
      const until = performance.now() + TAKEN_WITHIN_MS;
      while (performance.now() < until) {
        const status = await readStatus(folder);
        if (status && status.state !== "created") return;
        if ((await lastHolder(folder)).mark !== null && (await holder(folder)) === null) break;
        await pause(20);
      }
      const said = await readFile(paths.supervisorLog(folder), "utf8").catch(errorText);
      throw new RewardsmithError(
        "Internal",
        `the run's supervisor ended at once: ${said.trim().slice(0, 2000)}`,
        {
          path: folder,
        },
      );
    },

    async ensure(folder) {
      const by = await holder(folder);
      if (by && by.pid !== process.pid) return "watched";
      const status = await readStatus(folder);
      if (!status || !isLive(status.state)) return "settled";
      if (await somethingLives(folder, status)) {
        const since = adopting.get(folder);
        if (since === undefined || performance.now() - since > ADOPTION_MS) {
          adopting.set(folder, performance.now());
          await detached("adopt", folder, {});
        }
        return "adopted";
      }
      await settle(folder);
      return "settled";
    },

    request: (folder, kind, by) => leaveRequest(folder, { kind, by, at: Date.now() }),
  };

  /** The job, or anything that carries its token. */
  async function somethingLives(folder: string, status: RunStatus): Promise<boolean> {
    const file = await readJobFile(folder);
    const job = file?.mark ?? status.job;
    if (job && (await isAlive(job, platform))) return true;
    const marks = [file?.token, job?.token].filter((token) => token !== undefined);
    return (await platform.list()).some(({ marker }) => marker !== null && marks.includes(marker));
  }

  /** Under the lock, like a supervisor: how it ended, where its parent noted it; else it is lost. */
  async function settle(folder: string): Promise<void> {
    const lock = await takeLock(folder, await ownMark(platform), (other) => isAlive(other, platform));
    // Ours from an earlier look, whose result couldn't be written.
    if (!lock.held && lock.by.pid !== process.pid) return;
    const status = await readStatus(folder);
    if (!status || isOver(status.state)) return;
    const end = await endNow(folder, status);
    const book = new StatusBook(folder, status, systemRunClock, (text) => text);
    book.end(end.run, end.elapsedS);
    await book.flush(end.elapsedS);
    await book.close();
  }

  async function endNow(
    folder: string,
    status: RunStatus,
  ): Promise<{ readonly run: RunEnd; readonly elapsedS: number }> {
    const exit = readExitFile(folder);
    if (!exit)
      return {
        run: unseenEnd((status.job ?? status.supervisor)?.boot ?? "", bootId()),
        elapsedS: status.elapsedS,
      };
    return {
      run: endOf({
        ...exit,
        asked: status.state === "stopping",
        forced: false,
        tail: await tailOf(paths.console(folder)),
        diskWasFull: status.problems.some(({ code }) => code === "disk-full"),
      }),
      elapsedS: Math.max(status.elapsedS, status.started === null ? 0 : (exit.at - status.started) / 1000),
    };
  }
}
