import { parentPort } from "node:worker_threads";
import { RewardsmithError, toRewardsmithError } from "../../base/errors";
import { buffersOf } from "../../core/trajectories/batch";
import type { IndexEvent } from "../../formats/trajectories/indexing";
import { inProcessIndexer } from "./inProcess";
import { ThreadAsk } from "./threadMessages";

/** A thread that goes through files for the main one. */
const port = parentPort;
if (!port) throw new Error("this program is a thread of another");
const indexer = inProcessIndexer();
const running = new Map<number, AbortController>();

port.on("message", (message: unknown) => {
  const ask = ThreadAsk.parse(message);
  if (ask.kind === "cancel") {
    running.get(ask.id)?.abort(new RewardsmithError("Cancelled", "cancelled"));
    return;
  }
  const stop = new AbortController();
  running.set(ask.id, stop);
  void answer(ask, stop.signal).finally(() => running.delete(ask.id));
});

async function answer(ask: Exclude<ThreadAsk, { kind: "cancel" }>, signal: AbortSignal): Promise<void> {
  const { id } = ask;
  try {
    const position = await indexer.index(ask.job, (event) => tellEvent(id, event), signal);
    port?.postMessage({ kind: "indexed", id, position });
  } catch (error) {
    const { code, message, detail } = toRewardsmithError(error);
    port?.postMessage({ kind: "failed", id, code, message, detail });
  }
}

function tellEvent(id: number, event: IndexEvent): void {
  const buffers = event.kind === "batch" ? buffersOf(event.batch) : [];
  port?.postMessage(
    { kind: "event", id, event },
    buffers.filter((buffer) => buffer instanceof ArrayBuffer),
  );
}
