import { describe, expect, it } from "vitest";
import { parseFrame } from "../../../src/runtime/worker/frames";

describe("a frame", () => {
  it("is what the contract says", () => {
    const parsed = parseFrame(
      '{"t":"unit","job":1,"fn":0,"batch":2,"ms":1.5,"values":[0.5,null,{"nonFinite":"nan"}]}',
    );
    expect(parsed).toMatchObject({
      ok: true,
      frame: { t: "unit", values: [0.5, null, { nonFinite: "nan" }] },
    });
  });

  it.each([
    ["isn't JSON", "{"],
    ["isn't known", '{"t":"unid"}'],
    ["has NaN", '{"t":"unit","job":1,"fn":0,"batch":0,"ms":0,"values":[NaN]}'],
    ["has text for a number", '{"t":"unit","job":1,"fn":0,"batch":0,"ms":0,"values":["1"]}'],
    [
      "has a state that doesn't exist",
      '{"t":"unit","job":1,"fn":0,"batch":0,"ms":0,"values":[1],"states":["fine"]}',
    ],
  ])("that %s is refused with a reason", (_, json) => {
    const parsed = parseFrame(json);
    expect(parsed.ok).toBe(false);
    expect(!parsed.ok && parsed.problem.length).toBeGreaterThan(5);
  });
});
