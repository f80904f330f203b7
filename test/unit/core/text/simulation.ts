import { TextClient, type HostText } from "../../../../src/core/text/client";
import { applyChanges, type Changes, difference, ordered, textHash } from "../../../../src/core/text/ops";
import { UnsentEdits } from "../../../../src/schema/text";

/** Mulberry32: the same seed is the same run. */
export function generator(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type ToHost =
  { kind: "edit"; id: string; base: number; changes: Changes } | { kind: "undo" | "resync" | "hello" };
type ToView =
  | { kind: "document"; version: number; changes: Changes; own: boolean; hash: number }
  | { kind: "answer"; id: string; base: number; accepted: boolean; version: number }
  | { kind: "undone" }
  | { kind: "text" | "hello"; host: HostText };

const START = "def f(completions):\n    return [1.0 for c in completions]\n";

/** A page and a document with a slow bus between them; each step is one thing that may happen next. */
export class Simulation {
  readonly #random: () => number;
  hostText = START;
  #version = 1;
  #lastEdit: string | null = null;
  #session = "s0";
  readonly #undoStack: string[] = [];
  /** An edit that the editor is asked to apply; it compares versions only when it does. */
  #applying: Extract<ToHost, { kind: "edit" }> | null = null;
  readonly #held: ToView[] = [];
  readonly #toHost: ToHost[] = [];
  readonly #toView: ToView[] = [];
  #kept: unknown = null;
  #page = 0;
  #ids = 0;
  client: TextClient | null;
  viewText: string;
  #keys = 0;
  readonly gone = new Set<string>();

  constructor(seed: number) {
    this.#random = generator(seed);
    this.client = new TextClient(this.#ports(), this.#host());
    this.viewText = START;
  }

  get keys(): string[] {
    return Array.from({ length: this.#keys }, (_, i) => String.fromCharCode(0xe000 + i));
  }

  step(reloads: boolean): void {
    const at = this.#random();
    if (at < 0.3) this.#type();
    else if (at < 0.36) this.#delete();
    else if (at < 0.42) this.#native();
    else if (at < 0.45) this.#formatter();
    else if (at < 0.48) this.client?.undo(false);
    else if (at < 0.5) this.#change(START);
    else if (at < 0.51 && reloads) this.#reload();
    else this.#deliver();
  }

  drain(): void {
    for (let i = 0; i < 5000 && !(this.isQuiet && this.client?.isIdle === true); i++) this.#deliver();
  }

  get isQuiet(): boolean {
    return this.#toHost.length + this.#toView.length === 0 && this.#applying === null;
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #type(): void {
    if (!this.client) return;
    const places = new Set(
      Array.from({ length: 1 + this.#int(2) }, () => this.#int(this.viewText.length + 1)),
    );
    const raw = [...places]
      .sort((a, b) => b - a)
      .map((offset) => ({ offset, length: 0, text: String.fromCharCode(0xe000 + this.#keys++) }));
    this.#typed(ordered(raw) ?? []);
  }

  #delete(): void {
    if (!this.client || this.viewText.length === 0) return;
    const offset = this.#int(this.viewText.length);
    const length = Math.min(1 + this.#int(6), this.viewText.length - offset);
    const replaced = this.#random() < 0.3 ? String.fromCharCode(0xe000 + this.#keys++) : "";
    this.#lose(this.viewText.slice(offset, offset + length));
    this.#typed([{ offset, length, text: replaced }]);
  }

  #typed(changes: Changes): void {
    this.viewText = applyChanges(this.viewText, changes);
    this.client?.typed(changes, this.#int(3));
  }

  #native(): void {
    const offset = this.#int(this.hostText.length + 1);
    const length = Math.min(this.#int(4), this.hostText.length - offset);
    this.#edit([{ offset, length, text: "n".repeat(this.#int(3)) }], false);
  }

  /** Replaces the whole document by one that differs in its spaces. */
  #formatter(): void {
    const text = this.hostText.replace(/n/gu, " n").replace(/ {3}/gu, " ");
    this.#edit([{ offset: 0, length: this.hostText.length, text }], false);
  }

  /** A checkout or a revert: all at once, as the editor reloads a file. */
  #change(text: string): void {
    this.#edit(difference(this.hostText, text), false);
  }

  #edit(changes: Changes, own: boolean, remember = true): void {
    const before = this.hostText;
    for (const { offset, length, text } of changes)
      for (const key of before.slice(offset, offset + length)) if (!text.includes(key)) this.gone.add(key);
    if (remember) this.#undoStack.push(before);
    this.hostText = applyChanges(before, changes);
    this.#version += 1;
    const event: ToView = {
      kind: "document",
      version: this.#version,
      changes,
      own,
      hash: textHash(this.hostText),
    };
    if (this.#applying) this.#held.push(event);
    else this.#toView.push(event);
  }

  #lose(text: string): void {
    for (const key of text) this.gone.add(key);
  }

  /** The page is thrown away at any moment; what it had posted still arrives. */
  #reload(): void {
    this.client = null;
    this.#toView.length = 0;
    this.#page += 1;
    this.#toHost.push({ kind: "hello" });
  }

  #deliver(): void {
    const at = this.#random();
    if (this.#applying && at < 0.4) return this.#finish();
    if (at < 0.7) {
      if (!this.#applying) this.#atHost();
      return;
    }
    this.#atView();
  }

  #atHost(): void {
    const message = this.#toHost.shift();
    if (!message) return;
    if (message.kind === "edit") {
      if (message.id === this.#lastEdit)
        this.#toView.push({ kind: "answer", ...request(message), accepted: true, version: this.#version });
      else if (message.base !== this.#version)
        this.#toView.push({ kind: "answer", ...request(message), accepted: false, version: this.#version });
      else this.#applying = message;
    } else if (message.kind === "undo") {
      const before = this.#undoStack.pop();
      if (before !== undefined) this.#edit(difference(this.hostText, before), false, false);
      this.#toView.push({ kind: "undone" });
    } else if (message.kind === "hello") this.#toView.push({ kind: "hello", host: this.#host() });
    else this.#toView.push({ kind: "text", host: this.#host() });
  }

  #finish(): void {
    const message = this.#applying;
    if (!message) return;
    const accepted = message.base === this.#version;
    this.#applying = null;
    this.#toView.push(...this.#held.splice(0));
    if (accepted) {
      this.#lastEdit = message.id;
      this.#edit(message.changes, true);
    }
    this.#toView.push({ kind: "answer", ...request(message), accepted, version: this.#version });
  }

  #atView(): void {
    const message = this.#toView.shift();
    if (!message) return;
    if (message.kind === "hello") return this.#greeted(message.host);
    const { client } = this;
    if (!client) return;
    if (message.kind === "document") client.received(message);
    else if (message.kind === "answer") client.answered(message, message.accepted, message.version);
    else if (message.kind === "undone") client.undone();
    else client.restart(message.host);
  }

  #greeted(host: HostText): void {
    const kept = UnsentEdits.nullable().parse(structuredClone(this.#kept));
    const client = new TextClient(this.#ports(), host);
    this.client = client;
    if (kept) client.resume(kept, host);
    this.viewText = client.text;
  }

  #host(): HostText {
    return { version: this.#version, text: this.hostText, session: this.#session, lastEdit: this.#lastEdit };
  }

  #ports() {
    const page = this.#page;
    const mine = (): boolean => page === this.#page;
    return {
      newId: () => `e${this.#ids++}`,
      edit: ({ id, base, changes }: { id: string; base: number; changes: Changes }) =>
        void this.#toHost.push({ kind: "edit", id, base, changes: structuredClone(changes) }),
      undo: () => void this.#toHost.push({ kind: "undo" }),
      refused: () => {
        throw new Error("refused though nothing stood in the way");
      },
      resync: () => void this.#toHost.push({ kind: "resync" }),
      apply: (changes: Changes) => {
        if (mine()) this.viewText = applyChanges(this.viewText, changes);
      },
      keep: (unsent: UnsentEdits | null) => {
        if (mine()) this.#kept = unsent;
      },
    };
  }
}

const request = ({ id, base }: { id: string; base: number }) => ({ id, base });
