import { own } from "../../base/own";
import { encodeParts } from "../../core/scoring/encode";
import { analyseGroups } from "../../core/scoring/groups";
import type { RowOutcome } from "../../core/scoring/outcome";
import { planBatches } from "../../core/scoring/plan";
import { othersScored, rewardMatrix, type Component } from "../../core/scoring/totals";
import type { LabTry } from "../../schema/lab";
import { toTagged, type TaggedNumber } from "../../schema/number";
import { compose, type Composition } from "../composition";
import { liveKind, passRequest } from "../passRequest";
import type { Scored } from "../scored";
import type { ScoreSession } from "../scoreSession";
import { runPass } from "../scoreRunner";
import { oneRowTable } from "./attemptTable";
import { nextSet, requireRow } from "./way";

type Weights = Readonly<Record<string, number>> | null;

/** What runs for a session: the next try ends it, so that typing never queues. */
const running = new WeakMap<ScoreSession, AbortController>();

/**
 * Scores another completion in a sample's place, under every function. Guarded as while typing. What it would get in the
 * sample's group is known only where the others were scored under the present text. Rejects with NoSamples (no such
 * row), and with Cancelled on a newer try or edit.
 */
export async function tryCompletion(
  session: ScoreSession,
  ask: { readonly row: number; readonly completion: unknown; readonly weights: Weights },
  outer: AbortSignal,
): Promise<LabTry> {
  running.get(session)?.abort();
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (outer.aborted) abort();
  outer.addEventListener("abort", abort, { once: true });
  running.set(session, controller);
  try {
    return await session.aside(async (subject, context, signal) => {
      requireRow(subject.table, ask.row);
      const { ports, reward, settings, trainer } = context;
      const one = oneRowTable(subject.table, ask.row, nextSet(), { completion: ask.completion });
      const composition = compose(subject.model.functions, one, subject.ready, trainer);
      await ports.worker.load(one.info.set, () => encodeParts(one, 1));
      try {
        const request = await passRequest(ports, {
          path: reward.path,
          table: one,
          composition,
          rows: [0],
          overlays: ports.documents.overlays(reward.path),
          kind: liveKind(settings),
          settings,
          allow: reward.allow,
        });
        const { functions, failure } = await runPass(ports.worker, ports.clock, request, { signal });
        if (failure) {
          const { code, message, line } = failure;
          return { functions: [], total: null, advantage: null, error: { code, message, line } };
        }
        const cells = new Map(functions.map(({ name, rows }) => [name, rows[0]]));
        const { scored } = session.lab();
        const comparable = scored?.text === subject.text && scored.table === subject.table;
        return {
          ...ofCells(composition, cells, ask.weights),
          advantage: comparable ? advantageOf(scored, ask.row, cells, ask.weights) : null,
          error: null,
        };
      } finally {
        ports.worker.drop(one.info.set);
      }
    }, controller.signal);
  } finally {
    outer.removeEventListener("abort", abort);
    if (running.get(session) === controller) running.delete(session);
  }
}

type Cells = ReadonlyMap<string, RowOutcome | undefined>;

function ofCells(
  { functions }: Composition,
  cells: Cells,
  weights: Weights,
): Pick<LabTry, "functions" | "total"> {
  const components = functions.map(({ fn, fate, weight }): Component => ({
    outcome: { name: fn.name, rows: [cells.get(fn.name)] },
    weight: (weights && own(weights, fn.name)) ?? weight,
    fate,
  }));
  return {
    functions: functions.map(({ fn, fate }, c) => {
      const cell = cells.get(fn.name);
      return {
        name: fn.name,
        line: fn.line,
        weight: components[c]?.weight ?? 1,
        state: cell?.state ?? null,
        value: cell === undefined || cell.value === null ? null : toTagged(cell.value),
        recovered: cell?.recovered ?? false,
        reason: cell?.reason ?? null,
        output: cell?.output ?? null,
        ms: cell?.ms ?? null,
        fate: cell ? fate(cell.state, othersScored(components, 0, c), cell.reason?.code ?? null) : null,
      };
    }),
    total: tagged(rewardMatrix(components, 1).totals[0] ?? Number.NaN),
  };
}

/** By the trainer's rule over the batch that the row is in, with these cells in the row's place. */
function advantageOf(scored: Scored, row: number, cells: Cells, weights: Weights): TaggedNumber | null {
  const { table, composition, outcomes } = scored;
  const known = composition.functions.map(({ fn }) => outcomes.find(({ name }) => name === fn.name)?.rows);
  const covered = table.ids.flatMap((_, at) =>
    at === row || known.every((rows) => rows?.[at] !== undefined) ? [at] : [],
  );
  const batch = planBatches(table, covered, composition.trainer.batch).find((rows) => rows.includes(row));
  if (!batch) return null;
  const components = composition.functions.map(({ fn, fate, weight }, c): Component => {
    const rows = new Array<RowOutcome | undefined>(table.n).fill(undefined);
    for (const at of batch) rows[at] = at === row ? cells.get(fn.name) : known[c]?.[at];
    return { outcome: { name: fn.name, rows }, weight: (weights && own(weights, fn.name)) ?? weight, fate };
  });
  const matrix = rewardMatrix(components, table.n);
  // As in the table: without a total there is none, also where the trainer would hold a 0.
  if (Number.isNaN(matrix.totals[row] ?? Number.NaN)) return null;
  return tagged(analyseGroups(table, matrix, composition.rule, [batch]).advantages[row] ?? Number.NaN);
}

/** NaN stands for none: neither a total nor an advantage of that name is shown. */
function tagged(value: number): TaggedNumber | null {
  return Number.isNaN(value) ? null : toTagged(value);
}
