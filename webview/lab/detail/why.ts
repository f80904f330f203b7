import type { LabWay, Observation } from "../../../src/schema/lab";

export function failed(observation: Observation): boolean {
  return observation.kind === "match" ? observation.spans.length === 0 : !observation.result;
}

/**
 * How near a failure is to the decision: the reward's own lines before a helper's, and what was compared or matched
 * before a look for some character, which is mostly how a text is taken apart.
 */
function weight(one: Observation): number {
  const looked = one.kind === "compare" && (one.op === "in" || one.op === "not in");
  return (one.helper ? 0 : 2) + (looked ? 0 : 1);
}

/**
 * What decided a score, at most two, the nearest to the return first: the last match or comparison that failed (of those
 * that are nearest to the decision), and the last one at all where that came later; nothing failed: the last one.
 */
export function decisive({ observations }: Pick<LabWay, "observations">): Observation[] {
  const inOrder = observations
    .map((one, i) => ({ one, i }))
    .sort((a, b) => a.one.step - b.one.step || a.i - b.i);
  const all = inOrder.map(({ one }) => one);
  const last = all.at(-1);
  if (last === undefined) return [];
  const failures = all.filter(failed);
  const nearest = Math.max(...failures.map(weight));
  const lastFailed = failures.findLast((one) => weight(one) === nearest);
  if (lastFailed === undefined || lastFailed === last) return [last];
  return [last, lastFailed];
}

/** What the searched text has right after the part that the pattern's beginning matched. */
export type Next = "end" | "line-break" | "space" | "tab" | { readonly character: string };

export function nextAfter(text: string, at: number): Next {
  const code = text.codePointAt(at);
  if (code === undefined) return "end";
  const character = String.fromCodePoint(code);
  if (character === "\n" || character === "\r") return "line-break";
  if (character === " ") return "space";
  if (character === "\t") return "tab";
  return { character };
}

/** The last characters that the pattern's beginning matched, without the white space around them. */
export function lastMatched(text: string, [from, to]: readonly [number, number]): string {
  const words = text.slice(from, to).trim().split(/\s+/u);
  return (words.at(-1) ?? "").slice(-24);
}
