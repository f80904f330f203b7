import { toRewardsmithError } from "../base/errors";
import { allRows, planBatches } from "../core/scoring/plan";
import type { Asides } from "./asides";
import type { IdleContext } from "./idlePasses";
import { liveKind, passRequest } from "./passRequest";
import type { Scored } from "./scored";
import { runPass, type PassFunction, type PassResult } from "./scoreRunner";

/** A pass that took no longer than this is made again, as a whole; of a longer one, batches that take about half as long. */
const AFFORDABLE_MS = 2000;
/** A call gets at least this long, whatever the first pass took: a busy machine isn't a call that hangs. */
const LEAST_SECONDS = 1;

/**
 * Whether a second call of the same batches gives something else, where finding out costs little. The scores stay those
 * of the first pass. Guarded as while typing, so that what a call does to the world isn't done again unless it was
 * allowed; held rows say nothing. Null: nothing was tried, or a newer edit ended it.
 */
export async function withSecondCalls(
  asides: Asides,
  context: IdleContext,
  scored: Scored,
  outer: AbortSignal,
): Promise<Scored | null> {
  try {
    return await asides.run((signal) => secondCalls(context, scored, signal), outer);
  } catch (error) {
    if (toRewardsmithError(error).code === "Cancelled") return null;
    throw error;
  }
}

async function secondCalls(
  { ports, reward, settings }: IdleContext,
  scored: Scored,
  signal: AbortSignal,
): Promise<Scored | null> {
  const rows = affordableRows(scored);
  if (rows.length === 0) return null;
  const live = liveKind(settings);
  const request = await passRequest(ports, {
    path: reward.path,
    table: scored.table,
    composition: scored.composition,
    rows,
    overlays: ports.documents.overlays(reward.path),
    kind: {
      ...live,
      calls: 2,
      // All calls of the first pass together took `passMs`.
      unitSeconds: Math.min(live.unitSeconds, Math.max(LEAST_SECONDS, (2 * scored.passMs) / 1000)),
      // Of a call that hangs or ends its process nothing but the first answer is needed, and that is there.
      patience: 1,
      searches: false,
    },
    settings,
    allow: reward.allow,
  });
  const again = await runPass(ports.worker, ports.clock, request, { signal });
  if (again.cancelled || again.failure) return null;
  const outcomes = scored.outcomes.map((outcome) => merged(outcome, again));
  return { ...scored, outcomes, twice: outcomes.every(({ calledTwice }) => calledTwice === scored.table.n) };
}

/** All rows, or those of some whole batches spread over the set; none where not even one batch is affordable. */
function affordableRows({ table, composition, passMs }: Scored): number[] {
  if (passMs <= AFFORDABLE_MS) return allRows(table);
  const batches = planBatches(table, allRows(table), composition.trainer.batch);
  const most = Math.floor((batches.length * AFFORDABLE_MS) / 2 / passMs);
  return Array.from(
    { length: most },
    (_, i) => batches[Math.floor((i * batches.length) / most)] ?? [],
  ).flat();
}

function merged(outcome: PassFunction, { functions }: PassResult): PassFunction {
  const second = functions.find(({ name }) => name === outcome.name);
  if (!second) return outcome;
  const held = second.rows.filter((cell) => cell?.state === "held").length;
  return {
    ...outcome,
    changed: new Set([...outcome.changed, ...second.changed]),
    again: second.again,
    calledTwice: Math.max(0, second.calledTwice - held),
  };
}
