import { random, type Cell, type ScoreCase } from "./harness";

const SCALES = ["group", "batch", "none"] as const;
/** Group sizes that people train with, and those where torch's sums change their order. */
const SIZES = [2, 3, 4, 5, 7, 8, 8, 8, 9, 12, 15, 16, 16, 17, 24, 31, 32, 33, 64, 65];

/** Tables of rewards of every kind that functions give; `groups` in all. */
export function randomTables(groups: number, seed: number): ScoreCase[] {
  const next = random(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const cases: ScoreCase[] = [];
  for (let made = 0; made < groups;) {
    const n = pick(SIZES);
    const count = Math.min(groups - made, 1 + Math.floor(next() * 8));
    const functions = pick([1, 1, 1, 2, 2, 3, 4, 5]);
    made += count;
    cases.push({
      id: `table-${cases.length}`,
      op: "score",
      rewards: Array.from({ length: functions }, () => column(n, count)),
      weights: Array.from({ length: functions }, () =>
        pick([1, 1, 1, 0.5, 0.1, 0.3, 2, -1, 0, 0.0625, 1 / 3]),
      ),
      n,
      scale: pick(SCALES),
      aggregation: next() < 0.75 ? "sum_then_normalize" : "normalize_then_sum",
    });
  }
  return cases;

  function column(n: number, count: number): Cell[] {
    const kind = pick(["binary", "uniform", "tenths", "normal", "large", "tiny", "tiny", "mixed"] as const);
    const absent = next() < 0.4 ? next() * 0.6 : 0;
    const broken = next() < 0.12 ? 0.06 : 0;
    return Array.from({ length: count }, () => {
      const constant = next() < 0.2;
      const all = value(kind);
      return Array.from({ length: n }, (): Cell => {
        if (next() < absent) return next() < 0.7 ? null : "nan";
        if (next() < broken) return next() < 0.5 ? "inf" : "-inf";
        return constant ? all : value(kind);
      });
    }).flat();
  }

  function value(kind: string): number {
    switch (kind) {
      case "binary":
        return next() < 0.4 ? 1 : 0;
      case "uniform":
        return next();
      case "tenths":
        return Math.round(next() * 20 - 10) / 10;
      case "normal":
        return (next() + next() + next() + next() - 2) * 3;
      case "large":
        return (next() - 0.3) * 10 ** Math.floor(next() * 12);
      case "tiny":
        return 0.35 + (next() < 0.5 ? 0 : (next() - 0.5) * 10 ** -Math.floor(4 + next() * 6));
      default:
        return pick([0, 1, -1, 0.5, 0.1, 0.35, 1e-9, 100.1, 3.4e38, 1e39, 7]);
    }
  }
}
