import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { type ProcessMark, type RunCommand, RunRecord } from "../../schema/run";
import { writeFileAtomically } from "../atomicFile";
import { MARKER } from "../processes/platform";
import { systemPlatform } from "../processes/systemPlatform";
import { errorCode, errorText } from "../systemErrors";
import { JobLog } from "./jobLog";
import { type JobFile, type KeeperLine, readJobFile, reserveExit, writeExit } from "./keeperFiles";
import { TOKEN, paths } from "./layout";
import { bootId, newToken, ownMark, startOfChild, tokenVariables } from "./marks";
import { closeJobEnd, makeOutputPipe, removePipe, reopenOutput } from "./outputPipe";

/** After the job's end others may still hold its output open; the supervisor ends them within this time. */
const OUTPUT_AFTER_END_MS = 20_000;
/** A full disk: how long the last lines are kept for after the end. */
const FULL_DISK_PATIENCE_MS = 60 * 60 * 1000;

/**
 * The job's parent, a process of its own beside the supervisor: it starts the job, takes its output into `console.log`,
 * waits for its end and notes it in `process/exit.json`. As it does nothing else it has no reason to fail, and when the
 * supervisor dies the job's output and end are still seen.
 */
export async function keep(folder: string): Promise<void> {
  const command = await commandOf(folder);
  try {
    await start(folder, command);
  } catch (error) {
    tell({ kind: "failed", code: errorCode(error) ?? null, text: errorText(error) });
  }
}

async function start(folder: string, command: RunCommand): Promise<void> {
  const supervisor = process.ppid;
  const token = newToken();
  const pipe = await makeOutputPipe(token);
  const file: JobFile = {
    token,
    pipe: pipe?.path ?? null,
    keeper: await ownMark(systemPlatform()),
    mark: null,
  };
  // First the token on disk, then the process: there is no moment in which nobody could find it.
  await writeFileAtomically(paths.job(folder), JSON.stringify(file));
  await reserveExit(folder);
  // Whoever follows a supervisor that died before there was a job takes the run for lost: no job may start after that.
  if (process.ppid !== supervisor) return;
  const log = openLog(folder, command);
  const memoryBefore = memoryKills();
  const cwd = resolve(folder, command.cwd);
  const child = spawn(command.program, command.args, {
    cwd,
    env: jobEnvironment(process.env, command, token),
    // A session and group of its own: it is signalled as a whole, and a terminal's Ctrl-C doesn't reach it.
    detached: true,
    shell: false,
    windowsHide: true,
    stdio: pipe ? ["ignore", pipe.jobEnd, pipe.jobEnd] : ["ignore", "pipe", "pipe"],
  });
  const begun = child.pid === undefined ? null : startOfChild(child.pid);
  const ended = endOf(child);
  if (pipe) closeJobEnd(pipe);
  const outputs: Readable[] = pipe
    ? [pipe.output]
    : [child.stdout, child.stderr].filter((one) => one !== null);
  const drained = Promise.all(outputs.map((output) => drain(output, log)));
  if (child.pid === undefined) {
    const failure = await ended;
    if (pipe) removePipe(pipe.path);
    throw failure instanceof Error ? failure : new Error("the job could not be started");
  }
  const mark: ProcessMark = {
    pid: child.pid,
    start: begun ?? (await systemPlatform().startOf(child.pid)) ?? "",
    boot: bootId(),
    token,
  };
  try {
    await writeFileAtomically(paths.job(folder), JSON.stringify({ ...file, mark } satisfies JobFile));
  } catch {
    // No room: the supervisor is told all the same, and the token that is on disk already finds the process.
  }
  tell({ kind: "started", mark });

  const end = await ended;
  if (!(end instanceof Error)) {
    const memoryKill = memoryKills() > memoryBefore;
    const exit = { ...end, memoryKill, at: Date.now() };
    writeExit(folder, exit);
    tell({ kind: "exited", exit });
  }
  await finish(drained, outputs, log, pipe?.path ?? null);
}

/** For a job whose keeper was killed: its output is read on. How it ends, only its parent could have seen. */
export async function keepOn(folder: string): Promise<void> {
  const command = await commandOf(folder);
  const job = await readJobFile(folder);
  if (!job?.mark || job.pipe === null) return;
  const keeper = await ownMark(systemPlatform());
  await writeFileAtomically(paths.job(folder), JSON.stringify({ ...job, keeper } satisfies JobFile)).catch(
    () => undefined,
  );
  const output = reopenOutput(job.pipe, job.mark.pid);
  if (!output) return;
  const log = openLog(folder, command);
  await drain(output, log);
  await finish(Promise.resolve(), [output], log, job.pipe);
}

async function finish(
  drained: Promise<unknown>,
  outputs: readonly Readable[],
  log: JobLog,
  pipe: string | null,
): Promise<void> {
  const late = setTimeout(() => outputs.forEach((output) => output.destroy()), OUTPUT_AFTER_END_MS);
  await drained;
  clearTimeout(late);
  if (pipe !== null) removePipe(pipe);
  await log.end(FULL_DISK_PATIENCE_MS);
}

async function commandOf(folder: string): Promise<RunCommand> {
  const { command } = RunRecord.parse(JSON.parse(await readFile(paths.record(folder), "utf8")));
  if (!command) throw new Error("run.json has no command");
  return command;
}

function openLog(folder: string, command: RunCommand): JobLog {
  const values = command.secrets.flatMap((name) => process.env[name] ?? []);
  return new JobLog(paths.console(folder), values, (problem, text) =>
    tell({ kind: "output", problem, text }),
  );
}

/** Ours that a job has no use for: it would take a child of its own for ours, or run Node as Electron. */
const NOT_FOR_THE_JOB = /^(?:REWARDSMITH_|ELECTRON_|VSCODE_|NODE_CHANNEL_|NODE_UNIQUE_ID$)/;

function jobEnvironment(own: NodeJS.ProcessEnv, command: RunCommand, token: string): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(
    ([name]) => !NOT_FOR_THE_JOB.test(name) || command.secrets.includes(name),
  );
  return {
    PYTHONUNBUFFERED: "1",
    ...Object.fromEntries(kept.filter(([name]) => name !== TOKEN && name !== MARKER)),
    ...command.env,
    ...Object.fromEntries(
      command.secrets.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
    ),
    ...tokenVariables(token),
  };
}

function endOf(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly signal: number | null } | Error> {
  return new Promise((done) => {
    child.once("error", done);
    child.once("exit", (code, signal) =>
      done({ code, signal: signal === null ? null : constants.signals[signal] }),
    );
  });
}

/** Reads to the end; the next piece is taken when this one is written (or the disk has no room for it). */
async function drain(output: Readable, log: JobLog): Promise<void> {
  try {
    for await (const chunk of output) if (Buffer.isBuffer(chunk)) await log.write(chunk);
  } catch {
    // Closed from our side, as its end didn't come.
  }
}

/** Processes of our control group that the kernel ended for want of memory (cgroup v2 memory.events); 0 elsewhere. */
function memoryKills(): number {
  try {
    const group = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "";
    const events = readFileSync(`/sys/fs/cgroup${group}/memory.events`, "utf8");
    return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function tell(line: KeeperLine): void {
  try {
    writeFileSync(1, `${JSON.stringify(line)}\n`);
  } catch {
    // The supervisor is gone; its follower reads the files.
  }
}
