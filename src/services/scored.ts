import type { SourceModel } from "../core/python/model";
import { allRows, planBatches } from "../core/scoring/plan";
import { rowScores } from "../core/scoring/report";
import type { SampleTable } from "../core/scoring/table";
import type { FileScores, Previews } from "../schema/live";
import type { FileModel } from "../schema/reward";
import type { RowScore, ScoreState } from "../schema/score";
import type { LoadedFrame, Ready } from "../schema/worker";
import type { Composition } from "./composition";
import { summarise, type Summary } from "./functionScores";
import type { PassFunction, PassResult } from "./scoreRunner";

/** A text that is to be scored, read and composed. */
export interface Subject {
  readonly version: number;
  readonly text: string;
  readonly source: SourceModel;
  readonly model: FileModel;
  readonly table: SampleTable;
  readonly composition: Composition;
  readonly ready: Ready;
}

/** Scores of one version of a text over one set: what a session shows, and keeps when the next text can't be scored. */
export interface Scored extends Subject {
  readonly outcomes: readonly PassFunction[];
  readonly summaries: ReadonlyMap<string, Summary>;
  readonly previews: ReadonlyMap<string, Previews>;
  readonly loaded: LoadedFrame | null;
  /** Files of the version with their texts, the reward file first. */
  readonly texts: ReadonlyMap<string, string>;
  readonly hash: string | null;
  readonly timing: FileScores["timing"];
  readonly passMs: number;
  /** Two calls of each batch were made. */
  readonly twice: boolean;
}

export function summaries(subject: Subject, outcomes: readonly PassFunction[]): Map<string, Summary> {
  const { table, composition } = subject;
  return new Map(
    outcomes.flatMap((outcome): [string, Summary][] => {
      const part = composition.functions.find(({ fn }) => fn.name === outcome.name);
      if (!part) return [];
      const covered = allRows(table).filter((row) => outcome.rows[row] !== undefined);
      const batches = planBatches(table, covered, composition.trainer.batch);
      return [[outcome.name, summarise(outcome, table, batches, composition.rule, part.fate)]];
    }),
  );
}

/** Rows of a function that are in one of the states, `count` of them from the `from`-th on. */
export function rowsOfScored(
  scored: Scored | null,
  name: string,
  from: number,
  count: number,
  states: readonly ScoreState[] | null,
): { rows: RowScore[]; total: number } {
  const outcome = scored?.outcomes.find((fn) => fn.name === name);
  if (!scored || !outcome) return { rows: [], total: 0 };
  const all = rowScores(scored.table, outcome).filter(({ state }) => states?.includes(state) ?? true);
  return { rows: all.slice(from, from + count), total: all.length };
}

/** The same version with further rows. */
export function withMore(scored: Scored, more: PassResult): Scored {
  const outcomes = scored.outcomes.map((outcome): PassFunction => {
    const added = more.functions.find(({ name }) => name === outcome.name);
    if (!added) return outcome;
    return {
      ...outcome,
      rows: outcome.rows.map((row, index) => row ?? added.rows[index]),
      failures: [...outcome.failures, ...added.failures],
      changed: new Set([...outcome.changed, ...added.changed]),
      again: new Map([...outcome.again, ...added.again]),
      calledTwice: outcome.calledTwice + added.calledTwice,
    };
  });
  return {
    ...scored,
    outcomes,
    summaries: summaries(scored, outcomes),
    passMs: scored.passMs + more.ms,
  };
}

/** A pass's result, complete or so far, as the subject's scores; what else is known of the version comes later. */
export function toScored(
  subject: Subject,
  result: {
    readonly functions: readonly PassFunction[];
    readonly ms: number;
    readonly loaded?: Scored["loaded"];
  },
  calls: 1 | 2,
): Scored {
  return {
    ...subject,
    outcomes: result.functions,
    summaries: summaries(subject, result.functions),
    previews: new Map(),
    loaded: result.loaded ?? null,
    texts: new Map(),
    hash: null,
    passMs: result.ms,
    twice: calls === 2,
    timing: null,
  };
}

/** A pass that was ended got to at least one row. */
export function anySettled({ functions }: PassResult): boolean {
  return functions.some(({ rows }) => rows.some((cell) => cell !== undefined && cell.state !== "cancelled"));
}
