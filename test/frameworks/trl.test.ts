import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureEnvironment } from "../../scripts/frameworks.mjs";
import { advantageRule } from "../../src/core/advantages/registry";
import { trl } from "../../src/core/contracts/trl";
import type { Fate, ReasonCode, ScoreState } from "../../src/schema/score";
import {
  runCases,
  toNumber,
  type Cell,
  type Ended,
  type FateCase,
  type Results,
  type ScoreCase,
  type Scored,
  type TrainCase,
} from "./harness";
import { randomTables } from "./tables";

const GROUPS = 5000;
const GOLDEN = path.join(import.meta.dirname, "../fixtures/trl/advantages-1.16.0.jsonl");
const USER_FILE = path.join(import.meta.dirname, "user_reward.py");

const environment = await ensureEnvironment("trl");

describe.skipIf("skip" in environment)("TRL's own GRPOTrainer", () => {
  const tables = randomTables(GROUPS, 20261201);
  const golden: { case: ScoreCase; result: Scored }[] = [];
  const goldenVersions: Record<string, string> = {};
  let results: Results;

  beforeAll(async () => {
    const [first, ...lines] = (await readFile(GOLDEN, "utf8")).trimEnd().split("\n");
    Object.assign(goldenVersions, (JSON.parse(first!) as { versions: object }).versions);
    golden.push(...lines.map((line) => JSON.parse(line) as { case: ScoreCase; result: Scored }));
    if (!("python" in environment)) return;
    results = await runCases(environment.python, "trl_harness.py", [
      ...tables,
      ...golden.map((g) => g.case),
      ...TRAIN,
      ...FATES,
      ...REFERENCES,
    ]);
  });

  it("is the version that the rules name", () => {
    expect(results.versions["trl"]).toBe(ruleOf(tables[0]!).checked[1]);
  });

  it(`gives our rewards, means, stds and advantages for ${GROUPS} random groups`, () => {
    const sums = { compared: 0, identical: 0 };
    const scaled = { compared: 0, identical: 0 };
    for (const table of tables) compareTable(table, results.get(table.id), sums, scaled);
    expect(scaled.compared).toBeGreaterThan(GROUPS * 4);
    // Sums are made in torch's order (src/core/advantages/float32.ts), so these agree to the last bit.
    expect(sums.identical).toBe(sums.compared);
    // Behind a square root they differ now and then in the last place: torch takes it from MKL, which does not always
    // round it correctly.
    expect(scaled.identical / scaled.compared).toBeGreaterThan(0.99);
  });

  it("logs our means and stds for each function, the total and the share of groups without spread", () => {
    for (const table of tables) {
      const names = table.rewards.map((_, i) => `f${String(i)}`);
      const ours = ruleOf(table).logged(batchOf(table), names);
      const real = results.get(table.id).logged;
      expect([...ours.keys()].sort()).toEqual(Object.keys(real).sort());
      for (const [name, value] of ours) close(value, toNumber(real[name]), `${table.id} ${name}`);
    }
  });

  it("still gives what the golden file of the quick tests holds", () => {
    expect(goldenVersions["trl"]).toBe(results.versions["trl"]);
    for (const { case: table, result } of golden) expect(results.get(table.id)).toEqual(result);
  });

  describe("whole steps with functions from a user's file", () => {
    for (const train of TRAIN) {
      it(train.id, () => {
        const real = results.get(train.id);
        expect(real.completion).toEqual(train.completions);
        const table: ScoreCase = { ...train, op: "score", rewards: real.perFunction };
        const ours = ruleOf(table).compute(batchOf(table));
        real.advantages.forEach((a, i) => close(ours.advantages[i]!, toNumber(a), `advantage ${i}`));
        for (const [name, value] of ruleOf(table).logged(batchOf(table), train.functions))
          close(value, toNumber(real.logged[name]), name);
      });
    }
  });

  describe("what becomes of each state", () => {
    for (const fate of FATES) {
      const { state, reason } = STATE_OF[fate.behaviour]!;
      const stated = statedFate(fate, state, reason);
      it(`${fate.id}: ${state} ${reason ?? ""} → ${stated.word}`, () => {
        // What was stopped or held here isn't known to us; there it runs to its end and its value counts.
        const word = stated.word === "unknown" ? "value" : stated.word;
        expect(observe(fate)).toEqual({ word, scope: stated.scope, waits: stated.waits });
      });
    }
  });

  /** What the trainer really did, in the words of a fate. */
  function observe(fate: FateCase): Pick<Fate, "word" | "scope" | "waits"> {
    const end: Ended = results.get(fate.id);
    if ("waits" in end) return { word: "stops", scope: "run", waits: true };
    if ("error" in end || "exit" in end) return { word: "stops", scope: "run", waits: false };
    const like = (behaviour: string): Scored => results.get(referenceId(fate, behaviour));
    const given = end.perFunction[0]![1];
    if (typeof given === "number") return { word: "value", scope: "row", waits: false };
    if (given === "nan") {
      const zero = sameNumbers(end.advantages, like("zero").advantages);
      if (zero) return { word: "zero", scope: "row", waits: false };
      if (!end.advantages.every((a) => Number.isFinite(toNumber(a)))) throw new Error("spread further");
      return { word: "ignored", scope: "row", waits: false };
    }
    const others = end.advantages.slice(4);
    if (end.advantages.some((a) => Math.abs(toNumber(a)) > 1e30))
      return { word: "poisons", scope: "run", waits: false };
    const spared =
      fate.aggregation === "normalize_then_sum"
        ? !others.every((a) => a === 0)
        : sameNumbers(others, like("fine").advantages.slice(4));
    return { word: "poisons", scope: spared ? "group" : "batch", waits: false };
  }
});

if ("skip" in environment) it.skip(`TRL isn't here: ${environment.skip} (${environment.install})`);

// --- cases ------------------------------------------------------------------------------------------------

const EIGHT = ["1", "22", "x", "", "the answer is 4", "4", "four", "4 4 4"];
const ANSWERS = ["4", "4", "4", "4", "2", "2", "2", "2"];

const TRAIN: TrainCase[] = [
  ...(["group", "batch", "none"] as const).flatMap((scale) => [
    train({ id: `one function, ${scale}`, functions: ["exact"], weights: [1], scale }),
    train({
      id: `three with weights, ${scale}`,
      functions: ["exact", "brevity", "sometimes"],
      weights: [1, 0.5, 0.1],
      scale,
    }),
    train({ id: `infinite, ${scale}`, functions: ["endless", "exact"], weights: [1, 1], scale }),
  ]),
  train({ id: "awaited", functions: ["slow", "exact"], weights: [0.3, 1], scale: "group" }),
  train({ id: "equal rewards", functions: ["flat"], weights: [1], scale: "group" }),
  train({ id: "nobody says anything", functions: ["silent"], weights: [1], scale: "group" }),
  train({
    id: "each normalised first",
    functions: ["exact", "brevity", "sometimes"],
    weights: [1, 0.5, 0.1],
    scale: "group",
    aggregation: "normalize_then_sum",
  }),
];

function train(
  rest: Pick<TrainCase, "id" | "functions" | "weights" | "scale"> & Partial<TrainCase>,
): TrainCase {
  const columns = { answer: ANSWERS };
  const aggregation = "sum_then_normalize";
  return { op: "train", file: USER_FILE, completions: EIGHT, columns, n: 4, aggregation, ...rest };
}

/** What our worker calls each behaviour. */
const STATE_OF: Record<string, { state: ScoreState; reason: ReasonCode | null }> = {
  fine: { state: "scored", reason: null },
  none: { state: "not-applicable", reason: "none" },
  nan: { state: "non-finite", reason: "nan" },
  inf: { state: "non-finite", reason: "infinite" },
  "minus-inf": { state: "non-finite", reason: "infinite" },
  string: { state: "invalid-return", reason: "wrong-type" },
  dict: { state: "invalid-return", reason: "wrong-type" },
  list: { state: "invalid-return", reason: "wrong-type" },
  complex: { state: "invalid-return", reason: "wrong-type" },
  short: { state: "invalid-return", reason: "wrong-count" },
  long: { state: "invalid-return", reason: "wrong-count" },
  mapping: { state: "invalid-return", reason: "wrong-count" },
  number: { state: "invalid-return", reason: "not-a-list" },
  nothing: { state: "invalid-return", reason: "not-a-list" },
  coroutine: { state: "invalid-return", reason: "coroutine" },
  raises: { state: "raised", reason: "exception" },
  signature: { state: "raised", reason: "signature" },
  hangs: { state: "timed-out", reason: "row-timeout" },
  exits: { state: "crashed", reason: "exit" },
  killed: { state: "crashed", reason: "signal" },
  // Stopped by a person, or held before it wrote a file: there it goes on and its value counts.
  slow: { state: "cancelled", reason: "user-cancelled" },
  writes: { state: "held", reason: "side-effect" },
};

const RULES = [
  { scale: "group", aggregation: "sum_then_normalize" },
  { scale: "batch", aggregation: "sum_then_normalize" },
  { scale: "none", aggregation: "sum_then_normalize" },
  { scale: "group", aggregation: "normalize_then_sum" },
] as const;

/** Behaviours whose fate depends on the rule and on the other functions; the others are asked once. */
const NUMERIC = ["fine", "none", "nan", "inf", "minus-inf"];

const FATES: FateCase[] = [
  ...NUMERIC.flatMap((behaviour) =>
    RULES.flatMap((rule) => [false, true].map((with_other) => fateCase(behaviour, { ...rule, with_other }))),
  ),
  ...Object.keys(STATE_OF)
    .filter((behaviour) => !NUMERIC.includes(behaviour))
    .map((behaviour) => fateCase(behaviour, { ...RULES[0], with_other: false })),
];

/** The same batch with the value 0 in place of the odd one. */
const REFERENCES: FateCase[] = RULES.flatMap((rule) =>
  [false, true].map((with_other) => fateCase("zero", { ...rule, with_other })),
);

function fateCase(behaviour: string, rest: Pick<FateCase, "scale" | "aggregation" | "with_other">): FateCase {
  const id = `${behaviour}, ${rest.scale}, ${rest.aggregation}${rest.with_other ? ", another scored" : ""}`;
  const { scale, aggregation, with_other } = rest;
  return {
    id,
    op: "fate",
    behaviour,
    seconds: behaviour === "hangs" ? 4 : 30,
    scale,
    aggregation,
    with_other,
  };
}

function referenceId(fate: FateCase, behaviour: string): string {
  return fateCase(behaviour, fate).id;
}

function statedFate(fate: FateCase, state: ScoreState, reason: ReasonCode | null): Fate {
  return trl.fate(state, {
    version: "1.16.0",
    advantages: fate.scale,
    aggregation: fate.aggregation,
    shape: "text",
    columns: [],
    hasTokens: true,
    othersScored: fate.with_other,
    reason,
  });
}

// --- comparison -------------------------------------------------------------------------------------------

function ruleOf({ scale, aggregation }: Pick<ScoreCase, "scale" | "aggregation">) {
  return advantageRule({ advantages: scale, aggregation });
}

function batchOf({ rewards, weights, n }: Pick<ScoreCase, "rewards" | "weights" | "n">) {
  const rows = rewards[0]!.length;
  const values = new Float32Array(rows * rewards.length);
  for (let row = 0; row < rows; row++)
    rewards.forEach((column, c) => (values[row * rewards.length + c] = toNumber(column[row])));
  return { values, weights, groups: new Array<number>(rows / n).fill(n) };
}

interface Agreement {
  compared: number;
  identical: number;
}

/** `sums`: what comes of sums and products alone; `scaled`: what has been through a standard deviation. */
function compareTable(table: ScoreCase, real: Scored, sums: Agreement, scaled: Agreement): void {
  const ours = ruleOf(table).compute(batchOf(table));
  const groupOf = (row: number) => ours.groups[Math.floor(row / table.n)]!;
  const check = (mine: number, theirs: Cell, what: string, into: Agreement): void => {
    const number = toNumber(theirs);
    into.compared++;
    if (mine === number || (Number.isNaN(mine) && Number.isNaN(number))) into.identical++;
    else close(mine, number, `${table.id} ${what}`);
  };
  real.rewards.forEach((r, row) => check(ours.rewards[row]!, r, `reward ${row}`, sums));
  real.means?.forEach((m, row) => check(groupOf(row).mean, m, `mean ${row}`, sums));
  real.advantages.forEach((a, row) => check(ours.advantages[row]!, a, `advantage ${row}`, scaled));
  // Under batch scaling and normalize_then_sum the trainer's std is the batch's; a group's own isn't there to compare.
  if (table.scale !== "batch" && table.aggregation === "sum_then_normalize")
    real.stds.forEach((s, row) => check(groupOf(row).std, s, `std ${row}`, scaled));
}

/** 1e-6, relative above 1. */
function close(mine: number, theirs: number, what: string): void {
  if (mine === theirs || (Number.isNaN(mine) && Number.isNaN(theirs))) return;
  const allowed = 1e-6 * Math.max(1, Math.abs(theirs));
  expect(Math.abs(mine - theirs), `${what}: ${mine} here, ${theirs} there`).toBeLessThanOrEqual(allowed);
}

function sameNumbers(a: readonly Cell[], b: readonly Cell[]): boolean {
  return a.length === b.length && a.every((value, i) => Math.abs(toNumber(value) - toNumber(b[i])) < 1e-6);
}
