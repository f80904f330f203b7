import type { TextChange } from "../../src/schema/text";

const PAUSE_MS = 1000;
const LETTER = /[\p{L}\p{N}_]/u;

interface Last {
  readonly kind: "insert" | "delete";
  /** Where the caret was left. */
  readonly at: number;
  readonly time: number;
  readonly letters: boolean;
  readonly single: boolean;
}

/**
 * Numbers what one undo takes back. A word ends where a space or sign follows letters, where the caret jumped, after a
 * pause of a second, between typing and deleting; what was pasted or completed is one of its own.
 */
export class WordGroups {
  #word: number;
  #last: Last | null = null;

  /** @param first above every number of an earlier page, so that two pages' words are never one */
  constructor(first: number) {
    this.#word = first;
  }

  /** The next edit starts a word, whatever it is. */
  end(): void {
    this.#last = null;
  }

  /** @param told changes of one edit as Monaco lists them: from the end of the text to its start */
  next(told: readonly TextChange[], now: number): number {
    const change = told.at(-1);
    const last = this.#last;
    if (!change) return this.#word;
    const kind = change.text === "" ? "delete" : "insert";
    const single = told.length === 1;
    const typed = kind === "insert" && change.length === 0 && change.text.length <= 2;
    const letters = LETTER.test(change.text);
    const follows =
      last !== null &&
      now - last.time <= PAUSE_MS &&
      last.kind === kind &&
      single &&
      last.single &&
      (kind === "insert"
        ? typed && change.offset === last.at && !(last.letters && !letters)
        : change.offset + change.length === last.at || change.offset === last.at);
    if (!follows) this.#word += 1;
    // A bracket that closes itself leaves the caret between the two.
    const closes = typed && change.text.length === 2 && !letters;
    this.#last =
      kind === "insert" && !typed
        ? null
        : {
            kind,
            at: change.offset + (closes ? 1 : change.text.length),
            time: now,
            letters,
            single,
          };
    return this.#word;
  }
}
