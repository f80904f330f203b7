import { setImmediate as turn } from "node:timers/promises";
import type { Logger } from "../../core/ports";
import { systemClock } from "../clock";
import { byteSearch } from "./byteSearch";
import { trajectoryFiles } from "./files";
import { inProcessIndexer } from "./inProcess";

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
