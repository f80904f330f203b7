/** Two 32-bit numbers that tell texts apart: for grouping and looking up, not against anybody's will. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/** Two FNV-1a-like lanes over UTF-16 units, mixed at the end (multipliers: FNV's prime and MurmurHash3's). */
export function hash64(text: string): Hash64 {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b) ^ (low >>> 13);
  }
  return { high: mixed(high ^ text.length), low: mixed(low) };
}

/** MurmurHash3's finaliser. */
export function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
