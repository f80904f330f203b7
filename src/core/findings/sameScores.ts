import { sameScore } from "../scoring/groups";
import { scoreOf } from "../scoring/states";
import { type Check, type FindingContext, type FunctionEvidence, closureOf, finding } from "./finding";
import { code, count, score } from "./sentences";

/** Fewer equal scores than this are chance. */
const ENOUGH = 4;

/** One score for all rows, or for all rows of each prompt: no completion is told from another. */
export const sameScores: Check = {
  code: "same-scores",
  run(context) {
    return context.functions.flatMap((evidence) => {
      const { fn } = evidence;
      const scores = (evidence.outcome?.rows ?? []).map(scoreOf);
      const given = scores.filter((value) => !Number.isNaN(value));
      const [first] = given;
      if (first === undefined || given.length < ENOUGH) return [];
      if (given.every((value) => sameScore(value, first))) {
        return [
          finding(this.code, {
            severity: isSound(first, evidence, context) ? "info" : "warning",
            fn,
            message: `${code(fn.name)} gives ${score(first)} for all ${count(given.length, "scored row")}: it tells no completion from another here, so nothing is learnt from it.`,
            cure: "Fine for a penalty that none of these earns, or where all are right. Else look at a row that should score otherwise.",
          }),
        ];
      }
      const groups = tiedGroups(scores, context);
      if (groups === null) return [];
      // All right for some prompts and all wrong for others: a verdict over few samples may well be so.
      const verdict = new Set(given).size === 2;
      return [
        finding(this.code, {
          severity: verdict || evidence.weight === 0 ? "info" : "warning",
          fn,
          message: `${code(fn.name)} gives one score to all completions of a prompt, in each of ${count(groups, "group")}: no advantage comes of it.`,
          cure: "Let it depend on the completion, or check how the samples are grouped.",
        }),
      ];
    });
  },
};

/** How many groups have several scores, where all of those are tied; null where one isn't, or only one has. */
function tiedGroups(scores: readonly number[], { table }: FindingContext): number | null {
  if (!table) return null;
  let tied = 0;
  for (const { rows } of table.groups) {
    const own = rows.map((row) => scores[row] ?? Number.NaN).filter((value) => !Number.isNaN(value));
    const [first] = own;
    if (first === undefined || own.length < 2) continue;
    if (!own.every((value) => sameScore(value, first))) return null;
    tied++;
  }
  return tied > 1 ? tied : null;
}

/** All right by a verdict's own measure; 0 from a penalty; a metric that counts for nothing; one that waits for its step. */
function isSound(value: number, { fn, weight }: FunctionEvidence, context: FindingContext): boolean {
  if (value === 1 || weight === 0) return true;
  if (value !== 0) return false;
  if (/penal|overlong|repeat|repetition|toxic|leak|violat/i.test(fn.name)) return true;
  const lines = (context.text ?? "").split("\n");
  return closureOf(context.source, fn.name).some(({ mentions, bodyRange: { start, end } }) => {
    const body = lines.slice(start.line, end.line + 1).join("\n");
    return mentions.has("trainer_state") || SUBTRACTS.test(body);
  });
}

/** A negative number, not a difference: `-1.0`, `return -x`, `-=`, `min(0`. */
const SUBTRACTS = /(?:[=(,:[]|return|else)\s*-\s*[\w(]|-=|\bmin\(\s*0/;
