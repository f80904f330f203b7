import { RewardsmithError } from "../../base/errors";
import { indexFile, type Indexer } from "../../formats/trajectories/indexing";
import { openFileAccess } from "../fileAccess";

/** Indexes in this process: for the command line, and where no thread can be had. */
export function inProcessIndexer(): Indexer {
  const closed = new AbortController();
  return {
    async index(job, onEvent, signal) {
      const access = await openFileAccess(job.path);
      try {
        return await indexFile(access, job, onEvent, AbortSignal.any([signal, closed.signal]));
      } finally {
        await access.close();
      }
    },
    dispose: () => closed.abort(new RewardsmithError("Disposed", "the indexer was closed")),
  };
}
