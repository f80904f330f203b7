import type { SampleTable } from "../../core/scoring/table";
import { completionText } from "../functionScores";

const SURROGATE = /[\ud800-\udbff]/;

/** Characters (code points, as Python counts them) of each completion's text; of a conversation all messages' together. */
export function lengthsOf(table: SampleTable): Int32Array {
  const known = lengths.get(table);
  if (known) return known;
  const made = Int32Array.from({ length: table.n }, (_, row) => {
    const text = completionText(table.completion[row]);
    return SURROGATE.test(text) ? codePoints(text) : text.length;
  });
  lengths.set(table, made);
  return made;
}

const lengths = new WeakMap<SampleTable, Int32Array>();

function codePoints(text: string): number {
  let n = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const [high, low] = [text.charCodeAt(i), text.charCodeAt(i + 1)];
    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
      n--;
      i++;
    }
  }
  return n;
}
