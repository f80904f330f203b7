import { describe, expect, it } from "vitest";
import type { LabRow } from "../../../src/schema/lab";
import { SCORE_STATES } from "../../../src/schema/score";
import type { Speech } from "../../../src/words/format";
import { columnsOf } from "../../../webview/lab/table/columns";
import {
  cellText,
  changeText,
  ifFixedDiffers,
  reasonText,
  rowSpoken,
  signed,
  stateIcon,
} from "../../../webview/lab/table/words";
import { speechOf } from "../../../webview/shared/speech";

const speech: Speech = speechOf({}, "en");
const ROW: LabRow = {
  row: 16,
  id: "a",
  group: "p03",
  groupAt: 2,
  state: "scored",
  cells: [
    { state: "scored", value: 1, recovered: false },
    { state: "not-applicable", value: null, recovered: false },
  ],
  total: 1,
  advantage: 0.8367,
  ifFixed: 0.8367,
  label: { value: "good", source: "sidecar", stream: "random", by: "" },
  change: { direction: 1, by: 1, state: false, rank: true, sign: false },
  ms: 0.1,
  length: 10,
  text: "The answer is 4.",
  reason: null,
};
const RAISED: LabRow = {
  ...ROW,
  row: 17,
  state: "raised",
  cells: [{ state: "raised", value: null, recovered: false }, null],
  total: null,
  advantage: null,
  ifFixed: null,
  label: null,
  change: null,
  ms: 0.2,
  reason: { code: "exception", type: "ValueError", line: 19 },
};
const FUNCTIONS = ["correctness", "format"].map((name) => ({
  name,
  contract: "trl" as const,
  weight: 1,
  line: 0,
}));
const COLUMNS = columnsOf(["correctness", "format"]);
const cells = (row: LabRow) =>
  Object.fromEntries(COLUMNS.map((column) => [column.key, cellText(column, row, true, speech)]));

describe("a row in the table", () => {
  it("reads as in the sketch", () => {
    expect(cells(ROW)).toMatchObject({
      row: "17",
      group: "p03",
      state: "scored",
      total: "1.0",
      "component:correctness": "1.0",
      "component:format": "–",
      advantage: "+0.837",
      label: "good",
      change: "↑1.0",
    });
  });

  it("shows a dash, never a number, for what could not be scored", () => {
    const shown = cells(RAISED);
    for (const key of ["total", "component:correctness", "component:format", "advantage", "ifFixed", "label"])
      expect(shown[key]).toBe("–");
    expect(shown["state"]).toBe("raised");
    expect(reasonText(RAISED.reason, speech)).toBe("ValueError line 19");
  });

  it("tells no change from nothing to compare with", () => {
    const same = { ...ROW, change: null };
    expect(changeText(same, true, speech)).toBe("=");
    expect(changeText(same, false, speech)).toBe("–");
    expect(changeText({ ...same, state: null }, true, speech)).toBe("–");
    expect(
      changeText(
        { ...ROW, change: { direction: 0, by: 0, state: false, rank: true, sign: false } },
        true,
        speech,
      ),
    ).toBe("= rank");
    expect(
      changeText(
        { ...ROW, change: { direction: -1, by: null, state: true, rank: false, sign: false } },
        true,
        speech,
      ),
    ).toBe("↓");
  });

  it("is said in one sentence, states by their words", () => {
    expect(rowSpoken(ROW, FUNCTIONS, speech)).toBe(
      "Row 17, group p03, scored, total 1.0, correctness 1.0, format not applicable, advantage +0.837, label good, up by 1.0, another rank in its group",
    );
    expect(rowSpoken(RAISED, FUNCTIONS, speech)).toBe(
      "Row 18, group p03, raised, ValueError line 19, no total, correctness raised",
    );
  });
});

describe("marks in the table", () => {
  it("give each state an icon of its own", () => {
    expect(new Set(SCORE_STATES.map(stateIcon)).size).toBe(SCORE_STATES.length);
  });

  it("keep the sign of advantages, and Python's words for what isn't finite", () => {
    expect(signed(-1.46, "en")).toBe("−1.46");
    expect(signed(0, "en")).toBe("0");
    expect(signed({ nonFinite: "nan" }, "en")).toBe("nan");
    expect(signed({ nonFinite: "-inf" }, "en")).toBe("−inf");
  });

  it("notice where the advantage would be another without failures", () => {
    expect(ifFixedDiffers(ROW)).toBe(false);
    expect(ifFixedDiffers({ ...ROW, ifFixed: 0.5 })).toBe(true);
    expect(ifFixedDiffers({ ...ROW, advantage: { nonFinite: "nan" } })).toBe(true);
    const nan = { nonFinite: "nan" as const };
    expect(ifFixedDiffers({ ...ROW, advantage: nan, ifFixed: nan })).toBe(false);
    expect(ifFixedDiffers({ ...ROW, advantage: null })).toBe(true);
  });
});
