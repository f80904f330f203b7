// @ts-check
// Loaded before a program (`node --import`): says on descriptor 4 how long its main thread was kept from a timer, one
// `when length` a line, both in milliseconds; `when` is Unix time.
import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const EVERY_MS = 4;
const TOLD_FROM_MS = 12;

if (isMainThread) {
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    const late = now - last - EVERY_MS;
    last = now;
    if (late < TOLD_FROM_MS) return;
    try {
      writeSync(4, `${(performance.timeOrigin + now).toFixed(1)} ${late.toFixed(1)}\n`);
    } catch {
      // Nobody listens any more.
    }
  }, EVERY_MS).unref();
}
