import type { FileScores, FunctionScores, Previews } from "../schema/live";
import type { FileModel, Finding, RewardFunction } from "../schema/reward";
import type { SampleTable } from "../core/scoring/table";
import type { Baseline } from "./baseline";
import { lineMap } from "./lineMap";
import type { Scored } from "./scored";
import type { LoadFailure } from "./scoreRunner";

export interface SnapshotInput {
  readonly path: string;
  readonly seq: number;
  /** The text that counts now; null where the file is gone. */
  readonly present: { readonly version: number; readonly text: string; readonly model: FileModel } | null;
  readonly scored: Scored | null;
  readonly fresh: boolean;
  /** A pass is on its way. */
  readonly running: boolean;
  readonly blocked: FileScores["blocked"];
  /** Why the present text gives no numbers: a failed load, no worker, no samples. */
  readonly error:
    ({ readonly code: string; readonly message: string } & Partial<Omit<LoadFailure, "code">>) | null;
  readonly table: SampleTable | null;
  readonly pinned: number | null;
  readonly baseline: Baseline;
  readonly findings: readonly Finding[];
}

/**
 * What a host is shown. Lines are those of the present text: numbers of an older one are marked `old`, and their lines
 * are carried over where they can still be found.
 */
export function fileScores(input: SnapshotInput): FileScores {
  const { present, scored, fresh, blocked, table } = input;
  const functions = present ? functionScores(input, present) : [];
  return {
    path: input.path,
    seq: input.seq,
    docVersion: present?.version ?? -1,
    status: status(input, functions.length > 0 && scored !== null),
    blocked,
    error: errorOf(input.error),
    set: table && {
      set: table.info.set,
      files: table.info.files,
      rows: table.n,
      groups: table.groups.length,
      shape: table.info.shape,
      hash: table.info.hash,
    },
    pinned: input.pinned,
    functions,
    findings: [...input.findings],
    versionHash: fresh ? (scored?.hash ?? null) : null,
    timing: scored?.timing ?? null,
  };
}

function errorOf(error: SnapshotInput["error"]): FileScores["error"] {
  if (!error) return null;
  const { code, message, path = null, line = null, column = null, name = null } = error;
  return { code, message, path, line, column, name };
}

function status({ fresh, running, blocked }: SnapshotInput, shown: boolean): FileScores["status"] {
  if (running) return "running";
  if (fresh && blocked !== "gone") return "fresh";
  if (blocked !== null && !shown) return "blocked";
  return shown ? "old" : "idle";
}

function functionScores(
  input: SnapshotInput,
  present: NonNullable<SnapshotInput["present"]>,
): FunctionScores[] {
  const { scored, fresh, running } = input;
  const { model } = present;
  const map = scored ? lineMap(scored.text, present.text) : () => null;
  const known = new Map(scored?.model.functions.map((fn) => [fn.name, fn]));
  const names = new Set(model.functions.map(({ name }) => name));
  // A text that is broken for the moment may hide a function; one that parses doesn't have it any more.
  const hidden = model.broken && !fresh ? [...known.values()].filter(({ name }) => !names.has(name)) : [];
  const shown = [...model.functions, ...hidden.map((fn) => ({ ...fn, line: map(fn.line) ?? fn.line }))].sort(
    (a, b) => a.line - b.line,
  );
  const state = fresh && !running ? "fresh" : running && fresh ? "running" : "old";
  return shown.map((fn) => oneFunction(fn, input, state, map));
}

function oneFunction(
  fn: RewardFunction,
  { scored, running, baseline, table }: SnapshotInput,
  state: FunctionScores["status"],
  map: (line: number) => number | null,
): FunctionScores {
  const head = { name: fn.name, line: fn.line, contract: fn.contract, reasons: fn.reasons };
  const summary = scored?.summaries.get(fn.name);
  const outcome = scored?.outcomes.find(({ name }) => name === fn.name);
  if (!scored || !summary || !outcome) {
    return {
      ...head,
      status: running ? "running" : "none",
      n: 0,
      of: table?.n ?? 0,
      states: {},
      recovered: 0,
      estimate: null,
      flips: null,
      baseline: null,
      groups: { n: 0, tied: 0, noGradient: 0 },
      ms: 0,
      histogram: null,
      best: [],
      worst: [],
      raised: [],
      held: [],
      previews: null,
    };
  }
  return {
    ...head,
    ...summary,
    status: state,
    raised: summary.raised.map((entry) => ({ ...entry, line: shift(entry.line, map) })),
    ...baseline.compare(outcome, scored.table),
    ms: scored.passMs,
    previews: moved(scored.previews.get(fn.name) ?? null, map),
  };
}

/** 1-based lines, as Python gives them. */
function shift(line: number | null, map: (line: number) => number | null): number | null {
  if (line === null) return null;
  const now = map(line - 1);
  return now === null ? null : now + 1;
}

function moved(previews: Previews | null, map: (line: number) => number | null): Previews | null {
  if (!previews) return null;
  return {
    ...previews,
    lines: previews.lines.flatMap((entry) => {
      const line = map(entry.line);
      return line === null ? [] : [{ ...entry, line }];
    }),
    neverHit: previews.neverHit.flatMap((line) => map(line) ?? []),
  };
}
