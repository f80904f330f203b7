import type { Measured } from "../../../schema/evidence";
import type { TaskMatrix } from "./bootstrap";

/** One rollout of one task. Null: it wasn't measured, which is never a 0. */
export interface RolloutOutcome {
  /** The machine failed, not the policy: left out, and counted. */
  readonly infrastructure: boolean;
  /** By a measure that isn't the training reward. An invalid rollout has none. */
  readonly success: boolean | null;
  readonly invalid: boolean;
  readonly unsafe: boolean | null;
  readonly latencyS: number | null;
  readonly cost: number | null;
  readonly reward: number | null;
  /** General checks by name, shares: higher is better. */
  readonly checks: Readonly<Record<string, number | null>>;
}

export interface TaskOutcomes {
  readonly task: string;
  readonly baseline: readonly RolloutOutcome[];
  readonly candidate: readonly RolloutOutcome[];
}

export interface GateMeasure {
  readonly name: string;
  readonly unit: Measured["unit"];
  readonly better: "higher" | "lower";
  of(rollout: RolloutOutcome): number | null;
}

const share = (value: boolean | null) => (value === null ? null : Number(value));

const MEASURES: readonly GateMeasure[] = [
  // An invalid rollout didn't solve its task; what the machine spoilt is left out before.
  { name: "success", unit: "share", better: "higher", of: (one) => (one.invalid ? 0 : share(one.success)) },
  { name: "invalid", unit: "share", better: "lower", of: (one) => Number(one.invalid) },
  { name: "unsafe", unit: "share", better: "lower", of: (one) => share(one.unsafe) },
  { name: "latency", unit: "relative", better: "lower", of: (one) => one.latencyS },
  { name: "cost", unit: "relative", better: "lower", of: (one) => one.cost },
  { name: "reward", unit: "reward", better: "higher", of: (one) => one.reward },
];

export interface PairedTasks {
  readonly tasks: readonly TaskOutcomes[];
  readonly measures: readonly GateMeasure[];
  readonly unpaired: number;
  readonly infrastructure: [baseline: number, candidate: number];
}

/** Tasks that have a rollout on both sides, without those that the machine spoilt. */
export function pairTasks(all: readonly TaskOutcomes[]): PairedTasks {
  const infrastructure: [number, number] = [0, 0];
  const checks = new Set<string>();
  const kept = all.map(({ task, baseline, candidate }) => {
    const own = [baseline, candidate].map((rollouts, side) => {
      const good = rollouts.filter((one) => !one.infrastructure);
      if (side === 0) infrastructure[0] += rollouts.length - good.length;
      else infrastructure[1] += rollouts.length - good.length;
      for (const one of good) for (const name of Object.keys(one.checks)) checks.add(name);
      return good;
    });
    return { task, baseline: own[0] ?? [], candidate: own[1] ?? [] };
  });
  const tasks = kept.filter(({ baseline, candidate }) => baseline.length > 0 && candidate.length > 0);
  const more = [...checks].sort().map((name): GateMeasure => ({
    name: `check/${name}`,
    unit: "share",
    better: "higher",
    of: (one) => (Object.hasOwn(one.checks, name) ? (one.checks[name] ?? null) : null),
  }));
  return { tasks, measures: [...MEASURES, ...more], unpaired: all.length - tasks.length, infrastructure };
}

/** Candidate − baseline by task; latency and cost relative to the baseline's mean over all tasks. */
export function matrixOf(tasks: readonly TaskOutcomes[], measures: readonly GateMeasure[]): TaskMatrix {
  const values = new Float64Array(tasks.length * measures.length);
  measures.forEach((measure, at) => {
    const whole = measure.unit === "relative" ? meanOf(tasks, "baseline", measure) : 1;
    tasks.forEach(({ baseline, candidate }, task) => {
      const difference = taskMean(candidate, measure) - taskMean(baseline, measure);
      values[task * measures.length + at] = whole === null || whole === 0 ? Number.NaN : difference / whole;
    });
  });
  return { values, tasks: tasks.length, measures: measures.length };
}

/** Mean over the tasks that have a number on both sides; null: none has. */
export function meanOf(
  tasks: readonly TaskOutcomes[],
  side: "baseline" | "candidate",
  measure: GateMeasure,
): number | null {
  let sum = 0;
  let n = 0;
  for (const task of tasks) {
    const own = taskMean(task[side], measure);
    const other = taskMean(task[side === "baseline" ? "candidate" : "baseline"], measure);
    if (Number.isNaN(own) || Number.isNaN(other)) continue;
    sum += own;
    n++;
  }
  return n === 0 ? null : sum / n;
}

/** NaN: no rollout of the task has a number. */
function taskMean(rollouts: readonly RolloutOutcome[], measure: GateMeasure): number {
  let sum = 0;
  let n = 0;
  for (const rollout of rollouts) {
    const value = measure.of(rollout);
    if (value === null || Number.isNaN(value)) continue;
    sum += value;
    n++;
  }
  return n === 0 ? Number.NaN : sum / n;
}
