/** How many undo steps of the editor go back in one of ours. */
interface Group {
  readonly word: number;
  steps: number;
  /** Nothing may be added: something was undone up to here, or the word has ended. */
  closed: boolean;
}

/**
 * Counts what one undo of a word takes back. The editor makes one undo step of each applied edit; this remembers how
 * many of the steps on top belong to one word. Anything that somebody else does to the document ends that knowledge:
 * from there on the editor's own steps count, one at a time.
 */
export class UndoGroups {
  readonly #done: Group[] = [];
  readonly #undone: Group[] = [];
  /** Word of the group that is undone in part. */
  #partly: number | null = null;

  /** One edit of ours was applied. */
  applied(word: number): void {
    this.#undone.length = 0;
    this.#partly = null;
    const top = this.#done.at(-1);
    if (top?.word === word && !top.closed) top.steps += 1;
    else this.#done.push({ word, steps: 1, closed: false });
  }

  /** Somebody else changed the document. */
  foreign(): void {
    this.#done.length = 0;
    this.#undone.length = 0;
    this.#partly = null;
  }

  /** Editor steps that one undo (redo) of ours takes. */
  steps(redo: boolean): number {
    return (redo ? this.#undone : this.#done).at(-1)?.steps ?? 1;
  }

  /** The editor took back (brought back) one of its steps, whoever asked it to. */
  moved(redo: boolean): void {
    const [from, to] = redo ? [this.#undone, this.#done] : [this.#done, this.#undone];
    const top = from.at(-1);
    if (!top) return;
    const goal = to.at(-1);
    // A group that is only partly undone is one on both sides, so that redo gives the rest of the word back at once.
    if (goal?.word === top.word && this.#partly === top.word) goal.steps += 1;
    else to.push({ word: top.word, steps: 1, closed: true });
    top.steps -= 1;
    top.closed = true;
    if (top.steps === 0) {
      from.pop();
      this.#partly = null;
    } else this.#partly = top.word;
  }
}
