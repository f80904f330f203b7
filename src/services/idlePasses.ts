import type { FunctionModel } from "../core/python/model";
import { liveRows } from "../core/scoring/live";
import type { RowOutcome } from "../core/scoring/outcome";
import type { Previews } from "../schema/live";
import type { ScoreState } from "../schema/score";
import type { EngineSettings } from "../schema/settings";
import type { Baseline } from "./baseline";
import { compose, type TrainerOptions } from "./composition";
import { liveKind, passRequest } from "./passRequest";
import type { ScoringPorts } from "./ports";
import { buildPreviews } from "./previews";
import type { RewardText } from "./rewardText";
import type { Scored } from "./scored";
import { runPass } from "./scoreRunner";
import { versionHash } from "./versions";

/** What passes that can wait need of their session. */
export interface IdleContext {
  readonly ports: ScoringPorts;
  readonly reward: RewardText;
  readonly settings: EngineSettings;
  readonly trainer: TrainerOptions;
}

/** Characters of a value in a preview. */
const TRACE_TEXT = 120;

type Rows = ReadonlyMap<string, readonly (RowOutcome | undefined)[]>;

/**
 * Scores the baseline's version on the rows that it has no outcome for. Where it is the very version that was just
 * scored, nothing runs; where it is another, only if it may. True where something new is known.
 */
export async function scoreBaseline(
  context: IdleContext,
  baseline: Baseline,
  scored: Scored,
  mayRun: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { table } = scored;
  const wanted = table.ids.flatMap((_, row) =>
    scored.outcomes.some(({ rows }) => rows[row] !== undefined) ? [row] : [],
  );
  const missing = baseline.missing(wanted, table);
  if (missing.length === 0 || scored.outcomes.length === 0) return false;
  const { kind } = baseline;
  const texts = await baselineTexts(context, baseline, scored);
  if (signal.aborted) return false;
  const main = texts.get(context.reward.path);
  if (main === undefined || main === null) {
    baseline.fail();
    return true;
  }
  const files = [...scored.texts.keys()];
  if (files.every((path) => texts.get(path) === scored.texts.get(path))) {
    const hash = scored.hash ?? "";
    baseline.set({ kind, hash, ids: table.ids, files, functions: rowsOf(scored.outcomes) }, true);
    return true;
  }
  if (!mayRun) return false;
  return scoreOtherVersion(context, baseline, scored, { main, texts, missing }, signal);
}

async function scoreOtherVersion(
  context: IdleContext,
  baseline: Baseline,
  scored: Scored,
  version: { main: string; texts: ReadonlyMap<string, string | null>; missing: readonly number[] },
  signal: AbortSignal,
): Promise<boolean> {
  const { ports, reward, settings } = context;
  const { table, ready } = scored;
  const { model } = reward.model(version.main);
  const composition = compose(model.functions, table, ready, context.trainer);
  // The saved version is what Python finds on disk by itself.
  const overlays =
    baseline.kind === "saved"
      ? {}
      : Object.fromEntries(
          [...version.texts].flatMap(([path, text]) => (text === null ? [] : [[path, text]])),
        );
  const request = await passRequest(ports, {
    path: reward.path,
    table,
    composition,
    rows: version.missing,
    overlays,
    kind: liveKind(settings),
    settings,
    allow: reward.allow,
  });
  const result = await runPass(ports.worker, ports.clock, request, { signal });
  if (signal.aborted) return false;
  if (result.failure) {
    baseline.fail();
    return true;
  }
  const known = baseline.scores;
  const functions = rowsOf(result.functions);
  if (known?.ids === table.ids) baseline.extend(functions);
  else {
    const files = [...new Set([reward.path, ...(result.loaded?.files ?? [])])];
    const texts = new Map([...version.texts].map(([path, text]) => [path, text ?? ""]));
    const hash = versionHash(ports.hasher, texts, ready, result.loaded, composition, table);
    baseline.set({ kind: baseline.kind, hash, ids: table.ids, files, functions }, false);
  }
  return true;
}

/** The baseline's texts of the files that make up the scored version; null where it has no such file. */
async function baselineTexts(
  { ports, reward }: IdleContext,
  baseline: Baseline,
  scored: Scored,
): Promise<ReadonlyMap<string, string | null>> {
  const texts = new Map<string, string | null>();
  for (const path of new Set([reward.path, ...scored.texts.keys()]))
    texts.set(path, await baselineText(ports, baseline, path));
  return texts;
}

/** Text of one file in the baseline; null where it has no such file. */
export async function baselineText(
  ports: Pick<ScoringPorts, "documents" | "files">,
  { kind, pinned }: Baseline,
  path: string,
): Promise<string | null> {
  switch (kind) {
    case "saved":
      return ports.documents.disk(path);
    case "head":
      return ports.documents.head(path);
    case "pin":
      return pinned?.[path] ?? null;
  }
}

function rowsOf(functions: readonly { name: string; rows: readonly (RowOutcome | undefined)[] }[]): Rows {
  return new Map(functions.map(({ name, rows }) => [name, rows]));
}

/** Rows that took their process with them, or were never reached, aren't tried again for their lines. */
const UNTRACEABLE: ReadonlySet<ScoreState> = new Set<ScoreState>(["timed-out", "crashed", "cancelled"]);

/** Follows rows one by one through the file. Null where a newer edit ended it. */
export async function tracePass(
  context: IdleContext,
  scored: Scored,
  pinned: number | null,
  visible: readonly number[],
  signal: AbortSignal,
): Promise<Map<string, Previews> | null> {
  const { ports, reward, settings } = context;
  const { table, composition, source } = scored;
  const previews = new Map<string, Previews>();
  const models = new Map<string, FunctionModel>(source.functions.map((fn) => [fn.name, fn]));
  const none = (off: Previews["off"]): Previews => ({ traced: 0, of: table.n, off, lines: [], neverHit: [] });
  const loaded = new Map(scored.loaded?.functions.map((fn) => [fn.name, fn]));
  const traceable = composition.functions.filter(({ fn }) => {
    const facts = loaded.get(fn.name);
    if (fn.isAsync || facts?.isAsync || facts?.asyncCall) previews.set(fn.name, none("async"));
    else if (facts && (!facts.callable || facts.bindError !== null)) previews.set(fn.name, none("failed"));
    else return true;
    return false;
  });
  const rows = liveRows(table, {
    limit: settings.traceRows,
    pinned,
    labelled: [],
    flipped: [],
    visible,
  }).filter((row) =>
    scored.outcomes.every(({ rows: cells }) => {
      const cell = cells[row];
      return cell !== undefined && !UNTRACEABLE.has(cell.state);
    }),
  );
  if (traceable.length === 0 || rows.length === 0) {
    for (const { fn } of traceable) previews.set(fn.name, none("none"));
    return previews;
  }
  const request = await passRequest(ports, {
    path: reward.path,
    table,
    composition: { ...composition, functions: traceable },
    rows,
    overlays: ports.documents.overlays(reward.path),
    kind: liveKind(settings),
    settings,
    allow: reward.allow,
    trace: { pinned, maxText: TRACE_TEXT },
  });
  const result = await runPass(ports.worker, ports.clock, request, { signal });
  if (signal.aborted) return null;
  const rewards = new Set(composition.functions.map(({ fn }) => fn.name));
  for (const traced of result.functions) {
    const fn = models.get(traced.name);
    const scores = scored.outcomes.find(({ name }) => name === traced.name)?.rows ?? [];
    previews.set(
      traced.name,
      fn && !result.failure
        ? buildPreviews({ fn, source, rewards, scores, traced, of: table.n })
        : none("failed"),
    );
  }
  return previews;
}
