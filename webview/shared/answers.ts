import { type ReadonlySignal, signal } from "@preact/signals";
import * as z from "zod";
import type { Event } from "../../src/base/event";
import type { Channel } from "../../src/protocol/rpc";

/** Longer than a host that is alive is ever busy; each wait starts anew with every message. */
const QUIET_MS = 10_000;
const Frame = z.object({ k: z.string(), id: z.number().optional() });

/**
 * A channel that notices when nobody is at its other end. There is no beat: only while a question is open and nothing at
 * all comes for `quietMs`, something is asked that is answered at once; when that stays open as long, `gone` is true,
 * until a message comes.
 */
export class WatchedChannel implements Channel {
  readonly onMessage: Event<unknown>;
  readonly onClose: Event<void>;
  readonly #gone = signal(false);
  readonly gone: ReadonlySignal<boolean> = this.#gone;
  /** Asks what is answered at once; set by whoever knows the contract. */
  probe: () => void = () => undefined;
  readonly #channel: Channel;
  readonly #quietMs: number;
  readonly #open = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #probing = false;

  constructor(channel: Channel, quietMs = QUIET_MS) {
    this.#channel = channel;
    this.#quietMs = quietMs;
    this.onMessage = channel.onMessage;
    this.onClose = channel.onClose;
    channel.onMessage((message) => this.#heard(message));
  }

  post(message: unknown): void {
    const { data } = Frame.safeParse(message);
    if (data?.id !== undefined) {
      if (data.k === "req") this.#open.add(data.id);
      else if (data.k === "cancel") this.#open.delete(data.id);
    }
    this.#channel.post(message);
    if (this.#open.size > 0 && this.#timer === undefined && !this.#gone.value) this.#wait();
  }

  #heard(message: unknown): void {
    const { data } = Frame.safeParse(message);
    if (data?.id !== undefined && data.k !== "req") this.#open.delete(data.id);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#probing = false;
    this.#gone.value = false;
    if (this.#open.size > 0) this.#wait();
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // Answered, or given up, with nothing open behind it.
      if (this.#open.size === 0) this.#probing = false;
      else if (this.#probing) {
        this.#probing = false;
        this.#gone.value = true;
      } else {
        this.#probing = true;
        this.#wait();
        this.probe();
      }
    }, this.#quietMs);
  }
}
