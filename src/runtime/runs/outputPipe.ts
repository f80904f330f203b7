import { closeSync, constants, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { runCommand } from "../command";

/**
 * A named pipe between the job and its keeper. The job holds it open for reading *and* writing, so that it gets no
 * SIGPIPE and nothing in the pipe is lost when the keeper dies; the next keeper reads on. It lies outside the run's
 * folder: whoever searches that folder's files must not hang on it, or take lines from it.
 */
export interface OutputPipe {
  readonly path: string;
  /** For the job: blocking, read-write. Closed here once the job has its own. */
  readonly jobEnd: number;
  /** Ends when the last process that has the job's end is gone. */
  readonly output: Socket;
}

export async function makeOutputPipe(token: string): Promise<OutputPipe | null> {
  if (process.platform === "win32") return null;
  let path: string;
  try {
    path = join(privateFolder(), `${token}.out`);
    if ((await runCommand("mkfifo", ["-m", "600", path])).code !== 0) return null;
  } catch {
    // No `mkfifo`, or a file system without pipes.
    return null;
  }
  const jobEnd = openSync(path, constants.O_RDWR);
  return { path, jobEnd, output: readEnd(path) };
}

/** The pipe of a job that lost its keeper: by its name, or where that was tidied away through the job's own descriptor. */
export function reopenOutput(path: string, pid: number): Socket | null {
  for (const one of [path, `/proc/${pid}/fd/1`, `/proc/${pid}/fd/2`]) {
    try {
      if (statSync(one).isFIFO()) return readEnd(one);
    } catch {
      // The next way.
    }
  }
  return null;
}

function readEnd(path: string): Socket {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd: descriptor, readable: true, writable: false });
}

export function closeJobEnd(pipe: OutputPipe): void {
  closeSync(pipe.jobEnd);
}

export function removePipe(path: string): void {
  rmSync(path, { force: true });
}

/** Of this user alone. */
function privateFolder(): string {
  const { uid } = userInfo();
  const folder = join(process.env["XDG_RUNTIME_DIR"] ?? tmpdir(), `rewardsmith-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = statSync(folder);
  if (found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new Error(`${folder} belongs to somebody else, or others may look into it`);
  return folder;
}
