import { RewardsmithError } from "../../base/errors";
import { FileSource } from "./fileSource";
import type { StorePorts } from "./ports";
import type { TrajectorySource, TrajectoryStore } from "./source";

export type TrajectoryStoreOptions = StorePorts;

interface Held {
  readonly source: FileSource;
  holders: number;
}

/**
 * Sources by path. Ports (`ports.ts`; for Node all of them from `runtime/trajectories/ports.ts`, which makes them for
 * the engine with threads and a cache, and in process for the command line and tests): `files` open, stat and list;
 * `indexer` goes through a file and posts summaries; `search` finds a text in bytes; `spill` is where texts go that are
 * too much for memory; `now`, `turn` and `delay` are the clock; `warn` is the log.
 */
export function createTrajectoryStore(options: TrajectoryStoreOptions): TrajectoryStore {
  const held = new Map<string, Held>();
  let disposed = false;
  const release = (path: string): void => {
    const one = held.get(path);
    if (!one || --one.holders > 0) return;
    held.delete(path);
    one.source.dispose();
  };
  return {
    async open(path): Promise<TrajectorySource> {
      if (disposed) throw new RewardsmithError("Disposed", "the store is closed");
      const one = held.get(path) ?? { source: new FileSource(path, options), holders: 0 };
      held.set(path, one);
      one.holders++;
      try {
        await one.source.opened();
        return one.source;
      } catch (error) {
        release(path);
        throw error;
      }
    },
    release,
    dispose() {
      disposed = true;
      for (const { source } of held.values()) source.dispose();
      held.clear();
      options.indexer.dispose();
    },
  };
}
