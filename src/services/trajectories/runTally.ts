import type { RunInfo } from "../../schema/trajectoryView";

const MOST_STEPS = 10_000;

type StepInfo = RunInfo["steps"][number];

interface Tally {
  readonly step: number;
  readonly split: string | null;
  n: number;
  groups: number;
  scored: number;
  sum: number;
}

/** Counts of each step and split, kept up as rows come, so that asking costs nothing however many rows there are. */
export class RunTally {
  readonly #tallies = new Map<string, Tally>();
  #last: Tally | null = null;

  /** `step` NaN: it belongs to none, and isn't counted. `newGroup`: the row is the first of its group. */
  add(row: {
    readonly step: number;
    readonly split: string | null;
    readonly reward: number;
    readonly newGroup: boolean;
  }): void {
    if (!Number.isFinite(row.step)) return;
    const tally = this.#of(row.step, row.split);
    tally.n++;
    if (row.newGroup) tally.groups++;
    if (!Number.isFinite(row.reward)) return;
    tally.scored++;
    tally.sum += row.reward;
  }

  /** By step, those without a split first. */
  steps(): StepInfo[] {
    return [...this.#tallies.values()]
      .sort((a, b) => a.step - b.step || compare(a.split ?? "", b.split ?? ""))
      .slice(0, MOST_STEPS)
      .map(({ step, split, n, groups, scored, sum }) => {
        const mean = sum / scored;
        return { step, split, n, groups, scored, mean: Number.isFinite(mean) ? mean : null };
      });
  }

  #of(step: number, split: string | null): Tally {
    if (this.#last?.step === step && this.#last.split === split) return this.#last;
    const key = JSON.stringify([step, split]);
    const tally = this.#tallies.get(key) ?? { step, split, n: 0, groups: 0, scored: 0, sum: 0 };
    this.#tallies.set(key, tally);
    this.#last = tally;
    return tally;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
