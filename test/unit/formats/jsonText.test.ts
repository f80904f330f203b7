import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { below } from "../../../src/core/scoring/paths";
import {
  JsonTextError,
  JsonTextReader,
  hasLoneSurrogate,
  parseJsonText,
} from "../../../src/formats/jsonText";

function parse(text: string): { value: unknown; floats: string[] } {
  const floats = new Set<string>();
  const value = parseJsonText(text, (place) => floats.add(place));
  return { value, floats: [...floats] };
}

/** Always the tolerant reader, never JSON.parse. */
function tolerant(text: string): unknown {
  const reader = new JsonTextReader(text, () => undefined);
  const value = reader.next(0);
  expect(reader.skipSpace(reader.end)).toBe(text.length);
  return value;
}

describe("the tolerant reader", () => {
  /** JSON.parse rounds integers beyond 2^53; the reader keeps them. Rounded here to compare the rest. */
  const rounded = (value: unknown): unknown => {
    if (typeof value === "bigint") return Number(value);
    if (Array.isArray(value)) return value.map(rounded);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item)]));
  };

  it("reads what JSON.parse reads, to the same values", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(rounded(tolerant(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("refuses what JSON.parse refuses, apart from what it allows on purpose", () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom(",", "}", "]", '"', ":", "{", "[", "x", "\\"),
        (json, at, piece) => {
          const cut = at % (json.length + 1);
          const text = json.slice(0, cut) + piece + json.slice(cut);
          let strict: unknown;
          try {
            strict = JSON.parse(text);
          } catch {
            expect(() => tolerant(text)).toThrow();
            return;
          }
          expect(rounded(tolerant(text))).toEqual(strict);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["NaN", NaN],
    ["Infinity", Infinity],
    ["-Infinity", -Infinity],
    ["1e999", Infinity],
    ["-1e999", -Infinity],
    ["9007199254740993", 9007199254740993n],
    ["-123456789012345678901234567890", -123456789012345678901234567890n],
    ["9007199254740991", 9007199254740991],
    ["4.0", 4],
    ["1E5", 100000],
  ])("reads %s as Python does", (text, expected) => {
    expect(tolerant(`[${text}]`)).toEqual([expected]);
    expect(parse(`{"x": ${text}}`).value).toEqual({ x: expected });
  });

  it.each(["+1", "01", "1.", ".5", "1e", "0x10", "nan", "inf", "True", "None", "undefined", "--1"])(
    "refuses %s, which Python's json refuses too",
    (text) => {
      expect(() => tolerant(`[${text}]`)).toThrow(JsonTextError);
    },
  );

  it("notes where numbers are written as floats, items of a list as one place", () => {
    const { floats } = parse(
      '{"a": 4.0, "b": 4, "c": {"d": 1e5, "e": [1, 2.0, 3.5], "f": [{"g": 0.5}]}, "h": "1.0"}',
    );
    const c = (...keys: string[]) => keys.reduce(below, "c");
    expect(floats).toEqual(["a", c("d"), c("e", "[]"), c("f", "[]", "g")]);
  });

  it("keeps `__proto__` as an own key and touches no prototype", () => {
    const value = tolerant('{"__proto__": {"polluted": 1.0}, "constructor": 2}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("takes the last of equal keys, as Python does", () => {
    expect(tolerant('{"a": 1, "a": 2.5}')).toEqual({ a: 2.5 });
  });

  it("reads raw control characters in strings", () => {
    expect(tolerant('{"a": "tab\there\u0001", "b": "esc\\n\tape"}')).toEqual({
      a: "tab\there\u0001",
      b: "esc\n\tape",
    });
  });

  it("reads nesting of 10,000 and 100,000 without running out of stack", () => {
    for (const depth of [10_000, 100_000]) {
      const text = `${'{"a":['.repeat(depth)}1.5${"]}".repeat(depth)}`;
      expect(() => parse(text)).not.toThrow();
    }
  });

  it.each([
    ['{"a": 1, "b', true],
    ['{"a": 1, "b": tr', true],
    ['{"a": 1,', true],
    ['{"a": [1, 2', true],
    ['{"a": "x\\', true],
    ['{"a": 1 "b": 2}', false],
    ['{"a": bad}', false],
    ['{"a": 1}}', false],
    ['{"a": "\\q"}', false],
  ])("tells half a record from a wrong one: %s", (text, unfinished) => {
    try {
      parse(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(JsonTextError);
      expect((error as JsonTextError).unfinished).toBe(unfinished);
    }
  });

  it("reads 20 MB of floats and long strings in reasonable time", () => {
    const row = JSON.stringify({ text: 'a "quoted" line\n'.repeat(200), values: [0.25, 1.5, 3] });
    const text = `[${Array.from({ length: 5000 }, () => row).join(",")}]`;
    const start = performance.now();
    expect(tolerant(text)).toHaveLength(5000);
    // Some 100 ms on an idle machine; quadratic behaviour would take minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe("lone surrogates", () => {
  it.each([
    ['"\\ud835"', true],
    ['"\\ud835\\udc00"', false],
    ['{"\\udc00": 1}', true],
    ['["x", {"a": ["\\uDBFF"]}]', true],
    ['"plain"', false],
  ])("%s", (text, lone) => {
    expect(hasLoneSurrogate(text, JSON.parse(text))).toBe(lone);
  });
});
