/** "row 2", "rows 2 and 3", "rows 2, 3, 5 and 20 more"; people count rows from 1. */
export function rowList(rows: readonly number[], most = 5): string {
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return `row ${only + 1}`;
  const shown = rows.slice(0, most).map((row) => String(row + 1));
  const more = rows.length - shown.length;
  return `rows ${listed(more > 0 ? [...shown, `${more} more`] : shown)}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  const last = words[words.length - 1];
  if (last === undefined) return "";
  return words.length === 1 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The trainer in a sentence: with its version where that is known. */
export function trlName(version: string | null): string {
  return version === null ? "TRL" : `TRL ${version}`;
}

/** As Python writes a score. */
export function score(value: number | null): string {
  if (value === null) return "None";
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toFixed(1);
  return String(Number(value.toPrecision(4)));
}

/** The nearest of some names to one that isn't there; null where none is near. */
export function nearest(name: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of names) {
    const distance = unlikeness(name, candidate);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return least <= Math.max(1, Math.floor(name.length / 3)) ? best : null;
}

function unlikeness(a: string, b: string): number {
  const plain = (text: string): string => text.toLowerCase().replace(/[_\-\s]/g, "");
  const left = plain(a);
  const right = plain(b);
  if (left === right) return 0;
  const contains = left.length > 2 && right.length > 2 && (left.includes(right) || right.includes(left));
  return Math.min(editDistance(left, right), contains ? 1 : Number.POSITIVE_INFINITY);
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
