import { describe, expect, it } from "vitest";
import { labelAgreement, labelledRows, parseLabel } from "../../../../src/core/scoring/labels";
import { grouped, table } from "./tables";

const agreement = (label: unknown[], scores: number[]) =>
  labelAgreement(table(grouped(label.length, 4), { label }), Float64Array.from(scores));

describe("labels", () => {
  it("are verdicts, numbers, or nothing", () => {
    const good = [true, "good", " Good ", "CORRECT", "yes", 1, 1n, "1", "pass"];
    const bad = [false, "bad", "wrong", "no", 0, "0", "fail"];
    expect(good.map(parseLabel)).toEqual(good.map(() => 1));
    expect(bad.map(parseLabel)).toEqual(bad.map(() => 0));
    expect([0.25, "-2.5", -3].map(parseLabel)).toEqual([0.25, -2.5, -3]);
    expect([null, undefined, "", " ", "unsure", NaN, Infinity, {}, []].map(parseLabel)).toEqual(
      new Array(9).fill(null),
    );
  });

  it("rows that carry one", () => {
    expect(labelledRows(table(grouped(4, 2), { label: ["good", null, "?", 0] }))).toEqual([0, 3]);
    expect(labelledRows(table(grouped(4, 2)))).toEqual([]);
  });

  it("agree with scores over rows that have both", () => {
    expect(agreement(["good", "bad", "good", null, "bad"], [1, 0, 0, 0, NaN])).toEqual({
      n: 3,
      agree: 2,
      disagreeRows: [2],
    });
  });

  it("the middle of the scores divides them, whatever their scale", () => {
    expect(agreement([true, false], [1, -1])!.agree).toBe(2);
    expect(agreement([true, false], [10, 6])!.agree).toBe(2);
    expect(agreement([true, false], [0.6, 0.9])).toEqual({ n: 2, agree: 0, disagreeRows: [0, 1] });
  });

  it("equal scores: above 0 is good", () => {
    expect(agreement([true, false], [1, 1])!.disagreeRows).toEqual([1]);
    expect(agreement([true, false], [0, 0])!.disagreeRows).toEqual([0]);
  });

  it("graded labels are divided at the middle of their own range", () => {
    expect(agreement([5, 1, 4, 2], [1, 0, 1, 1])).toEqual({ n: 4, agree: 3, disagreeRows: [3] });
  });

  it("no labels, no answer", () => {
    expect(agreement([null, "?"], [1, 0])).toBeNull();
    expect(labelAgreement(table(grouped(2, 2)), new Float64Array(2))).toBeNull();
  });
});
