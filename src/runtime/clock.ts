import { RewardsmithError } from "../base/errors";
import type { Clock } from "../core/ports";

/** `delay` rejects with `Cancelled` as soon as its signal is aborted. */
export const systemClock: Clock = {
  now: () => performance.now(),
  delay(ms, signal) {
    return new Promise((resolve, reject) => {
      const cancelled = (): void => {
        clearTimeout(timer);
        reject(new RewardsmithError("Cancelled", "cancelled while waiting"));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", cancelled);
        resolve();
      }, ms);
      if (signal?.aborted) cancelled();
      else signal?.addEventListener("abort", cancelled, { once: true });
    });
  },
};
