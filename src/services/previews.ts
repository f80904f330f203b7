import type { FunctionModel, SourceModel, StatementLine } from "../core/python/model";
import type { RowOutcome } from "../core/scoring/outcome";
import type { LinePreview, Previews } from "../schema/live";
import { toTagged } from "../schema/number";
import type { PassFunction } from "./scoreRunner";

/** Most lines of one function's previews; a longer one is a file, not a function. */
const MOST_LINES = 400;

export interface TraceInput {
  readonly fn: FunctionModel;
  readonly source: SourceModel;
  /** Names of the file's reward functions: their bodies are shown under their own name only. */
  readonly rewards: ReadonlySet<string>;
  /** Final scores, from the pass that called the function as the trainer does. */
  readonly scores: readonly (RowOutcome | undefined)[];
  readonly traced: PassFunction;
  readonly of: number;
}

/**
 * What the traced samples did, line by line. Off (`differs`) where a sample alone gets another score than in its
 * batch: then the lines of a batch of one say nothing about the scores shown.
 */
export function buildPreviews(input: TraceInput): Previews {
  const { traced, of } = input;
  const rows = [...traced.lines.keys()];
  const none = (off: Previews["off"]): Previews => ({
    traced: rows.length,
    of,
    off,
    lines: [],
    neverHit: [],
  });
  if (rows.length === 0) return none("none");
  if (rows.some((row) => differs(input.scores[row], traced.rows[row]))) return none("differs");

  const hits = countHits(input, rows);
  const values = lastValues(traced.steps ?? []);
  const lines = visibleStatements(input).flatMap(({ line, kind, countedAt }): LinePreview[] => {
    const hit = hits.get(countedAt);
    if (!hit) return [];
    const ranked = [...hit.scores].sort((a, b) => b[1] - a[1] || order(a[0]) - order(b[0]));
    return [
      {
        line,
        hits: hit.hits,
        scores: ranked
          .slice(0, 4)
          .map(([value, count]) => ({ value: value === null ? null : toTagged(value), count })),
        others: ranked.slice(4).reduce((sum, [, count]) => sum + count, 0),
        kind,
        values: values.get(line) ?? [],
      },
    ];
  });
  const neverHit = input.fn.statements.filter(({ countedAt }) => !hits.has(countedAt));
  return {
    traced: rows.length,
    of,
    off: null,
    lines: lines.slice(0, MOST_LINES),
    neverHit: neverHit.map(({ line }) => line).slice(0, MOST_LINES),
  };
}

interface Hits {
  hits: number;
  /** Final score (null = none) → samples. */
  readonly scores: Map<number | null, number>;
}

/** 0-based line → traced samples that ran it. */
function countHits({ traced, scores }: TraceInput, rows: readonly number[]): Map<number, Hits> {
  const lines = new Map<number, Hits>();
  for (const row of rows) {
    const outcome = scores[row];
    const score = outcome?.state === "scored" || outcome?.state === "non-finite" ? outcome.value : null;
    for (const line of new Set(traced.lines.get(row))) {
      const entry = lines.get(line - 1) ?? { hits: 0, scores: new Map<number | null, number>() };
      entry.hits += 1;
      entry.scores.set(score, (entry.scores.get(score) ?? 0) + 1);
      lines.set(line - 1, entry);
    }
  }
  return lines;
}

/** Statements of the function and of the helpers beside it, top down. */
function visibleStatements({ fn, source, rewards }: TraceInput): StatementLine[] {
  const helpers = source.functions.filter(({ name }) => !rewards.has(name));
  const byLine = new Map<number, StatementLine>();
  for (const model of [...helpers, fn]) for (const line of model.statements) byLine.set(line.line, line);
  return [...byLine.values()].sort((a, b) => a.line - b.line);
}

/** The last value of each name at a line: a loop shows where it ended. */
function lastValues(
  steps: NonNullable<PassFunction["steps"]>,
): Map<number, { name: string; text: string }[]> {
  const byLine = new Map<number, Map<string, string>>();
  for (const { line, values } of steps) {
    const names = byLine.get(line - 1) ?? new Map<string, string>();
    for (const [name, text] of Object.entries(values)) names.set(name, text.slice(0, 200));
    byLine.set(line - 1, names);
  }
  return new Map(
    [...byLine].map(([line, names]) => [line, [...names].map(([name, text]) => ({ name, text }))]),
  );
}

/** Only scores of whole batches can be compared: a recovered row was alone before, too. */
function differs(batch: RowOutcome | undefined, single: RowOutcome | undefined): boolean {
  if (!batch || !single || batch.recovered) return false;
  const had = batch.state === "scored" || batch.state === "non-finite" || batch.state === "not-applicable";
  if (!had) return false;
  return batch.state !== single.state || !Object.is(batch.value ?? 0, single.value ?? 0);
}

function order(value: number | null): number {
  return value === null || Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
}
