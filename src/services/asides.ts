import { RewardsmithError } from "../base/errors";

/** Small runs beside a session's passes (one sample's way, a tried completion): a newer edit ends them all. */
export class Asides {
  readonly #running = new Set<AbortController>();

  /** Rejects with `Cancelled` once it was ended, whatever it came to. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    outer.addEventListener("abort", abort, { once: true });
    this.#running.add(controller);
    const { signal } = controller;
    try {
      const result = await work(signal);
      if (signal.aborted) throw new RewardsmithError("Cancelled", "a newer edit came");
      return result;
    } catch (error) {
      if (signal.aborted) throw new RewardsmithError("Cancelled", "a newer edit came");
      throw error;
    } finally {
      outer.removeEventListener("abort", abort);
      this.#running.delete(controller);
    }
  }

  end(): void {
    for (const controller of this.#running) controller.abort();
  }
}
