/** One text change in lines: `from`–`to` (0-based, inclusive) were replaced by text with `added` line ends. */
export interface LineEdit {
  readonly from: number;
  readonly to: number;
  /** Column where the change begins: at 0 the line `from` itself moves down with inserted lines. */
  readonly column: number;
  readonly added: number;
}

/** Where a line of an earlier version stands after the edits; null where it was deleted. */
export function moveLine(line: number, edits: readonly LineEdit[]): number | null {
  let at = line;
  for (const edit of edits) {
    const delta = edit.added - (edit.to - edit.from);
    if (at > edit.to) at += delta;
    else if (at === edit.to && at > edit.from) {
      // The end of this line was joined to what came before; it lives on only where the change began a line.
      if (edit.column === 0) at = edit.from + edit.added;
      else return null;
    } else if (at === edit.from) {
      if (edit.column === 0 && edit.to === edit.from) at += edit.added;
      else if (edit.column === 0 && edit.to > edit.from) return null;
    } else if (at > edit.from) return null;
  }
  return at;
}

/** What changed in a document, version by version, as long as results of an older version may still arrive. */
export class EditHistory {
  readonly #steps: { readonly version: number; readonly edits: readonly LineEdit[] }[] = [];
  #forgotten = -1;

  /** @param version the document's version after these edits */
  record(version: number, edits: readonly LineEdit[]): void {
    this.#steps.push({ version, edits });
    const over = this.#steps.length - 500;
    if (over > 0) this.#forgotten = this.#steps.splice(0, over).at(-1)?.version ?? this.#forgotten;
  }

  /** Edits made after `version`; null where that is too long ago to say. */
  since(version: number): readonly LineEdit[] | null {
    if (version < this.#forgotten) return null;
    return this.#steps.filter((step) => step.version > version).flatMap((step) => step.edits);
  }
}
