import type { TextChange } from "../../src/schema/text";

export const SOURCE = `import re

NUMBER = re.compile(r"\\d+")


def clean(text):
    return text.strip()


# Right answers get 1, all else 0.

def correctness(completions, answer, **kwargs):
    scores = []
    for text, gold in zip(completions, answer):
        found = NUMBER.search(text)
        if not found:
            scores.append(0.0)
            continue
        scores.append(float(found[0] == gold))
    return scores


def format(completions, **kwargs):
    return [1.0 if text.startswith("The answer") else 0.0 for text in completions]
`;

/** A TextDocument's part in the protocol: versions, refusals, echoes. */
export class FakeDocument {
  version = 1;
  text: string;
  readonly #tell: (event: { version: number; changes: TextChange[]; own: boolean; dirty: boolean }) => void;

  constructor(
    text: string,
    tell: (event: { version: number; changes: TextChange[]; own: boolean; dirty: boolean }) => void,
  ) {
    this.text = text;
    this.#tell = tell;
  }

  whole() {
    return { version: this.version, text: this.text, eol: "\n" as const, dirty: false };
  }

  edit(base: number, changes: readonly TextChange[]): { accepted: boolean; version: number } {
    if (base !== this.version) return { accepted: false, version: this.version };
    this.#apply(changes, true);
    return { accepted: true, version: this.version };
  }

  /** Somebody else's edit. */
  native(changes: readonly TextChange[]): void {
    this.#apply(changes, false);
  }

  #apply(changes: readonly TextChange[], own: boolean): void {
    for (const { offset, length, text } of [...changes].sort((a, b) => b.offset - a.offset))
      this.text = this.text.slice(0, offset) + text + this.text.slice(offset + length);
    this.version += 1;
    this.#tell({ version: this.version, changes: [...changes], own, dirty: true });
  }
}
