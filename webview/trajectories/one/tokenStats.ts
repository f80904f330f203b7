import type { TokenData } from "../../../src/schema/trajectory";

export interface TokenStats {
  readonly count: number;
  /** Null: the file doesn't say. */
  readonly trained: number | null;
  readonly meanLogprob: number | null;
  readonly least: { readonly at: number; readonly logprob: number } | null;
  readonly versions: readonly [number, number] | null;
  readonly advantages: readonly [number, number] | null;
}

export function tokenStats({ count, mask, logprobs, versions, advantages }: TokenData): TokenStats {
  let sum = 0;
  let n = 0;
  let least: TokenStats["least"] = null;
  for (const [at, logprob] of (logprobs ?? []).entries()) {
    if (logprob === null) continue;
    sum += logprob;
    n++;
    if (least === null || logprob < least.logprob) least = { at, logprob };
  }
  return {
    count,
    trained: mask === null ? null : mask.filter(Boolean).length,
    meanLogprob: n === 0 ? null : sum / n,
    least,
    versions: rangeOf(versions ?? []),
    advantages: rangeOf((advantages ?? []).filter((value) => value !== null)),
  };
}

function rangeOf(values: readonly number[]): [number, number] | null {
  if (values.length === 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

export interface Bar {
  readonly from: number;
  readonly to: number;
  /** Lowest log probability in it; null: none is known. */
  readonly logprob: number | null;
  /** Share of its tokens that are trained; null: the file doesn't say. */
  readonly trained: number | null;
}

/** At most `most` bars over the tokens, each of as many tokens. */
export function tokenBars(tokens: TokenData, most: number): Bar[] {
  const known = Math.max(tokens.mask?.length ?? 0, tokens.logprobs?.length ?? 0, tokens.ids?.length ?? 0);
  const bars = Math.min(most, known);
  return Array.from({ length: bars }, (_, at) => {
    const from = Math.floor((at * known) / bars);
    const to = Math.floor(((at + 1) * known) / bars);
    const logprobs = (tokens.logprobs ?? []).slice(from, to).filter((value) => value !== null);
    const mask = tokens.mask?.slice(from, to);
    return {
      from,
      to,
      logprob: logprobs.length === 0 ? null : Math.min(...logprobs),
      trained: mask === undefined ? null : mask.filter(Boolean).length / Math.max(1, mask.length),
    };
  });
}
