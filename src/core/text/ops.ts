import type { TextChange } from "../../schema/text";

/**
 * A change list: its changes are all in the text before it, ascending, and no two touch, so that the list has one
 * meaning whatever order it is applied in. Offsets and lengths are UTF-16 units.
 */
export type Changes = readonly TextChange[];

export const NO_CHANGES: Changes = [];

/** A stretch of a change list: `keep` and `drop` go over text that was there, `add` brings new text. */
type Step =
  | { readonly kind: "keep" | "drop"; readonly length: number }
  | { readonly kind: "add"; readonly text: string };

/** Walks a change list step by step, parts of steps as well. Behind the last change everything is kept. */
class Walk {
  readonly #steps: Step[] = [];
  #next = 0;
  #head: Step | null = null;

  constructor(changes: Changes) {
    let at = 0;
    for (const { offset, length, text } of changes) {
      if (offset > at) this.#steps.push({ kind: "keep", length: offset - at });
      // Before the drop: at one place, what is added stands before what somebody else adds inside the dropped part.
      if (text !== "") this.#steps.push({ kind: "add", text });
      if (length > 0) this.#steps.push({ kind: "drop", length });
      at = offset + length;
    }
    this.#head = this.#steps[0] ?? null;
    this.#next = 1;
  }

  get head(): Step | null {
    return this.#head;
  }

  /** Length of the step at hand; Infinity behind the last. */
  get length(): number {
    const head = this.#head;
    return head === null ? Infinity : head.kind === "add" ? head.text.length : head.length;
  }

  advance(by: number): void {
    const head = this.#head;
    if (head === null || by === 0) return;
    if (by >= this.length) this.#head = this.#steps[this.#next++] ?? null;
    else if (head.kind === "add") this.#head = { kind: "add", text: head.text.slice(by) };
    else this.#head = { kind: head.kind, length: head.length - by };
  }
}

/** Puts steps together to a change list; what touches becomes one change. */
class Builder {
  readonly #changes: { offset: number; length: number; text: string }[] = [];
  #open: { offset: number; length: number; text: string } | null = null;
  #at = 0;

  keep(length: number): void {
    if (length === 0) return;
    this.#close();
    this.#at += length;
  }

  add(text: string): void {
    this.#touched().text += text;
  }

  drop(length: number): void {
    this.#touched().length += length;
    this.#at += length;
  }

  done(): Changes {
    this.#close();
    return this.#changes;
  }

  #touched(): { offset: number; length: number; text: string } {
    return (this.#open ??= { offset: this.#at, length: 0, text: "" });
  }

  #close(): void {
    const open = this.#open;
    this.#open = null;
    if (open && (open.length > 0 || open.text !== "")) this.#changes.push(open);
  }
}

/**
 * A change list from what an editor tells of: changes that follow each other, each in the text after the one before.
 * VS Code and Monaco list those of one edit from the end of the text to its start, where that makes no difference, and
 * several edits in one event one after the other, where it does.
 */
export function sequential(told: readonly TextChange[]): Changes {
  return told.reduce<Changes>(
    (all, { offset, length, text }) => compose(all, ordered([{ offset, length, text }]) ?? NO_CHANGES),
    NO_CHANGES,
  );
}

/**
 * A change list from changes that are all in the text before, in any order; of two insertions at one place the one that
 * is listed later stands before.
 * @returns null where changes overlap: such a list has no one meaning
 */
export function ordered(raw: readonly TextChange[]): Changes | null {
  const sorted = [...raw].reverse().sort((a, b) => a.offset - b.offset);
  const builder = new Builder();
  let at = 0;
  for (const { offset, length, text } of sorted) {
    if (offset < at) return null;
    builder.keep(offset - at);
    builder.add(text);
    builder.drop(length);
    at = offset + length;
  }
  return builder.done();
}

/** @throws RangeError where a change lies outside of the text */
export function applyChanges(text: string, changes: Changes): string {
  if (changes.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { offset, length, text: added } of changes) {
    if (offset + length > text.length)
      throw new RangeError(`change at ${offset} +${length} in a text of ${text.length}`);
    parts.push(text.slice(at, offset), added);
    at = offset + length;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/** One list that does what `first` and then `second` (in the text after `first`) do. */
export function compose(first: Changes, second: Changes): Changes {
  const a = new Walk(first);
  const b = new Walk(second);
  const out = new Builder();
  while (a.head !== null || b.head !== null) {
    if (a.head?.kind === "drop") {
      out.drop(a.length);
      a.advance(a.length);
    } else if (b.head?.kind === "add") {
      out.add(b.head.text);
      b.advance(b.length);
    } else {
      const length = Math.min(a.length, b.length);
      const drops = b.head?.kind === "drop";
      if (a.head?.kind === "add") {
        if (!drops) out.add(a.head.text.slice(0, length));
      } else if (drops) out.drop(length);
      else out.keep(length);
      a.advance(length);
      b.advance(length);
    }
  }
  return out.done();
}

/**
 * Two lists on the same text, each carried over the other: `theirs` then `mine` gives what `mine` then `theirs` gives.
 * Where both add at one place, theirs goes first. What one adds inside a part that the other drops stays.
 */
export function transform(
  mine: Changes,
  theirs: Changes,
): { readonly mine: Changes; readonly theirs: Changes } {
  const m = new Walk(mine);
  const t = new Walk(theirs);
  const overTheirs = new Builder();
  const overMine = new Builder();
  while (m.head !== null || t.head !== null) {
    if (t.head?.kind === "add") {
      overTheirs.keep(t.length);
      overMine.add(t.head.text);
      t.advance(t.length);
    } else if (m.head?.kind === "add") {
      overTheirs.add(m.head.text);
      overMine.keep(m.length);
      m.advance(m.length);
    } else {
      const length = Math.min(m.length, t.length);
      const mineDrops = m.head?.kind === "drop";
      const theirsDrops = t.head?.kind === "drop";
      if (mineDrops && !theirsDrops) overTheirs.drop(length);
      else if (theirsDrops && !mineDrops) overMine.drop(length);
      else if (!mineDrops) {
        overTheirs.keep(length);
        overMine.keep(length);
      }
      m.advance(length);
      t.advance(length);
    }
  }
  return { mine: overTheirs.done(), theirs: overMine.done() };
}

/** Where an offset of the text before lies in the text after; text added exactly there stands before it. */
export function mapOffset(offset: number, changes: Changes): number {
  let shift = 0;
  for (const change of changes) {
    if (change.offset > offset) break;
    if (change.offset + change.length > offset) return change.offset + shift + change.text.length;
    shift += change.text.length - change.length;
  }
  return offset + shift;
}

/**
 * The change from one text to another without what they begin and end with in common. Never cuts a surrogate pair or
 * the two characters of a line end apart: an editor can't place a change there.
 */
export function difference(before: string, after: string): Changes {
  if (before === after) return NO_CHANGES;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  while (start > 0 && (splits(before, start) || splits(after, start))) start--;
  let end = 0;
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  while (end > 0 && (splits(before, before.length - end) || splits(after, after.length - end))) end--;
  return [
    { offset: start, length: before.length - end - start, text: after.slice(start, after.length - end) },
  ];
}

/** The same effect on `text` with each change as small as {@link difference} makes it: a formatter replaces everything. */
export function smaller(text: string, changes: Changes): Changes {
  const builder = new Builder();
  let at = 0;
  for (const { offset, length, text: added } of changes) {
    for (const part of difference(text.slice(offset, offset + length), added)) {
      builder.keep(offset + part.offset - at);
      builder.add(part.text);
      builder.drop(part.length);
      at = offset + part.offset + part.length;
    }
  }
  return builder.done();
}

function splits(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (before === 13 && after === 10) return true;
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** FNV-1a over UTF-16 units, 32 bits: enough to notice that two sides no longer have the same text. */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
