import { RewardsmithError } from "../../base/errors";
import type { JobFrame, WorkerPort } from "../../core/ports";
import { encodeParts } from "../../core/scoring/encode";
import type { RowOutcome } from "../../core/scoring/outcome";
import type { LabWay, Observation } from "../../schema/lab";
import { toTagged } from "../../schema/number";
import type { UnitFrame } from "../../schema/worker";
import type { Composition } from "../composition";
import { dirName } from "../paths";
import { liveKind, passRequest } from "../passRequest";
import type { ScoreSession } from "../scoreSession";
import { runPass, type PassResult } from "../scoreRunner";
import { oneRowTable } from "./attemptTable";

/** Characters of a value at a step. */
const VALUE_TEXT = 300;

interface WayAsk {
  readonly row: number;
  readonly function: string;
  readonly completion?: unknown;
}

/**
 * Follows one sample (or another completion in its place) through one function. Guarded as while typing: a side effect
 * that nobody allowed makes the row held. Rejects with NoFunction, NoSamples (no such row), and Cancelled on a newer edit.
 */
export function followWay(session: ScoreSession, ask: WayAsk, outer: AbortSignal): Promise<LabWay> {
  return session.aside(async (subject, { ports, reward, settings }, signal) => {
    const { table, composition } = subject;
    const { functions } = composition;
    const part = functions.find(({ fn }) => fn.name === ask.function);
    if (!part)
      throw new RewardsmithError("NoFunction", `there is no function ${ask.function} now`, {
        path: reward.path,
      });
    requireRow(table, ask.row);
    const { scored } = session.lab();
    const own = scored?.outcomes.find(({ name }) => name === ask.function)?.rows[ask.row];
    const known = ask.completion === undefined && scored?.text === subject.text ? own : undefined;
    if (part.fn.isAsync) return withoutWay(ask.function, "async", known);

    const other = ask.completion === undefined ? null : { completion: ask.completion };
    const followed = other ? oneRowTable(table, ask.row, nextSet(), other) : table;
    const row = other ? 0 : ask.row;
    const { worker } = ports;
    if (other) await worker.load(followed.info.set, () => encodeParts(followed, 1));
    try {
      const alone: Composition = { ...composition, functions: [part] };
      const request = await passRequest(ports, {
        path: reward.path,
        table: followed,
        composition: alone,
        rows: [row],
        overlays: ports.documents.overlays(reward.path),
        kind: liveKind(settings),
        settings,
        allow: reward.allow,
        trace: { pinned: row, maxText: VALUE_TEXT, explain: true },
      });
      const seen = hearing(worker);
      const result = await runPass(seen.port, ports.clock, request, { signal });
      return wayOf(ask.function, result, row, seen.unit(), known, dirName(reward.path));
    } finally {
      if (other) worker.drop(followed.info.set);
    }
  }, outer);
}

/** Rejects what a view asks about a set that it hasn't heard is gone. */
export function requireRow(table: { readonly n: number }, row: number): void {
  if (row >= table.n) throw new RewardsmithError("NoSamples", `there is no row ${row + 1} now`);
}

let sets = 0;
/** Names of sets that live for one run. */
export function nextSet(): string {
  return `one row ${++sets}`;
}

/** The worker, with an ear for what a pass doesn't keep. */
function hearing(worker: Pick<WorkerPort, "run">): {
  readonly port: Pick<WorkerPort, "run">;
  readonly unit: () => UnitFrame | null;
} {
  let unit: UnitFrame | null = null;
  return {
    unit: () => unit,
    port: {
      run: (job, onFrame, signal) =>
        worker.run(
          job,
          (frame: JobFrame) => {
            if (frame.t === "unit") unit = frame;
            onFrame(frame);
          },
          signal,
        ),
    },
  };
}

function wayOf(
  name: string,
  result: PassResult,
  row: number,
  unit: UnitFrame | null,
  known: RowOutcome | undefined,
  folder: string,
): LabWay {
  const { failure, loaded } = result;
  if (failure) {
    const { message, line } = failure;
    const reason = { code: "module" as const, text: message.slice(0, 4000), ...(line && { line }) };
    return { ...withoutWay(name, "failed", undefined), reason };
  }
  const outcome = result.functions[0]?.rows[row];
  const facts = loaded?.functions[0];
  if (facts?.isAsync || facts?.asyncCall) return withoutWay(name, "async", outcome);
  if (facts && (!facts.callable || facts.bindError !== null)) return withoutWay(name, "failed", outcome);
  const { steps, observations, cut } = unit ?? {};
  if (!steps) return withoutWay(name, "not-scored", outcome);
  return {
    ...withoutWay(name, null, outcome),
    steps,
    cut: cut ?? false,
    observations: (observations ?? []).map((one) => shownFrom(folder, one)),
    // The guard stops what an asked pass may do: that isn't the batch's doing.
    differs: known !== undefined && outcome?.state !== "held" && !sameOutcome(known, outcome),
  };
}

/** A helper's file as it is seen from the reward's folder. */
function shownFrom(folder: string, one: Observation): Observation {
  if (!one.helper?.file.startsWith(folder)) return one;
  const file = one.helper.file.slice(folder.length).replace(/^[\\/]/u, "");
  return { ...one, helper: { ...one.helper, file } };
}

function withoutWay(name: string, off: LabWay["off"], outcome: RowOutcome | undefined): LabWay {
  const value = outcome?.value ?? null;
  return {
    function: name,
    state: outcome?.state ?? "unscored",
    value: value === null ? null : toTagged(value),
    reason: outcome?.reason ?? null,
    output: outcome?.output ?? null,
    steps: [],
    cut: false,
    observations: [],
    off,
    differs: false,
  };
}

/** NaN equals NaN, and 0 equals −0. */
function sameOutcome(a: RowOutcome, b: RowOutcome | undefined): boolean {
  return b !== undefined && a.state === b.state && (a.value === b.value || Object.is(a.value, b.value));
}
