import { RewardsmithError } from "../base/errors";
import { modelOf, type Override } from "../core/contracts/registry";
import { parseSource } from "../core/python/source";
import { compareScores } from "../core/scoring/compare";
import { encodeParts } from "../core/scoring/encode";
import { allRows } from "../core/scoring/plan";
import type { SampleTable } from "../core/scoring/table";
import type { ScoreReport } from "../schema/report";
import type { ContractId, FileModel, RewardFunction } from "../schema/reward";
import type { SampleMapping } from "../schema/sample";
import type { EngineSettings } from "../schema/settings";
import { compose, type TrainerOptions } from "./composition";
import { findingsOf } from "./findings";
import { askedKind, passRequest } from "./passRequest";
import { baseName } from "./paths";
import type { ScoringPorts } from "./ports";
import { resolveSuites, suiteFor, type Projects, type ResolvedSuite } from "./project";
import type { SampleSets } from "./sampleSets";
import { toScored, type Subject } from "./scored";
import { reportOf } from "./scoreReports";
import { runPass, type PassFunction, type PassResult } from "./scoreRunner";
import { suiteOverrides, suiteTrainer } from "./suites";
import { versionHash, versionTexts } from "./versions";

/** What one scoring from the command line is asked for; null and left-out parts come from the suite or by default. */
export interface ScoreOnceOptions {
  /** Absolute path of the reward file. */
  readonly file: string;
  /** Null = all reward functions of the file (those of the suite, where there is one). */
  readonly functions: readonly string[] | null;
  /** Absolute paths of sample files; empty = the suite's. */
  readonly files: readonly string[];
  readonly mapping: SampleMapping | null;
  readonly contract: ContractId | null;
  readonly weights: Readonly<Record<string, number>>;
  /** A column, `prompt`, or a number of rows. */
  readonly groupBy: string | number | null;
  readonly advantages: TrainerOptions["advantages"] | null;
  readonly aggregation: TrainerOptions["aggregation"] | null;
  readonly batch: number | null;
  readonly timeoutSeconds: number | null;
  /** `HEAD`, or the absolute path of a file that holds the earlier version. */
  readonly baselineRef: string | null;
  /** 2: every batch is called twice, to see whether a second call gives something else. */
  readonly calls: 1 | 2;
}

export interface ScoreOnceDeps {
  readonly ports: ScoringPorts;
  readonly samples: SampleSets;
  readonly projects: Pick<Projects, "find">;
  /** Limits that no option names. */
  readonly settings: EngineSettings;
  /** Of the product, for the report. */
  readonly version: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Scores a file over sample files once and reports. What user code does is in the report (states, `error`); rejects
 * where there is nothing to score: FileMissing, NoFunction, NoSamples, ColumnMissing, PythonMissing and its kin.
 */
export async function scoreOnce(options: ScoreOnceOptions, deps: ScoreOnceDeps): Promise<ScoreReport> {
  const { ports, settings, signal } = deps;
  const text = (await ports.documents.text(options.file))?.text;
  if (text === undefined)
    throw new RewardsmithError("FileMissing", `${options.file}: there is no such file.`, {
      path: options.file,
    });
  const suite = await findSuite(options.file, deps);
  const source = parseSource(text);
  const model = modelOf(options.file, -1, source, overridesOf(options, suite));
  const functions = choose(model, options, suite);
  const table = await openTable(options, suite, deps);
  const started = ports.clock.now();
  const ready = await ports.worker.ready(signal);
  await ports.worker.load(table.info.set, () => encodeParts(table, 1000));
  const trainer = trainerOf(options, suite, settings);
  const subject: Subject = {
    version: -1,
    text,
    source,
    model: { ...model, functions },
    table,
    ready,
    composition: compose(functions, table, ready, trainer),
  };
  const limits = { ...settings, timeoutSeconds: options.timeoutSeconds ?? settings.timeoutSeconds };
  const pass = (of: Subject, overlays: Record<string, string>): Promise<PassResult> =>
    passRequest(ports, {
      path: options.file,
      table,
      composition: of.composition,
      rows: allRows(table),
      overlays,
      kind: askedKind(limits, options.calls),
      settings: limits,
      allow: new Map(),
    }).then((request) =>
      runPass(ports.worker, ports.clock, request, {
        ...(signal && { signal }),
        onProgress: (_, done, total) => deps.onProgress?.(done, total),
      }),
    );

  const result = await pass(subject, ports.documents.overlays(options.file));
  const texts = await versionTexts(ports.documents, options.file, text, result.loaded);
  const hash = versionHash(ports.hasher, texts, ready, result.loaded, subject.composition, table);
  const totalMs = ports.clock.now() - started;
  const scored = {
    ...toScored(subject, result, options.calls),
    texts,
    hash,
    timing: { queuedMs: result.queuedMs, passMs: result.ms, totalMs, mode: ports.worker.mode },
  };
  const report = reportOf(
    deps.version,
    options.file,
    scored,
    findingsOf(subject, result.failure ? null : scored, result.failure),
    result.failure,
  );
  if (options.baselineRef === null || result.failure) return report;
  const before = await baselineText(options.baselineRef, options.file, ports);
  const old = await pass(baselineSubject(subject, before, options, suite, trainer), {
    [options.file]: before,
  });
  return withFlips(report, options.baselineRef, result.functions, old, table);
}

async function findSuite(file: string, { projects }: ScoreOnceDeps): Promise<ResolvedSuite | null> {
  const { path, project } = await projects.find(file);
  return path !== null && project ? suiteFor(resolveSuites(project, path), file) : null;
}

/** A contract given for the whole file, or by the suite for one function; functions asked for by name are rewards. */
function overridesOf(options: ScoreOnceOptions, suite: ResolvedSuite | null): Map<string, Override> {
  const overrides = suiteOverrides(suite, options.file);
  for (const name of options.functions ?? [])
    overrides.set(name, {
      contract: options.contract ?? overrides.get(name)?.contract ?? "auto",
      by: "user",
    });
  return overrides;
}

function choose(model: FileModel, options: ScoreOnceOptions, suite: ResolvedSuite | null): RewardFunction[] {
  const { contract } = options;
  const all = contract
    ? model.functions.map((fn) => (fn.contract === contract ? fn : chosen(fn, contract)))
    : model.functions;
  const inSuite = suite?.rewards.filter(({ path }) => path === options.file).map((reward) => reward.function);
  const wanted = options.functions ?? (inSuite?.some((name) => name !== "") ? inSuite : null);
  const file = baseName(options.file);
  if (wanted === null) {
    if (all.length > 0) return all;
    throw new RewardsmithError(
      "NoFunction",
      `${file}: no reward function found. Name one: ${file}:FUNCTION.`,
      { path: options.file },
    );
  }
  return wanted.map((name) => {
    const fn = all.find((one) => one.name === name);
    if (fn) return fn;
    const names = all.map((one) => one.name).join(", ");
    throw new RewardsmithError(
      "NoFunction",
      `${file} has no function ${name}.${names === "" ? "" : ` It has: ${names}.`}`,
      { path: options.file, function: name },
    );
  });
}

function chosen(fn: RewardFunction, contract: ContractId): RewardFunction {
  return { ...fn, contract, reasons: ["chosen-by-user"] };
}

async function openTable(
  options: ScoreOnceOptions,
  suite: ResolvedSuite | null,
  { samples, signal }: ScoreOnceDeps,
): Promise<SampleTable> {
  const files = options.files.length > 0 ? options.files : (suite?.samples ?? []);
  if (files.length === 0)
    throw new RewardsmithError("NoSamples", "No sample file was given, and no rewardsmith.json names one.");
  const group = groupOf(options.groupBy);
  const mapping = options.mapping && group ? { ...options.mapping, group } : options.mapping;
  const hints = { ...suite?.mapping, ...(group && { group }) };
  const given = Object.keys(hints).length > 0 ? { hints } : {};
  return samples.open(files, mapping, { ...given, ...(signal && { signal }) });
}

function groupOf(by: string | number | null): SampleMapping["group"] | null {
  if (by === null) return null;
  if (typeof by === "number") return { by: "size", size: by };
  return by === "prompt" ? { by: "prompt" } : { by: "column", column: by };
}

function trainerOf(
  options: ScoreOnceOptions,
  suite: ResolvedSuite | null,
  settings: EngineSettings,
): TrainerOptions {
  const own = suiteTrainer(suite, options.file);
  return {
    ...own,
    ...(options.advantages && { advantages: options.advantages }),
    ...(options.aggregation && { aggregation: options.aggregation }),
    ...(options.contract && { framework: options.contract }),
    batch: options.batch ?? own.batch ?? settings.batch,
    weights: { ...own.weights, ...options.weights },
  };
}

async function baselineText(ref: string, file: string, ports: ScoringPorts): Promise<string> {
  const text = ref === "HEAD" ? await ports.documents.head(file) : await ports.documents.disk(ref);
  if (text !== null) return text;
  throw new RewardsmithError(
    "BadArguments",
    ref === "HEAD"
      ? `${baseName(file)} isn't in the last commit, so there is no baseline.`
      : `The baseline ${ref} is neither HEAD nor a file.`,
    { path: file },
  );
}

function baselineSubject(
  subject: Subject,
  text: string,
  options: ScoreOnceOptions,
  suite: ResolvedSuite | null,
  trainer: TrainerOptions,
): Subject {
  const source = parseSource(text);
  const model = modelOf(options.file, -1, source, overridesOf(options, suite));
  const wanted = new Set(subject.model.functions.map(({ name }) => name));
  const functions = model.functions.filter(({ name }) => wanted.has(name));
  const { table, ready } = subject;
  return {
    ...subject,
    text,
    source,
    model: { ...model, functions },
    composition: compose(functions, table, ready, trainer),
  };
}

function withFlips(
  report: ScoreReport,
  ref: string,
  now: readonly PassFunction[],
  old: PassResult,
  table: SampleTable,
): ScoreReport {
  const before = new Map(old.functions.map(({ name, rows }) => [name, rows]));
  return {
    ...report,
    baseline: { ref, error: old.failure?.message ?? null },
    functions: report.functions.map((fn) => {
      const outcome = now.find(({ name }) => name === fn.name);
      const rows = before.get(fn.name);
      if (!outcome || !rows || old.failure) return fn;
      const { up, down, flips } = compareScores({ ids: table.ids, rows }, outcome, table);
      return { ...fn, flips: { up, down, rows: flips.map(({ row }) => row) } };
    }),
  };
}
