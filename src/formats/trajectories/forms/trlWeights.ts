import * as z from "zod";
import { fieldsOf, finiteOf, isFields, listOf, type Fields } from "../build";

/** Most rows that are looked at: a step is rarely larger. */
const MOST_ROWS = 20_000;
const EPSILON = 1e-4;
/** Weights are told to about this; trainers' weights have few digits. */
const DIGITS = 4;
const FITS = 1e-3;

/**
 * The weights of a run's reward functions, which TRL 1.16 writes nowhere: worked out from what it does write. Its
 * advantages within a group are proportional to the centred totals, Σ wⱼ (cᵢⱼ − c̄ⱼ) = s · aᵢ, one unknown s a group;
 * that gives the weights up to a factor (the direction in which the sum of squares vanishes). The factor comes from the
 * step's logged `reward` mean in trainer_state.json; without it, where all weights are equal, it is taken as 1.
 *
 * Null: the file doesn't tell them (nothing varies, several sets fit, or none does), so totals aren't known either.
 */
export function weightsOf(
  rows: readonly Fields[],
  all: readonly string[],
  state: unknown,
  step: number | null,
): Record<string, number> | null {
  // A function that said None of every row is in no total of this file.
  const names = all.filter((name) => rows.some((row) => finiteOf(row[name]) !== null));
  const [only] = names;
  const groups = groupsOf(rows.slice(0, MOST_ROWS), names);
  const mean = loggedMean(state, step, rows.length);
  if (only !== undefined && names.length === 1) return { [only]: scaled([1], rows, names, mean)?.[0] ?? 1 };
  const direction = vanishing(normalMatrix(groups, names.length), names.length);
  if (!direction || !holds(groups, direction)) return null;
  const weights = scaled(direction, rows, names, mean);
  return weights && Object.fromEntries(names.map((name, at) => [name, weights[at] ?? Number.NaN]));
}

interface Group {
  /** Centred components, one a row. */
  readonly centred: readonly (readonly number[])[];
  readonly advantages: readonly number[];
}

/** Runs of rows of one prompt whose advantages aren't all 0. None counts 0 in TRL's sum (`nansum`). */
function groupsOf(rows: readonly Fields[], names: readonly string[]): Group[] {
  const runs = new Map<string, Fields[]>();
  let run = 0;
  let before = "";
  for (const row of rows) {
    const prompt = JSON.stringify(row["prompt"] ?? null, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    if (prompt !== before) run++;
    before = prompt;
    const list = runs.get(String(run));
    if (list) list.push(row);
    else runs.set(String(run), [row]);
  }
  return [...runs.values()].flatMap((members) => {
    const advantages = members.map((row) => finiteOf(row["advantage"]) ?? Number.NaN);
    if (advantages.some((one) => Number.isNaN(one)) || advantages.every((one) => Math.abs(one) < EPSILON))
      return [];
    const values = members.map((row) => names.map((name) => finiteOf(row[name]) ?? 0));
    const means = names.map((_, at) => values.reduce((sum, one) => sum + (one[at] ?? 0), 0) / values.length);
    return [{ advantages, centred: values.map((one) => one.map((value, at) => value - (means[at] ?? 0))) }];
  });
}

/** Sum of squares as a form of the weights, each group's own scale already put where it is least. */
function normalMatrix(groups: readonly Group[], k: number): number[][] {
  const matrix = Array.from({ length: k }, () => new Array<number>(k).fill(0));
  for (const { centred, advantages } of groups) {
    const squares = advantages.reduce((sum, one) => sum + one * one, 0);
    const along = Array.from({ length: k }, (_, at) =>
      centred.reduce((sum, row, i) => sum + (row[at] ?? 0) * (advantages[i] ?? 0), 0),
    );
    for (let a = 0; a < k; a++)
      for (let b = 0; b < k; b++) {
        const line = matrix[a];
        if (!line) continue;
        const product = centred.reduce((sum, row) => sum + (row[a] ?? 0) * (row[b] ?? 0), 0);
        line[b] = (line[b] ?? 0) + product - ((along[a] ?? 0) * (along[b] ?? 0)) / squares;
      }
  }
  return matrix;
}

/** The one direction in which a symmetric form vanishes (Jacobi's eigenvalues); null where there is none, or two. */
function vanishing(matrix: number[][], k: number): number[] | null {
  const a = matrix.map((row) => [...row]);
  const v = a.map((_, i) => a.map((__, j) => (i === j ? 1 : 0)));
  const at = (m: number[][], i: number, j: number): number => m[i]?.[j] ?? 0;
  const put = (m: number[][], i: number, j: number, value: number): void => {
    const row = m[i];
    if (row) row[j] = value;
  };
  for (let sweep = 0; sweep < 50; sweep++)
    for (let p = 0; p < k; p++)
      for (let q = p + 1; q < k; q++) {
        if (Math.abs(at(a, p, q)) < 1e-18) continue;
        const theta = (at(a, q, q) - at(a, p, p)) / (2 * at(a, p, q));
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let i = 0; i < k; i++) {
          const [x, y] = [at(a, i, p), at(a, i, q)];
          put(a, i, p, c * x - s * y);
          put(a, i, q, s * x + c * y);
        }
        for (let i = 0; i < k; i++) {
          const [x, y] = [at(a, p, i), at(a, q, i)];
          put(a, p, i, c * x - s * y);
          put(a, q, i, s * x + c * y);
          const [vx, vy] = [at(v, i, p), at(v, i, q)];
          put(v, i, p, c * vx - s * vy);
          put(v, i, q, s * vx + c * vy);
        }
      }
  const order = Array.from({ length: k }, (_, i) => i).sort((i, j) => at(a, i, i) - at(a, j, j));
  const [first = 0, second = 0] = order;
  const largest = at(a, order.at(-1) ?? 0, order.at(-1) ?? 0);
  if (!(largest > 0) || at(a, second, second) < largest * 1e-7 || at(a, second, second) < 1e-9) return null;
  return Array.from({ length: k }, (_, i) => at(v, i, first));
}

/** Whether totals of these weights really are proportional to the advantages, in every group with the same sign. */
function holds(groups: readonly Group[], direction: number[]): boolean {
  let positive = 0;
  for (const { centred, advantages } of groups) {
    const totals = centred.map((row) =>
      row.reduce((sum, value, at) => sum + value * (direction[at] ?? 0), 0),
    );
    const scale =
      totals.reduce((sum, value, i) => sum + value * (advantages[i] ?? 0), 0) /
      advantages.reduce((sum, value) => sum + value * value, 0);
    const size = Math.max(...totals.map(Math.abs));
    if (totals.some((value, i) => Math.abs(value - scale * (advantages[i] ?? 0)) > FITS * size)) return false;
    positive += Math.sign(scale);
  }
  if (Math.abs(positive) !== groups.length || groups.length === 0) return false;
  if (positive < 0) direction.forEach((value, at) => (direction[at] = -value));
  return true;
}

function scaled(
  direction: readonly number[],
  rows: readonly Fields[],
  names: readonly string[],
  mean: number | null,
): number[] | null {
  const own =
    rows.reduce(
      (sum, row) =>
        sum + names.reduce((all, name, at) => all + (finiteOf(row[name]) ?? 0) * (direction[at] ?? 0), 0),
      0,
    ) / rows.length;
  const [first = 1] = direction;
  const equal = direction.every((value) => Math.abs(value / first - 1) < FITS);
  const factor = mean !== null && Math.abs(own) > FITS ? mean / own : equal ? 1 / first : null;
  if (factor === null || !Number.isFinite(factor) || factor === 0) return null;
  return direction.map((value) => Number((value * factor).toFixed(DIGITS)));
}

/** The step's mean reward as the trainer logged it; null where it did not, or of another number of steps at once. */
function loggedMean(state: unknown, step: number | null, rows: number): number | null {
  if (step === null || rows === 0) return null;
  const found = listOf(fieldsOf(state)["log_history"]).find(
    (entry) => isFields(entry) && finiteOf(entry["step"]) === step && "reward" in entry,
  );
  return isFields(found) ? finiteOf(found["reward"]) : null;
}

const Weights = z.record(z.string(), z.number());

/** What a form's `learn` gave, as weights. */
export function weightsIn(learnt: unknown): Readonly<Record<string, number>> | null {
  const known = Weights.safeParse(learnt);
  return known.success ? known.data : null;
}
