import { setImmediate as turn } from "node:timers/promises";
import type { Logger } from "../../core/ports";
import { systemClock } from "../clock";
import { byteSearch } from "./byteSearch";
import { trajectoryFiles } from "./files";
import { inProcessIndexer } from "./inProcess";
import { fileSpill } from "./spill";
import { threadProgram, threadedIndexer } from "./threads";

/** All that a store of trajectories needs, in this process: nothing is kept on disk. */
export function inProcessPorts(log: Pick<Logger, "warn">) {
  return {
    files: trajectoryFiles,
    indexer: inProcessIndexer(),
    search: byteSearch,
    spill: null,
    now: () => systemClock.now(),
    turn: () => turn(),
    delay: (ms: number, signal?: AbortSignal) => systemClock.delay(ms, signal),
    warn: (text: string) => log.warn(text),
  };
}

/** For the engine: threads read, and texts that are too much for memory lie in a file in `storage` meanwhile. */
export function enginePorts(log: Pick<Logger, "warn">, storage: string) {
  const program = threadProgram();
  const ports = inProcessPorts(log);
  return {
    ...ports,
    indexer: program === null ? ports.indexer : threadedIndexer(program),
    spill: () => fileSpill(storage),
  };
}
