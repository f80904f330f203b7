import { describe, expect, it } from "vitest";
import { LabDetail, LabFlips, LabGroups, LabPage, LabPictures, type LabQuery } from "../../../src/schema/lab";
import { ScoreReport } from "../../../src/schema/report";
import { LabTable, type RowLabels } from "../../../src/services/lab/arrangement";
import { lab, until } from "./bench";

const REWARD = `
def correct(completions, answer, **kwargs):
    out = []
    for text, gold in zip(completions, answer):
        if "boom" in text:
            raise ValueError("no number")
        out.append(None if text == "" else float(gold in text))
    return out

def brevity(completions, **kwargs):
    print("checking", len(completions))
    return [0.01 if len(text) < 12 else 0.0 for text in completions]
`;
const SAMPLES = Array.from({ length: 24 }, (_, i) => ({
  prompt: `task ${Math.floor(i / 4)}`,
  completion: i === 9 ? "boom" : i === 10 ? "" : `The answer is ${i % 3}${".".repeat(i % 5)}`,
  answer: String(Math.floor(i / 4) % 2),
  step: 2 ** 53 + 2,
}));
const NONE: RowLabels = { revision: 0, of: () => null };
const ALL: LabQuery = { filter: "", sort: [], grouped: false, weights: null };

/** As the wire carries it: JSON, then the schema. */
function sent<T>(schema: { parse: (value: unknown) => T }, answer: unknown): T {
  const parsed = schema.parse(JSON.parse(JSON.stringify(answer)));
  expect(parsed).toEqual(answer);
  return parsed;
}

describe("the Lab's answers about a real pass", () => {
  it("agree with the report of the same pass, as the wire carries them", async () => {
    const { session, type } = await lab(REWARD, SAMPLES, { live: true });
    await session.score();
    const report = ScoreReport.parse(session.report("1"));
    const table = new LabTable();
    const source = session.lab();
    const page = sent(LabPage, table.page(source, NONE, 1, ALL, 0, 500));
    expect(page).toMatchObject({
      status: "fresh",
      rows: 24,
      scored: 24,
      matched: 24,
      columns: ["answer", "step"],
    });
    expect(page.functions.map(({ name, line }) => [name, line])).toEqual([
      ["correct", 1],
      ["brevity", 9],
    ]);
    expect(page.page.map(({ total }) => total)).toEqual(report.totals);
    for (const { rows, advantages } of report.groups)
      expect(rows.map((row) => page.page[row]!.advantage)).toEqual(advantages);
    expect(page.page[9]).toMatchObject({
      state: "raised",
      cells: [{ state: "raised", value: null }, { state: "scored" }],
      reason: { code: "exception", type: "ValueError", line: 6 },
    });
    expect(page.page[10]!.cells[0]).toMatchObject({ state: "not-applicable", value: null });

    const raised = table.page(
      source,
      NONE,
      1,
      { ...ALL, filter: "reason:valueerror or correct:raised" },
      0,
      10,
    );
    expect(raised.page.map(({ row }) => row)).toEqual([9]);
    const groups = sent(
      LabGroups,
      table.groups(source, NONE, 1, {
        filter: "",
        weights: null,
        sort: "std",
        descending: true,
        from: 0,
        count: 50,
      }),
    );
    expect(groups).toMatchObject({
      total: 6,
      formula: report.trainer.formula,
      hypothetical: report.hypothetical,
    });
    const detail = sent(LabDetail, table.detail(source, NONE, 1, { row: 9, weights: null, maxText: 1000 }));
    expect(detail.functions[0]).toMatchObject({
      state: "raised",
      fate: { word: "stops" },
      reason: { line: 6 },
    });
    expect(detail.functions[1]!.output).toContain("checking");
    sent(LabPictures, table.pictures(source, 1, null, 100));
    expect(table.copy(source, NONE, ALL, "csv", 100).text.split("\r\n")).toHaveLength(26);

    // The file on disk is the baseline; the document changes.
    await until("a baseline", () => session.lab().baseline.scores !== null);
    const text = REWARD.replace("0.01 if", "0.5 if");
    type(text);
    await until("scores of the new text", () => {
      const { scored, status, baseline } = session.lab();
      return scored?.text === text && status === "fresh" && baseline.scores !== null;
    });
    const now = session.lab();
    const flips = sent(LabFlips, table.flips(now, 2, 0, 500));
    const changed = SAMPLES.flatMap(({ completion }, row) => (completion.length < 12 ? [row] : []));
    expect(flips.baseline?.kind).toBe("saved");
    expect(flips.flips.filter(({ direction }) => direction === 1).map(({ row }) => row)).toEqual(changed);
    const up = table.page(now, NONE, 2, { ...ALL, filter: "flip:up" }, 0, 500);
    expect(up.page.map(({ row }) => row)).toEqual(changed);
    for (const { cells, change } of up.page) {
      expect(cells[1]).toMatchObject({ value: 0.5, before: 0.01 });
      expect(change!.by).toBeCloseTo(0.49);
    }
  });

  it("while a pass runs, rows that it has reached have scores and the others none", async () => {
    const slow = `
import time
def slow(completions, **kwargs):
    time.sleep(0.25)
    return [1.0 for _ in completions]
`;
    const { session } = await lab(
      slow,
      Array.from({ length: 320 }, (_, i) => ({ prompt: `p${Math.floor(i / 8)}`, completion: `c${i}` })),
    );
    const table = new LabTable();
    const seen: LabPage[] = [];
    session.onDidChange(() => seen.push(sent(LabPage, table.page(session.lab(), NONE, 1, ALL, 0, 500))));
    await session.score();
    const partial = seen.find(({ status, scored }) => status === "partial" && scored > 0);
    expect(partial!.scored).toBeLessThan(320);
    expect(partial!.page.filter(({ total }) => total !== null)).toHaveLength(partial!.scored);
    expect(partial!.page.filter(({ state }) => state === null)).toHaveLength(320 - partial!.scored);
    expect(table.page(session.lab(), NONE, 1, { ...ALL, filter: "unscored" }, 0, 10).matched).toBe(0);
  });
});
