import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Logger } from "../../core/ports";
import { systemClock } from "../clock";
import { byteSearch } from "./byteSearch";
import { trajectoryFiles } from "./files";
import { inProcessIndexer } from "./inProcess";
import { fileSpill } from "./spill";
import { summaryCache } from "./summaryCache";
import { threadProgram, threadedIndexer } from "./threads";

/** All that a store of trajectories needs, in this process: nothing is kept on disk. */
export function inProcessPorts(log: Pick<Logger, "warn">) {
  return {
    files: trajectoryFiles,
    indexer: inProcessIndexer(),
    search: byteSearch,
    spill: null,
    cache: null,
    now: () => systemClock.now(),
    turn: () => turn(),
    delay: (ms: number, signal?: AbortSignal) => systemClock.delay(ms, signal),
    warn: (text: string) => log.warn(text),
  };
}

/** For the engine: threads read, texts that are too much for memory lie in a file in `storage` meanwhile, and summaries
 * of large files are kept there. */
export function enginePorts(log: Pick<Logger, "warn">, storage: string) {
  const program = threadProgram();
  const ports = inProcessPorts(log);
  const spill = () => fileSpill(storage);
  if (program === null) return { ...ports, spill };
  return {
    ...ports,
    indexer: threadedIndexer(program),
    spill,
    cache: summaryCache(join(storage, "trajectories"), versionOf(program)),
  };
}

/** Of the program that summarises: its text names its parts by what is in them. */
function versionOf(program: string): string {
  return createHash("sha256").update(readFileSync(program)).digest("hex");
}
