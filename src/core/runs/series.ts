import { toTagged, type TaggedNumber } from "../../schema/number";
import type { MetricRow } from "../../schema/run";
import type { RunMetric } from "../../schema/runView";
import { thin, type Point } from "./thin";
import { meaningOf } from "./vocabulary";

/** Points of the sparkline in a list of runs. */
export const SPARKLINE = 40;

/** Readers of one framework's same numbers, the most exact first: the console rounds to four digits. */
const SAME: readonly (readonly string[])[] = [
  ["rewardsmith-log", "trainer-state", "trl-console"],
  ["verl-file", "verl-console"],
];

/** Steps that a source gave twice with different numbers: a run that went on from a checkpoint. The later counts. */
export interface Repeats {
  readonly from: string;
  readonly first: number;
  readonly last: number;
  readonly steps: number;
}

/** The numbers of a run as they come. Rows may come in any order of steps and more than once. */
export class RunSeries {
  /** Family of readers and name → step → value by rank of the reader. */
  readonly #curves = new Map<string, Curve>();
  readonly #repeated = new Map<string, Set<number>>();
  readonly #clock = new Map<string, Map<number, number>>();

  add(row: MetricRow): void {
    const { step, from } = row;
    if (row.at !== null) this.#clockOf(from).set(step, row.at);
    for (const [name, value] of Object.entries(row.values)) {
      const curve = this.#curveOf(name, from);
      if (curve.set(from, step, value)) this.#repeatedOf(from).add(step);
    }
  }

  /** Every metric, thinned to at most `points`; in order of the first time a name was seen. */
  metrics(points: number): RunMetric[] {
    return [...this.#curves.values()].flatMap((curve) => {
      const all = curve.points();
      if (!all.some(([, value]) => value !== null)) return [];
      const { id, panel, unit } = meaningOf(curve.name, curve.from);
      return [
        {
          id,
          panel,
          unit,
          original: curve.name,
          from: curve.from,
          points: thin(all, points).map(([step, value]): [number, TaggedNumber | null] => [step, value]),
          n: all.length,
        },
      ];
    });
  }

  /** All points of a metric by its id, not thinned; where several sources have it, the first that was seen. */
  points(id: string): readonly Point[] {
    for (const curve of this.#curves.values())
      if (meaningOf(curve.name, curve.from).id === id) return curve.points();
    return [];
  }

  /** Mean total reward over the steps, at most `SPARKLINE` finite numbers. */
  sparkline(): number[] {
    return thin(finite(this.points("reward")), SPARKLINE).flatMap(([, value]) =>
      typeof value === "number" ? [value] : [],
    );
  }

  /** Sources in which a step came again with another number. */
  repeats(): readonly Repeats[] {
    return [...this.#repeated].map(([from, steps]) => ({
      from,
      first: Math.min(...steps),
      last: Math.max(...steps),
      steps: steps.size,
    }));
  }

  /** When rows were written, by step, of the source with the most; milliseconds. */
  times(): readonly (readonly [step: number, at: number])[] {
    const longest = [...this.#clock.values()].sort((a, b) => b.size - a.size)[0];
    return [...(longest ?? [])].sort(([a], [b]) => a - b);
  }

  #curveOf(name: string, from: string): Curve {
    const family = SAME.find((readers) => readers.includes(from)) ?? [from];
    const key = `${family.join(" ")}\n${name}`;
    const curve = this.#curves.get(key) ?? new Curve(name, family);
    this.#curves.set(key, curve);
    return curve;
  }

  #repeatedOf(from: string): Set<number> {
    const steps = this.#repeated.get(from) ?? new Set<number>();
    this.#repeated.set(from, steps);
    return steps;
  }

  #clockOf(from: string): Map<number, number> {
    const clock = this.#clock.get(from) ?? new Map<number, number>();
    this.#clock.set(from, clock);
    return clock;
  }
}

export function seriesOf(rows: Iterable<MetricRow>): RunSeries {
  const series = new RunSeries();
  for (const row of rows) series.add(row);
  return series;
}

class Curve {
  readonly name: string;
  /** Its readers, the most exact first. */
  readonly #family: readonly string[];
  readonly #byReader = new Map<string, Map<number, TaggedNumber | null>>();
  #sorted: readonly Point[] | null = null;

  constructor(name: string, family: readonly string[]) {
    this.name = name;
    this.#family = family;
  }

  /** The most exact reader that gave anything. */
  get from(): string {
    return this.#family.find((reader) => this.#byReader.has(reader)) ?? "";
  }

  /** True: the source gave this step before, with another number. A null never takes a number's place. */
  set(from: string, step: number, value: TaggedNumber | null): boolean {
    const points = this.#byReader.get(from) ?? new Map<number, TaggedNumber | null>();
    this.#byReader.set(from, points);
    const before = points.get(step) ?? null;
    if (value === null && before !== null) return false;
    points.set(step, value);
    this.#sorted = null;
    return before !== null && value !== null && !same(before, value);
  }

  points(): readonly Point[] {
    this.#sorted ??= this.#merged();
    return this.#sorted;
  }

  #merged(): readonly Point[] {
    const merged = new Map<number, TaggedNumber | null>();
    // The most exact one last, so that it has the word where several have a number.
    for (const reader of [...this.#family].reverse())
      for (const [step, value] of this.#byReader.get(reader) ?? [])
        if (value !== null || !merged.has(step)) merged.set(step, value);
    return [...merged].sort(([a], [b]) => a - b);
  }
}

function same(a: TaggedNumber, b: TaggedNumber): boolean {
  return typeof a === "number" || typeof b === "number" ? a === b : a.nonFinite === b.nonFinite;
}

function finite(points: readonly Point[]): readonly Point[] {
  return points.filter(([, value]) => typeof value === "number");
}

/** A point for code that works with numbers: null stays null, NaN and infinities are themselves. */
export function pointOf(step: number, value: number | null): Point {
  return [step, value === null ? null : toTagged(value)];
}
