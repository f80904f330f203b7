import { compareScores } from "../../core/scoring/compare";
import { sameScore } from "../../core/scoring/groups";
import type { RowOutcome } from "../../core/scoring/outcome";
import { scoreOf } from "../../core/scoring/states";
import { applyHunks, linesOf } from "../../core/text/hunks";
import type { Hunk, LabHunks } from "../../schema/lab";
import type { Baseline } from "../baseline";
import { compose } from "../composition";
import { baselineText, type IdleContext } from "../idlePasses";
import { liveKind, passRequest } from "../passRequest";
import { baseName } from "../paths";
import type { Scored } from "../scored";
import type { ScoreSession } from "../scoreSession";
import { runPass, type PassResult } from "../scoreRunner";
import { hunksOf } from "./hunkDiff";

/** Each costs a pass over the flipped rows; nearer ones are joined. */
const MOST_HUNKS = 24;
/** Rows that are scored for each hunk; flips of further rows have no entry in `causes`. */
const MOST_ROWS = 300;

const NOTHING: LabHunks = { hunks: [], causes: [], failed: [], otherFiles: [] };

interface Changed {
  readonly row: number;
  readonly function: string;
  readonly now: RowOutcome;
}

/**
 * Which part of the difference to the baseline caused which flip: each hunk alone on the baseline, flipped rows scored.
 * Flips of rank or sign alone are their neighbours' doing and have no entry. Guarded as while typing; a newer edit ends
 * it with Cancelled.
 */
export function attributeFlips(session: ScoreSession, outer: AbortSignal): Promise<LabHunks> {
  return session.aside(async (_, context, signal) => {
    const { scored, baseline } = session.lab();
    if (!scored || baseline.scores === null) return NOTHING;
    const { ports, reward } = context;
    const texts = new Map<string, string | null>();
    for (const path of new Set([reward.path, ...scored.texts.keys()]))
      texts.set(path, await baselineText(ports, baseline, path));
    const main = texts.get(reward.path) ?? null;
    if (main === null) return NOTHING;
    const others = [...scored.texts.keys()].filter(
      (path) => path !== reward.path && texts.get(path) !== scored.texts.get(path),
    );
    const hunks = hunksOf(main, scored.text, MOST_HUNKS);
    const changes = changesOf(scored, baseline);
    const shown = { hunks, otherFiles: others.map(baseName) };
    if (changes.length === 0 || hunks.length === 0)
      return { ...shown, causes: causes(changes, () => []), failed: [] };
    // The only hunk is the whole difference.
    if (hunks.length === 1 && others.length === 0)
      return { ...shown, causes: causes(changes, () => [0]), failed: [] };

    const failed: LabHunks["failed"] = [];
    const found = new Map<Changed, number[]>(changes.map((change) => [change, []]));
    for (const hunk of hunks) {
      if (signal.aborted) break;
      const version = { text: applyHunks(linesOf(main), [hunk]), texts };
      const result = await scoreVersion(context, baseline, scored, version, changes, signal);
      if (result.failure) failed.push({ id: hunk.id, message: result.failure.message });
      else addCauses(found, result, baseline, hunk);
    }
    return { ...shown, causes: causes(changes, (change) => found.get(change) ?? []), failed };
  }, outer);
}

function causes(changes: readonly Changed[], of: (change: Changed) => number[]): LabHunks["causes"] {
  return changes.map((change) => ({ row: change.row, function: change.function, hunks: of(change) }));
}

/** Flips of a score or a state, of the first rows that have one. */
function changesOf({ outcomes, table }: Scored, baseline: Baseline): Changed[] {
  const changes = outcomes.flatMap((outcome) => {
    const before = baseline.of(outcome.name);
    if (!before) return [];
    return compareScores(before, outcome, table).flips.flatMap(({ row, value, state }): Changed[] => {
      const now = outcome.rows[row];
      return now && (value || state) ? [{ row, function: outcome.name, now }] : [];
    });
  });
  const rows = new Set([...new Set(changes.map(({ row }) => row))].sort((a, b) => a - b).slice(0, MOST_ROWS));
  return changes.filter(({ row }) => rows.has(row));
}

/** One version of the reward file, its helpers as the baseline has them, over the rows that flipped. */
async function scoreVersion(
  { ports, reward, settings, trainer }: IdleContext,
  baseline: Baseline,
  { table, ready }: Scored,
  version: { readonly text: string; readonly texts: ReadonlyMap<string, string | null> },
  changes: readonly Changed[],
  signal: AbortSignal,
): Promise<PassResult> {
  const { model } = reward.model(version.text);
  const wanted = new Set(changes.flatMap(({ function: name }) => [name, baseline.nameThen(name)]));
  const functions = model.functions.filter(({ name }) => wanted.has(name));
  // Of a saved baseline Python finds the helpers on disk by itself.
  const helpers = baseline.kind === "saved" ? [] : [...version.texts];
  const overlays = Object.fromEntries(
    helpers.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])),
  );
  const request = await passRequest(ports, {
    path: reward.path,
    table,
    composition: compose(functions, table, ready, trainer),
    rows: [...new Set(changes.map(({ row }) => row))],
    overlays: { ...overlays, [reward.path]: version.text },
    kind: liveKind(settings),
    settings,
    allow: reward.allow,
  });
  return runPass(ports.worker, ports.clock, request, { signal });
}

function addCauses(
  found: ReadonlyMap<Changed, number[]>,
  { functions }: PassResult,
  baseline: Baseline,
  hunk: Hunk,
): void {
  const rows = new Map(functions.map((fn) => [fn.name, fn.rows]));
  for (const [change, ids] of found) {
    const name = change.function;
    const outcome = (rows.get(name) ?? rows.get(baseline.nameThen(name)))?.[change.row];
    if (outcome && sameOutcome(outcome, change.now)) ids.push(hunk.id);
  }
}

function sameOutcome(a: RowOutcome, b: RowOutcome): boolean {
  if (a.state !== b.state) return false;
  const [one, other] = [scoreOf(a), scoreOf(b)];
  return Number.isNaN(one) ? Number.isNaN(other) : sameScore(one, other);
}
