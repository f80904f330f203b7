const decoder = new TextDecoder();
const encoder = new TextEncoder();
const HEAD = 3;

/**
 * Texts of rows in one block of bytes, each distinct one once: it crosses threads without a copy and can lie on disk.
 * Uint32: rows, fields, texts; rows × fields positions of texts counted from 1 (0: null); texts + 1 offsets; then UTF-8.
 */
export function encodeStrings(rows: readonly (readonly (string | null)[])[], fields: number): Uint8Array {
  const places = new Map<string, number>();
  const of = new Uint32Array(rows.length * fields);
  rows.forEach((row, at) => {
    for (let field = 0; field < fields; field++) {
      const text = row[field] ?? null;
      if (text === null) continue;
      const known = places.get(text) ?? places.size + 1;
      if (known > places.size) places.set(text, known);
      of[at * fields + field] = known;
    }
  });
  const texts = [...places.keys()].map((text) => encoder.encode(text));
  const offsets = new Uint32Array(texts.length + 1);
  let total = 0;
  texts.forEach((text, at) => {
    total += text.length;
    offsets[at + 1] = total;
  });
  const words = HEAD + of.length + offsets.length;
  const block = new Uint8Array(words * 4 + total);
  const head = new Uint32Array(block.buffer, 0, words);
  head.set([rows.length, fields, texts.length]);
  head.set(of, HEAD);
  head.set(offsets, HEAD + of.length);
  texts.forEach((text, at) => block.set(text, words * 4 + (offsets[at] ?? 0)));
  return block;
}

/** Reads what `encodeStrings` wrote; texts are decoded when they are asked for, each once. */
export class StringBlock {
  readonly rows: number;
  readonly #fields: number;
  readonly #of: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #decoded: (string | undefined)[] = [];

  constructor(block: Uint8Array) {
    // A view on words must begin at a whole one.
    const aligned = block.byteOffset % 4 === 0 ? block : block.slice();
    const words = (from: number, count: number): Uint32Array =>
      new Uint32Array(aligned.buffer, aligned.byteOffset + from * 4, count);
    const [rows = 0, fields = 0, texts = 0] = words(0, HEAD);
    this.rows = rows;
    this.#fields = fields;
    this.#of = words(HEAD, rows * fields);
    this.#offsets = words(HEAD + rows * fields, texts + 1);
    this.#bytes = aligned.subarray((HEAD + rows * fields + texts + 1) * 4);
  }

  get(row: number, field: number): string | null {
    const place = this.#of[row * this.#fields + field] ?? 0;
    if (place === 0) return null;
    const known = this.#decoded[place];
    if (known !== undefined) return known;
    const text = decoder.decode(this.#bytes.subarray(this.#offsets[place - 1], this.#offsets[place]));
    this.#decoded[place] = text;
    return text;
  }

  row(row: number): (string | null)[] {
    return Array.from({ length: this.#fields }, (_, field) => this.get(row, field));
  }
}
