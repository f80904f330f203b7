import type { UnsentEdits } from "../../schema/text";
import {
  applyChanges,
  type Changes,
  compose,
  difference,
  mapOffset,
  NO_CHANGES,
  smaller,
  textHash,
  transform,
} from "./ops";

/** A change list that waits to be sent, or was sent and isn't answered. */
interface Edit {
  readonly kind: "edit";
  /** Unique over reloads of the page: how it is known again. */
  readonly id: string;
  readonly word: number;
  changes: Changes;
}
interface Undo {
  readonly kind: "undo";
  readonly redo: boolean;
}
type Entry = Edit | Undo;

export interface HostText {
  readonly version: number;
  readonly text: string;
  /** Names the host's side of this view: a new one has never heard of this page's edits. */
  readonly session: string;
  /** Id of the last edit that it accepted in this session. */
  readonly lastEdit: string | null;
}

export interface HostChange {
  readonly version: number;
  readonly changes: Changes;
  readonly own: boolean;
  /** Hash of the host's text after it. */
  readonly hash: number | null;
}

export interface EditRequest {
  readonly id: string;
  readonly base: number;
  readonly word: number;
  readonly changes: Changes;
}

/** What the client needs from the page. Answers come back as `answered`, `undone`, `failed`, `received`, `restart`. */
export interface ClientPorts {
  newId(): string;
  edit(request: EditRequest): void;
  undo(redo: boolean): void;
  /** The host took nothing though nothing stood in the way (a file that can't be written): `retry` asks again. */
  refused(): void;
  /** Asks for the whole text: the two sides aren't the same any more, or it isn't known whether they are. */
  resync(): void;
  /** Somebody else's changes, for the view's text. `undo`: what the user asked to take back or bring back. */
  apply(changes: Changes, because: "other" | "undo"): void;
  /** What a reload must not lose; null: nothing. */
  keep(unsent: UnsentEdits | null): void;
}

/** Above this a reload keeps hashes of the text instead of the text. */
const MOST_KEPT = 300_000;

/**
 * The view's half of editing a document that others edit too. The host's text at `version` is the truth; what the user
 * typed since stands in a queue on top of it: one entry in flight, the later ones behind it, edits of one word as one.
 *
 * * The host takes an edit only if its base is the document's version, so an entry in flight is either applied as it is
 *   or not at all, and it is never applied to a text that the view has not seen.
 * * Changes of others are carried over the queue (the host's text first at one place), and the queue over them; the view
 *   gets them as they look on top of the queue.
 * * `own` events, not answers, say that an edit was applied: events come in the order of versions.
 * * An undo is an entry like others, so keys typed before it are undone with it and those after it aren't.
 *
 * **Reload.** What is unsent or unanswered is kept with the ids of its edits. The edit in flight was posted before the
 * new page's hello, and the host answers hello only when no edit is being applied: so by then it was applied or refused,
 * and `lastEdit` says which. Where the host's side is a new one (window reload) only the text can decide: equal to the
 * text after the edit, or nearer to it than to the text before it, counts as applied.
 */
export class TextClient {
  readonly #ports: ClientPorts;
  #session: string;
  /** The host's text at `#version`. */
  #text: string;
  #version: number;
  #flight: { readonly entry: Entry; base: number } | null = null;
  #queue: Entry[] = [];
  /** Waits for the whole text: nothing is sent until then. */
  #lost = false;
  readonly #waiting: (() => void)[] = [];

  constructor(ports: ClientPorts, host: HostText) {
    this.#ports = ports;
    this.#text = host.text;
    this.#version = host.version;
    this.#session = host.session;
  }

  get version(): number {
    return this.#version;
  }

  /** The view's text: the host's with everything that isn't there yet. */
  get text(): string {
    return applyChanges(this.#text, this.#mine());
  }

  /** Everything that was typed is in the document. */
  get isIdle(): boolean {
    return this.#flight === null && this.#queue.length === 0 && !this.#lost;
  }

  /** Offset in the host's text at `version` → in the view's. */
  toView(offset: number): number {
    return mapOffset(offset, this.#mine());
  }

  /** The host's text at `version`: what line numbers of the host are about. */
  get hostText(): string {
    return this.#text;
  }

  /** Resolves when everything typed so far is in the document. */
  settled(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The user's changes, already in the view's text. Edits of one `word` are undone together. */
  typed(changes: Changes, word: number): void {
    if (changes.length === 0) return;
    const last = this.#queue.at(-1);
    if (last?.kind === "edit" && last.word === word) last.changes = compose(last.changes, changes);
    else this.#queue.push({ kind: "edit", id: this.#ports.newId(), word, changes });
    this.#next();
  }

  undo(redo: boolean): void {
    this.#queue.push({ kind: "undo", redo });
    this.#next();
  }

  /** The document changed, as the host tells it. */
  received(event: HostChange): void {
    if (event.version <= this.#version || this.#lost) return;
    const flight = this.#flight;
    const acknowledges = event.own && flight?.entry.kind === "edit";
    const theirs = acknowledges ? flight.entry.changes : smaller(this.#text, event.changes);
    const text = fits(this.#text, theirs) ? applyChanges(this.#text, theirs) : null;
    if (text === null || (event.hash !== null && event.hash !== textHash(text))) return this.#resync();
    this.#text = text;
    this.#version = event.version;
    if (acknowledges) {
      this.#flight = null;
      return this.#next();
    }
    const onTop = this.#carry(theirs);
    if (onTop.length > 0) this.#ports.apply(onTop, flight?.entry.kind === "undo" ? "undo" : "other");
    this.#keep();
  }

  /** The answer to an edit that was sent against `base`; `version` is the document's by then. */
  answered({ id, base }: Pick<EditRequest, "id" | "base">, accepted: boolean, version: number): void {
    const flight = this.#flight;
    if (flight?.entry.kind !== "edit" || flight.entry.id !== id || flight.base !== base || this.#lost) return;
    // Accepted: its event was here before, or comes.
    if (accepted) return;
    if (version > this.#version) this.#resync();
    else if (base === this.#version) this.#ports.refused();
    else this.#send(flight.entry);
  }

  /** Sends again what was refused. */
  retry(): void {
    if (this.#flight?.entry.kind === "edit" && !this.#lost) this.#send(this.#flight.entry);
  }

  /** The host has carried out the undo that was asked for. */
  undone(): void {
    if (this.#flight?.entry.kind !== "undo") return;
    this.#flight = null;
    this.#next();
  }

  /** A request ended without an answer: whether it was carried out, the whole text tells. */
  failed(): void {
    if (this.#flight) this.#resync();
  }

  /** The document's whole text: after `resync`, or because it was replaced. What isn't in it yet is put on top. */
  restart(host: HostText): void {
    const before = this.text;
    const flight = this.#flight;
    this.#flight = null;
    this.#lost = false;
    if (flight?.entry.kind === "edit") {
      if (flight.entry.id === host.lastEdit) this.#text = applyChanges(this.#text, flight.entry.changes);
      else this.#queue.unshift(flight.entry);
    }
    this.#carry(difference(this.#text, host.text));
    this.#text = host.text;
    this.#version = host.version;
    this.#session = host.session;
    const onTop = difference(before, this.text);
    if (onTop.length > 0) this.#ports.apply(onTop, "other");
    this.#next();
  }

  /**
   * After a reload: puts what the last page had not got into the document on top of the text. Call it before anything
   * is typed; the view's text is `text` afterwards.
   */
  resume(kept: UnsentEdits, host: HostText): void {
    const edits = kept.edits.map((edit): Edit => ({ kind: "edit", ...edit }));
    const first = edits[0];
    let base = kept.text;
    let hash = kept.hash;
    if (first && kept.inFlight) {
      const after = base === null ? null : applyChanges(base, first.changes);
      const applied =
        kept.session === host.session ? first.id === host.lastEdit : isApplied(kept, after, host.text);
      if (applied) {
        edits.shift();
        base = after;
        hash = kept.hashAfter;
      }
    }
    // Without the old text nobody knows what changed in between: only where nothing did, the rest still fits.
    if (base === null && hash !== textHash(host.text)) edits.length = 0;
    this.#queue = edits;
    if (base !== null) this.#carry(difference(base, host.text));
    this.#next();
  }

  /** The queue's changes as one list on the host's text. */
  #mine(): Changes {
    let all = NO_CHANGES;
    for (const entry of this.#entries()) if (entry.kind === "edit") all = compose(all, entry.changes);
    return all;
  }

  #entries(): Entry[] {
    return this.#flight ? [this.#flight.entry, ...this.#queue] : this.#queue;
  }

  /** Carries the queue over changes of the host's text. @returns these as they look on top of the queue */
  #carry(theirs: Changes): Changes {
    let rest = theirs;
    for (const entry of this.#entries()) {
      if (entry.kind !== "edit") continue;
      const over = transform(entry.changes, rest);
      entry.changes = over.mine;
      rest = over.theirs;
    }
    return rest;
  }

  #next(): void {
    while (this.#flight === null && !this.#lost) {
      const entry = this.#queue.shift();
      if (!entry) break;
      // What others removed, or the user took back before it was sent, leaves nothing to send.
      if (entry.kind === "edit" && entry.changes.length === 0) continue;
      this.#flight = { entry, base: this.#version };
      if (entry.kind === "undo") this.#ports.undo(entry.redo);
      else this.#send(entry);
    }
    this.#keep();
    if (this.isIdle) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #send(entry: Edit): void {
    if (entry.changes.length === 0) {
      this.#flight = null;
      return this.#next();
    }
    this.#flight = { entry, base: this.#version };
    this.#keep();
    this.#ports.edit({ id: entry.id, base: this.#version, word: entry.word, changes: entry.changes });
  }

  #resync(): void {
    this.#lost = true;
    this.#keep();
    this.#ports.resync();
  }

  #keep(): void {
    const edits = this.#entries().flatMap((entry) =>
      entry.kind === "edit" ? [{ id: entry.id, word: entry.word, changes: [...entry.changes] }] : [],
    );
    const [first] = edits;
    if (!first) return this.#ports.keep(null);
    const inFlight = this.#flight?.entry.kind === "edit";
    this.#ports.keep({
      session: this.#session,
      version: this.#version,
      hash: textHash(this.#text),
      hashAfter: textHash(applyChanges(this.#text, first.changes)),
      text: this.#text.length <= MOST_KEPT ? this.#text : null,
      inFlight,
      edits,
    });
  }
}

const fits = (text: string, changes: Changes): boolean => {
  const last = changes.at(-1);
  return !last || last.offset + last.length <= text.length;
};

/** Whether a host that remembers nothing has the edit in its text: by equality, else by which text is nearer. */
function isApplied(kept: UnsentEdits, after: string | null, now: string): boolean {
  const hash = textHash(now);
  if (hash === kept.hash) return false;
  if (hash === kept.hashAfter) return true;
  if (kept.text === null || after === null) return true;
  return size(difference(after, now)) < size(difference(kept.text, now));
}

const size = (changes: Changes): number =>
  changes.reduce((sum, { length, text }) => sum + length + text.length, 0);
