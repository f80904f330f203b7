import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import * as z from "zod";
import { ProcessMark } from "../../schema/run";
import { errorCode } from "../systemErrors";
import { paths } from "./layout";

/** `process/job.json`: written before the job is started (without mark) and right after. */
export const JobFile = z.object({
  token: z.string(),
  /** Pipe that the job's output goes through; null: through its parent's own descriptors. */
  pipe: z.string().nullable(),
  /** The job's parent, which takes its output and sees its end. */
  keeper: ProcessMark,
  mark: ProcessMark.nullable(),
});
export type JobFile = z.infer<typeof JobFile>;

/** `process/exit.json`: how the job ended, as its parent saw it. Blank until then. */
export const ExitFile = z.object({
  code: z.int().nullable(),
  signal: z.int().nullable(),
  memoryKill: z.boolean(),
  at: z.number(),
});
export type ExitFile = z.infer<typeof ExitFile>;

/** What a keeper tells its supervisor, a line each. */
export const KeeperLine = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("failed"), code: z.string().nullable(), text: z.string() }),
  z.object({ kind: z.literal("started"), mark: ProcessMark }),
  z.object({ kind: z.literal("exited"), exit: ExitFile }),
  /** Null: the job's output can be written (again). */
  z.object({
    kind: z.literal("output"),
    problem: z.enum(["disk-full", "not-written"]).nullable(),
    text: z.string(),
  }),
]);
export type KeeperLine = z.infer<typeof KeeperLine>;

export async function readJobFile(folder: string): Promise<JobFile | null> {
  try {
    return JobFile.parse(JSON.parse(await readFile(paths.job(folder), "utf8")));
  } catch {
    return null;
  }
}

/** Null: nobody saw the end, or not yet. */
export function readExitFile(folder: string): ExitFile | null {
  try {
    return ExitFile.parse(JSON.parse(readFileSync(paths.exit(folder), "utf8")));
  } catch {
    return null;
  }
}

const EXIT_BYTES = 512;

/** Takes the room on the disk now: the end must be known also when the disk is full by then. */
export async function reserveExit(folder: string): Promise<void> {
  await writeFile(paths.exit(folder), " ".repeat(EXIT_BYTES));
}

/** Over the blanks, in place, in one write. */
export function writeExit(folder: string, exit: ExitFile): void {
  try {
    const file = openSync(paths.exit(folder), "r+");
    try {
      writeSync(file, JSON.stringify(exit), 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // The folder is gone, or the disk refuses: the supervisor is told through its pipe as well.
    if (errorCode(error) === undefined) throw error;
  }
}
