import type { FunctionModel } from "../python/model";
import { type Check, type FindingContext, type FunctionEvidence, closureOf, finding } from "./finding";
import { code, count, rowList, score } from "./sentences";

/** Names and attributes by which a function draws at random or reads a clock. */
const DRAWS = new Set(
  (
    "random secrets uuid uuid4 randint randrange choice choices shuffle uniform gauss default_rng RandomState " +
    "rand randn normal permutation multinomial bernoulli time time_ns perf_counter now"
  ).split(" "),
);

const draws = (fn: FunctionModel): boolean =>
  [...fn.mentions, ...fn.attributes].some((name) => DRAWS.has(name));

function drawsAnywhere(context: FindingContext, name: string): boolean {
  return closureOf(context.source, name).some(draws);
}

/** A second call gives something else, and nothing in the text is random: something is kept between calls. */
export const dependsOnEarlierCalls: Check = {
  code: "depends-on-earlier-calls",
  run(context) {
    return context.functions.flatMap((evidence) => {
      const { fn, again } = evidence;
      if (again.size === 0 || drawsAnywhere(context, fn.name)) return [];
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          rows: changedRows(evidence),
          message: `A second call of ${code(fn.name)} gives ${second(evidence)}: the score depends on earlier calls.`,
          cure: "Keep nothing between calls: no module-level list, set or counter that a call adds to.",
        }),
      ];
    });
  },
};

/** Called twice on the same rows, it gives different scores: noise that the trainer takes for signal. */
export const notRepeatable: Check = {
  code: "not-repeatable",
  run(context) {
    return context.functions.flatMap((evidence) => {
      const { fn, again } = evidence;
      if (again.size === 0 || !drawsAnywhere(context, fn.name)) return [];
      const rows = changedRows(evidence);
      return [
        finding(this.code, {
          severity: "warning",
          fn,
          rows,
          message: `${code(fn.name)} isn't repeatable: called again on the same rows, ${count(rows.length, "score")} changed (${rowList(rows)}).`,
          cure: "If it is meant to be random, draw from a generator seeded by the row, e.g. random.Random(text).",
        }),
      ];
    });
  },
};

function changedRows({ again }: FunctionEvidence): number[] {
  return [...again.keys()].sort((a, b) => a - b);
}

/** The second call's scores: all of a small set, else those of a few rows that changed. */
function second(evidence: FunctionEvidence): string {
  const { outcome, again } = evidence;
  const rows = outcome?.rows ?? [];
  if (rows.length > 0 && rows.length <= 8 && rows.every((row) => row !== undefined)) {
    const values = rows.map((row, i) => score(again.has(i) ? (again.get(i) ?? null) : row.value));
    return `[${values.join(", ")}]`;
  }
  const changed = changedRows(evidence);
  const examples = changed
    .slice(0, 3)
    .map(
      (row) => `${score(again.get(row) ?? null)} for ${score(rows[row]?.value ?? null)} in row ${row + 1}`,
    );
  const more =
    changed.length > examples.length ? ` and ${changed.length - examples.length} more changes` : "";
  return `${examples.join(", ")}${more}`;
}
