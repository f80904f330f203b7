import { expect, it } from "vitest";
import { parseValue } from "../../../../../src/formats/trajectories/jsonValue";

const LONG = "12345678901234567890";

it("keeps integers beyond 2^53 wherever they stand", () => {
  for (let shift = 0; shift < 40; shift++) {
    const text = `{"${"k".repeat(shift)}":${shift % 2 === 0 ? "" : "-"}${LONG},"end":1}`;
    const outcome = parseValue(text);
    const wanted = BigInt(`${shift % 2 === 0 ? "" : "-"}${LONG}`);
    expect(outcome).toMatchObject({ ok: true, value: { ["k".repeat(shift)]: wanted } });
  }
});

it("finds one behind runs of digits that are none", () => {
  for (let shift = 0; shift < 20; shift++) {
    const text = `{"${"k".repeat(shift)}":0.${LONG},"text":"id ${LONG}${LONG}","short":123456789012345,"n":[1,${LONG}]}`;
    const outcome = parseValue(text);
    expect(outcome).toMatchObject({ ok: true, value: { short: 123_456_789_012_345, n: [1, BigInt(LONG)] } });
  }
});

it("leaves everything else to the engine's own reader", () => {
  expect(parseValue(`{"a":0.1234567890123456,"b":"${LONG}"}`)).toMatchObject({ ok: true, strict: true });
  expect(parseValue('{"a":NaN}')).not.toHaveProperty("strict");
});
