import { Emitter } from "../base/event";
import type { Channel } from "../protocol/rpc";
import { workerFolder } from "./compose";
import { Engine } from "./engine";

/**
 * The engine as a process: a child of the extension host, talking over Node's own channel. It ends, and its tree with
 * it, when the host goes: polite (`disconnect`, SIGTERM) or not (the channel closes all the same).
 */
function start(): void {
  if (process.send === undefined) {
    process.stderr.write("The engine is started by the extension; use `rewardsmith` on the command line.\n");
    process.exitCode = 2;
    return;
  }
  const messages = new Emitter<unknown>();
  const closed = new Emitter<void>();
  const channel: Channel = {
    post: (message) => {
      // A host that went meanwhile is told by `disconnect`; a message to it is lost, not an error.
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
    },
    onMessage: messages.event,
    onClose: closed.event,
  };
  const engine = new Engine(channel, workerFolder(import.meta.url));
  process.on("message", (message: unknown) => messages.fire(message));

  const end = (): void => {
    closed.fire();
    void engine.end().finally(() => process.exit(0));
    // Whatever hangs must not keep the process: its children die with it.
    setTimeout(() => process.exit(1), 5000).unref();
  };
  process.once("disconnect", end);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
}

start();
