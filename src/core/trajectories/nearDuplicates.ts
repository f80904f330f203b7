/**
 * Texts that are nearly the same: Jaccard similarity of their sets of word shingles at or above a threshold. Candidates
 * come from MinHash signatures in bands (Broder 1997; 16 bands of 4), and each is checked exactly, so that none is
 * reported wrongly; one near the threshold may be missed.
 */
export const NEAR = 0.8;
const WORDS = 5;
const BANDS = 16;
const ROWS = 4;
const MOST_WORDS = 20_000;

/** Case, digits' neighbours and blanks don't make a text another one. */
export function normalised(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

export interface TextShingles {
  readonly text: string;
  readonly hashes: ReadonlySet<number>;
}

export function shinglesOf(text: string): TextShingles {
  const clean = normalised(text);
  const words = clean.split(" ").slice(0, MOST_WORDS);
  const hashes = new Set<number>();
  for (let at = 0; at === 0 || at + WORDS <= words.length; at++)
    hashes.add(hash(words.slice(at, at + WORDS).join(" "), 0));
  return { text: clean, hashes };
}

export function similarity(a: TextShingles, b: TextShingles): number {
  if (a.text === b.text) return 1;
  const [small, large] = a.hashes.size <= b.hashes.size ? [a.hashes, b.hashes] : [b.hashes, a.hashes];
  let shared = 0;
  for (const one of small) if (large.has(one)) shared++;
  return shared / (a.hashes.size + b.hashes.size - shared);
}

/** Pairs of positions (first before second) whose texts are near duplicates. */
export function nearPairs(
  texts: readonly TextShingles[],
  threshold = NEAR,
): { readonly a: number; readonly b: number; readonly similarity: number }[] {
  const buckets = new Map<string, number[]>();
  texts.forEach((text, at) => {
    const signature = signatureOf(text.hashes);
    for (let band = 0; band < BANDS; band++) {
      const key = `${band}:${signature.slice(band * ROWS, (band + 1) * ROWS).join(",")}`;
      const list = buckets.get(key);
      if (list) list.push(at);
      else buckets.set(key, [at]);
    }
  });
  const seen = new Set<number>();
  const pairs: { a: number; b: number; similarity: number }[] = [];
  for (const list of buckets.values())
    for (let i = 0; i < list.length; i++)
      for (let j = i + 1; j < list.length; j++) {
        const a = list[i] ?? 0;
        const b = list[j] ?? 0;
        const key = a * texts.length + b;
        if (seen.has(key)) continue;
        seen.add(key);
        const [one, other] = [texts[a], texts[b]];
        if (!one || !other) continue;
        const alike = similarity(one, other);
        if (alike >= threshold) pairs.push({ a, b, similarity: alike });
      }
  return pairs.sort((x, y) => x.a - y.a || x.b - y.b);
}

/** For each text the smallest position of those that it is connected to by near duplicates. */
export function clustersOf(texts: readonly TextShingles[], threshold = NEAR): number[] {
  const parent = texts.map((_, at) => at);
  const root = (at: number): number => {
    let top = at;
    while (parent[top] !== top) top = parent[top] ?? top;
    return top;
  };
  for (const { a, b } of nearPairs(texts, threshold)) {
    const [one, other] = [root(a), root(b)];
    parent[Math.max(one, other)] = Math.min(one, other);
  }
  return texts.map((_, at) => root(at));
}

function signatureOf(hashes: ReadonlySet<number>): number[] {
  const signature = new Array<number>(BANDS * ROWS).fill(0xffffffff);
  for (const one of hashes)
    for (let k = 0; k < signature.length; k++) {
      const mixed = mix(one ^ (k * 0x9e3779b9));
      if (mixed < (signature[k] ?? 0)) signature[k] = mixed;
    }
  return signature;
}

/** FNV-1a over UTF-16 units, 32 bits. */
export function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

function mix(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
