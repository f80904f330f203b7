import { batch, effect, signal } from "@preact/signals";
import type { PlacedMessage } from "../../../src/schema/trajectoryView";
import { formatCount } from "../../../src/words/format";
import { modelOf } from "../models";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { oneModel } from "./model";
import { jsonText } from "./values";

const AT_ONCE = 20;
const TEXT = 40_000;
const SLICE = 200_000;
const MOST = 5000;
const TYPING_MS = 150;

/** Where a text was found: a message, and how often in it. */
export interface Found {
  readonly position: number;
  readonly times: number;
}

/** Finds a text in the shown trajectory, message by message; nothing but where it stands is kept. */
export class FindModel {
  readonly open = signal(false);
  readonly text = signal("");
  readonly found = signal<readonly Found[]>([]);
  readonly at = signal(-1);
  readonly searched = signal<{ readonly done: number; readonly of: number } | null>(null);
  readonly #viewer: Viewer;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    let shown = "";
    effect(() => {
      const { index, branch } = viewer.state.value;
      const now = `${String(index)}/${branch}`;
      if (now === shown) return;
      shown = now;
      this.#abort.abort();
      this.found.value = [];
      this.at.value = -1;
      this.searched.value = null;
      if (this.open.peek() && this.text.peek() !== "") this.type(this.text.peek());
    });
  }

  show(): void {
    this.open.value = true;
    requestAnimationFrame(() => {
      const input = document.getElementById("find");
      if (input instanceof HTMLInputElement) {
        input.focus();
        input.select();
      }
    });
  }

  close(): void {
    this.#abort.abort();
    batch(() => {
      this.open.value = false;
      this.searched.value = null;
      this.found.value = [];
      this.at.value = -1;
    });
    document.getElementById("conversation")?.focus();
  }

  type(text: string): void {
    this.text.value = text;
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#search(text), TYPING_MS);
  }

  async step(by: 1 | -1): Promise<void> {
    const all = this.found.value;
    const { t, language } = this.#viewer.speech.value;
    if (all.length === 0) {
      this.#viewer.say(t("Not found."));
      return;
    }
    const to = (this.at.value + by + all.length) % all.length;
    this.at.value = to;
    const hit = all[to];
    if (hit) oneModel(this.#viewer).goTo(hit.position);
    this.#viewer.say(
      t(
        "Message {0}, {1} of {2} messages",
        formatCount((hit?.position ?? 0) + 1, language),
        to + 1,
        all.length,
      ),
    );
    await Promise.resolve();
  }

  async #search(text: string): Promise<void> {
    const { index, branch } = this.#viewer.state.value;
    batch(() => {
      this.found.value = [];
      this.at.value = -1;
      this.searched.value = null;
    });
    if (text === "" || index === null) return;
    const abort = new AbortController();
    this.#abort = abort;
    const wanted = text.toLowerCase();
    const model = oneModel(this.#viewer);
    const start = model.onScreen.value.first;
    try {
      for (let from = 0, of = 1; from < of && this.found.value.length < MOST; from += AT_ONCE) {
        const answer = await this.#viewer.connection.data.messages(
          { index, branch, from, count: AT_ONCE, maxText: TEXT },
          { signal: abort.signal, timeoutMs: TIMEOUT_MS },
        );
        of = answer.total;
        const hits: Found[] = [];
        for (const message of answer.messages) {
          const times = await this.#timesIn(message, wanted, index, branch, abort.signal);
          if (times > 0) hits.push({ position: message.position, times });
        }
        if (abort.signal.aborted) return;
        const firstHits = this.at.value === -1;
        batch(() => {
          this.found.value = [...this.found.value, ...hits];
          this.searched.value = { done: Math.min(of, from + AT_ONCE), of };
        });
        // To the first one from where the reader is, without waiting for the rest.
        const next = this.found.value.findIndex(({ position }) => position >= start);
        if (firstHits && next !== -1) {
          this.at.value = next;
          model.goTo(this.found.value[next]?.position ?? 0);
        }
      }
      if (this.at.value === -1 && this.found.value.length > 0) await this.step(1);
      else if (this.found.value.length === 0) this.#viewer.say(this.#viewer.t("Not found."));
    } catch (error) {
      if (!abort.signal.aborted) this.#viewer.fail(error);
    }
  }

  async #timesIn(
    message: PlacedMessage,
    wanted: string,
    index: number,
    branch: number,
    signal: AbortSignal,
  ): Promise<number> {
    let times = textsOf(message).reduce((sum, one) => sum + count(one, wanted), 0);
    for (const { what, length } of message.cut) {
      // What lies on a border is found by letting slices overlap.
      for (let from = 0; from < length && !signal.aborted; from += SLICE) {
        const { text } = await this.#viewer.connection.data.text(
          { place: { index, branch, message: message.position, what }, from, length: SLICE + wanted.length },
          { signal, timeoutMs: TIMEOUT_MS },
        );
        times += count(text, wanted);
      }
    }
    return times;
  }
}

/** Texts of a message that came whole. */
export function textsOf(message: PlacedMessage): string[] {
  const cut = new Set(message.cut.map(({ what }) => what));
  const all: [what: string, text: string | null][] = [
    ...message.parts.map((part, at): [string, string | null] => [
      `part:${at}`,
      part.type === "text" ? part.text : part.type === "image" ? part.address : jsonText(part.value),
    ]),
    ["reasoning", message.reasoning],
    ["error", message.error],
    ...message.calls.map((call, at): [string, string] => [
      `call:${at}`,
      `${call.name} ${call.raw ?? jsonText(call.arguments)}`,
    ]),
  ];
  return all.flatMap(([what, text]) => (text === null || cut.has(what) ? [] : [text]));
}

export function count(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  let times = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) times++;
  return times;
}

export const findModel = modelOf((viewer) => new FindModel(viewer));
