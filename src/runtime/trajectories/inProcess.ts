import { RewardsmithError } from "../../base/errors";
import { indexFile, type Indexer, type LineOffsets } from "../../formats/trajectories/indexing";
import { openFileAccess } from "../fileAccess";
import { countLines } from "./lineOffsets";

/** Indexes in this process: for the command line, and where no thread can be had. */
export function inProcessIndexer(): Indexer {
  const closed = new AbortController();
  const both = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, closed.signal]);
  return {
    async index(job, onEvent, signal) {
      const access = await openFileAccess(job.path);
      try {
        return await indexFile(access, job, onEvent, both(signal));
      } finally {
        await access.close();
      }
    },
    async offsets(path, onProgress, signal): Promise<LineOffsets> {
      const access = await openFileAccess(path);
      try {
        return await countLines(access, onProgress, both(signal));
      } finally {
        await access.close();
      }
    },
    dispose: () => closed.abort(new RewardsmithError("Disposed", "the indexer was closed")),
  };
}
