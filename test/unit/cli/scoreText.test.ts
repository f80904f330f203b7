import { describe, expect, it } from "vitest";
import { scoreText } from "../../../src/cli/scoreText";
import type { Terminal } from "../../../src/cli/terminal";
import type { FunctionReport, ScoreReport } from "../../../src/schema/report";
import type { RowScore } from "../../../src/schema/score";

const terminal: Terminal = { out: () => undefined, err: () => undefined, colour: false, width: 100 };

function row(index: number, part: Partial<RowScore>): RowScore {
  return {
    row: index,
    id: `r${index}`,
    group: `g${Math.floor(index / 2)}`,
    state: "scored",
    value: 1,
    recovered: false,
    reason: null,
    output: null,
    ms: 0.1,
    ...part,
  };
}

function report(rows: RowScore[], more: Partial<ScoreReport> = {}): ScoreReport {
  const states: FunctionReport["states"] = {};
  for (const { state } of rows) states[state] = (states[state] ?? 0) + 1;
  const scored = rows.filter(({ state }) => state === "scored");
  return {
    schema: 1,
    product: { name: "rewardsmith", version: "0" },
    samples: {
      files: ["/w/out.jsonl"],
      rows: rows.length,
      shape: "text",
      mapping: {
        prompt: "prompt",
        completion: "completion",
        id: null,
        group: { by: "prompt" },
        completionIds: null,
        label: null,
        columns: {},
      },
      problems: [],
      hash: "0",
    },
    trainer: {
      framework: "trl",
      version: "1.16.0",
      checked: true,
      advantages: "group",
      aggregation: "sum_then_normalize",
      formula: "FORMULA",
      batch: 8,
    },
    functions: [
      {
        name: "reward",
        file: "/w/reward.py",
        contract: "trl",
        reasons: [],
        weight: 1,
        rows,
        states,
        mean:
          scored.length === 0 ? null : scored.reduce((n, { value }) => n + Number(value), 0) / scored.length,
        n: scored.length,
        fates: {
          raised: {
            word: "stops",
            given: null,
            inBaseline: false,
            inLoss: false,
            scope: "run",
            retries: 0,
            waits: false,
          },
        },
      },
    ],
    totals: rows.map(({ value }) => value),
    groups: [],
    hypothetical: false,
    labels: null,
    findings: [],
    error: null,
    versionHash: null,
    timing: { loadMs: 1, passMs: 2, totalMs: 3, mode: "fork" },
    ...more,
  };
}

describe("the table for people", () => {
  it("means over scored rows only, says n of N, and what the trainer would do with the rest", () => {
    const text = scoreText(
      report([
        row(0, { value: 1 }),
        row(1, { value: 0 }),
        row(2, {
          state: "raised",
          value: null,
          reason: { code: "exception", text: "KeyError: 'x'", line: 12 },
        }),
        row(3, {
          state: "raised",
          value: null,
          reason: { code: "exception", text: "KeyError: 'x'", line: 12 },
        }),
        row(4, { state: "not-applicable", value: null, reason: { code: "none" } }),
        row(5, { state: "non-finite", value: { nonFinite: "nan" }, reason: { code: "nan" } }),
      ]),
      terminal,
      "/w",
    );
    expect(text).toContain("2 of 6");
    expect(text).toMatch(/reward +trl +1 +2 of 6 +0\.5/);
    expect(text).toContain("2 raised, 1 not applicable, 1 non-finite");
    // People count rows from 1.
    expect(text).toContain(
      "reward raised 2 rows (rows 3, 4): line 12: KeyError: 'x' · the trainer: stops the run",
    );
    expect(text).not.toMatch(/raised.*\b0\b.*trains on 0/);
  });

  it("marks scores that the trainer would never have seen", () => {
    expect(scoreText(report([row(0, { recovered: true }), row(1, {})]), terminal, "/w")).toContain(
      "1 recovered",
    );
  });

  it("shows what went up and down against a baseline, or why there is none", () => {
    const base = report([row(0, {}), row(1, {})], { baseline: { ref: "HEAD", error: null } });
    const [fn] = base.functions;
    const text = scoreText(
      { ...base, functions: [{ ...fn!, flips: { up: 2, down: 1, rows: [0] } }] },
      terminal,
      "/w",
    );
    expect(text).toContain("↑2 ↓1");
    const failed = report([row(0, {})], { baseline: { ref: "HEAD", error: "it didn't load" } });
    expect(scoreText(failed, terminal, "/w")).toContain("HEAD gives no scores: it didn't load");
  });

  it("shows a dash, not 0, where nothing was scored", () => {
    const text = scoreText(
      report([row(0, { state: "timed-out", value: null, reason: { code: "row-timeout" } })]),
      terminal,
      "/w",
    );
    expect(text).toMatch(/0 of 1 +– +–/);
  });

  it("leads with the module's own fault and its place", () => {
    const text = scoreText(
      report([], {
        functions: [],
        error: { code: "SyntaxError", message: "invalid syntax", path: "/w/reward.py", line: 7 },
      }),
      terminal,
      "/w",
    );
    expect(text).toContain("reward.py:7: invalid syntax");
  });

  it("says before the tables that rows were left out, and why", () => {
    const base = report([row(0, {}), row(1, {})]);
    const problems = [
      { line: 7, code: "encoded-number" as const, message: "a number in quotes" },
      { line: 9, code: "missing-completion" as const, message: "b.csv: The row has no completion." },
    ];
    const text = scoreText({ ...base, samples: { ...base.samples, leftOut: 3, problems } }, terminal, "/w");
    const [head, why, empty] = text.split("\n");
    expect(head).toContain("2 of 5 rows (3 left out)");
    expect(why).toBe("3 rows of 5 are left out: e.g. line 9: b.csv: The row has no completion.");
    expect(empty).toBe("");
  });

  it("says what a None comes to, and that what was held isn't known", () => {
    const fate = {
      given: null,
      inBaseline: false,
      inLoss: true,
      scope: "row",
      retries: 0,
      waits: false,
    } as const;
    const base = report([
      row(0, {}),
      row(1, { state: "not-applicable", value: null, reason: { code: "none" } }),
      row(2, { state: "held", value: null, reason: { code: "side-effect" } }),
    ]);
    const [fn] = base.functions;
    const fates = {
      "not-applicable": { ...fate, word: "zero", given: 0 },
      held: { ...fate, word: "unknown" },
    } as const;
    const text = scoreText({ ...base, functions: [{ ...fn!, fates }] }, terminal, "/w");
    expect(text).toContain(
      "adds nothing to the total (0) where another function scored; the row is left out where none did",
    );
    expect(text).toMatch(/reward held 1 row .* · not known until it runs/);
  });

  it("plain functions have no trainer; their advantages are TRL's arithmetic", () => {
    const base = report([row(0, {}), row(1, {})]);
    const [fn] = base.functions;
    const group = {
      id: "g0",
      n: 2,
      rows: [0, 1],
      mean: null,
      std: 0,
      tied: false,
      filtered: false,
      noGradient: true,
      cause: "nothing-scored" as const,
      advantages: [0, 0],
      advantagesIfFixed: [null, null],
    };
    const trainer = { ...base.trainer, version: null };
    const text = scoreText(
      { ...base, trainer, functions: [{ ...fn!, contract: "plain" }], groups: [group] },
      terminal,
      "/w",
    );
    expect(text).toContain("; no trainer\n");
    expect(text).not.toContain("not installed");
    expect(text).toContain("Advantages as TRL would compute them: FORMULA");
    // Nothing was scored: a dash, not 0.
    expect(text).toMatch(/g0 +2 +– +– +– +no gradient \(nothing scored\)/);
    expect(scoreText({ ...base, trainer }, terminal, "/w")).toContain("trainer trl (not installed)");
  });

  it("tells one fault once: the error says what its rows say", () => {
    const reason = { code: "exception", text: "KeyError: 'x'", line: 12 } as const;
    const finding = {
      code: "rows-raise",
      severity: "error",
      message: "`reward` raises `KeyError: 'x'` in line 12 on 1 row (row 1): the run stops.",
      function: "reward",
      rows: [0],
      range: { start: { line: 11, character: 0 }, end: { line: 12, character: 0 } },
      cure: null,
    } as const;
    const base = report([row(0, { state: "raised", value: null, reason }), row(1, {})]);
    const text = scoreText(
      {
        ...base,
        findings: [
          { ...finding, rows: [0] },
          { ...finding, rows: [0] },
        ],
      },
      terminal,
      "/w",
    );
    expect(text.match(/KeyError/g)).toHaveLength(1);
    expect(text.match(/line 12/g)).toHaveLength(1);
    expect(scoreText(base, terminal, "/w")).toContain("reward raised 1 row");
  });

  it("puts groups without a gradient first and names why", () => {
    const group = (id: string, noGradient: boolean): ScoreReport["groups"][number] => ({
      id,
      n: 2,
      rows: [],
      mean: 1,
      std: 0,
      tied: noGradient,
      filtered: false,
      noGradient,
      cause: noGradient ? "all-right" : null,
      advantages: [0, { nonFinite: "nan" }],
      advantagesIfFixed: [0, 0],
    });
    const text = scoreText(
      report([row(0, {}), row(1, {})], {
        groups: [group("live", false), group("flat", true)],
        hypothetical: true,
      }),
      terminal,
      "/w",
    );
    expect(text.indexOf("flat")).toBeLessThan(text.indexOf("live"));
    expect(text).toContain("2 groups: 1 tied, 1 without a gradient. Advantages: FORMULA (hypothetical");
    expect(text).toContain("tied (all right)");
  });

  it("keeps a reward's words from writing to the terminal", () => {
    const text = scoreText(
      report([
        row(0, { state: "raised", value: null, reason: { code: "exception", text: "\u001b[2Jgone\nnext" } }),
      ]),
      terminal,
      "/w",
    );
    expect(text).not.toContain("\u001b");
    expect(text).toContain("␛[2Jgone⏎next");
  });
});
