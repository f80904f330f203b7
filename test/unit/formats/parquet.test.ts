import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { below } from "../../../src/core/scoring/paths";
import { parquetReader } from "../../../src/formats/parquet";
import { DEFAULT_LIMITS } from "../../../src/formats/reader";

function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../fixtures/samples/${name}`, import.meta.url)));
}

const read = async (bytes: Uint8Array, limits = DEFAULT_LIMITS) => parquetReader.read(bytes, limits);

describe("parquet", () => {
  it.each(["none", "snappy", "zstd", "gzip", "lz4", "brotli"])(
    "reads all kinds of values (%s)",
    async (codec) => {
      const { rows, lines, problems, floats } = await read(fixture(`all.${codec}.parquet`));
      expect(problems.count).toBe(0);
      expect(lines).toEqual([1, 2, 3]);
      expect(rows[0]).toEqual({
        prompt: "What is 6 × 7?",
        completion: "42",
        accuracy: 1,
        step: 3,
        big: 9007199254740993n,
        ok: true,
        tokens: [1, 2],
        weights: [1, 0.5],
        when: "2026-12-01T13:00:00.000Z",
        chat: [{ role: "assistant", content: "hi", tool_calls: null }],
      });
      expect(rows[1]).toMatchObject({
        completion: null,
        accuracy: null,
        big: -4611686018427387904n,
        tokens: [],
      });
      expect(rows[1]?.["chat"]).toEqual([
        { role: "tool", content: null, tool_calls: [{ name: "f", args: { x: 1, y: null } }] },
      ]);
      expect(rows[2]).toMatchObject({
        completion: "",
        accuracy: NaN,
        big: 5,
        ok: false,
        tokens: null,
        chat: null,
      });
      expect([...floats].sort()).toEqual(["accuracy", below("weights", "[]")].sort());
    },
  );

  it("reads version 2 pages", async () => {
    const { rows } = await read(fixture("v2.parquet"));
    expect(rows.map((row) => row["prompt"])).toEqual(["What is 6 × 7?", "What is 6 × 7?", "Say hi 😀"]);
  });

  it("says so when there are no rows", async () => {
    const { rows, problems } = await read(fixture("empty.parquet"));
    expect(rows).toEqual([]);
    expect(problems.items.map((p) => p.code)).toEqual(["empty"]);
  });

  it("refuses what would be too large once decompressed, before decompressing it", async () => {
    const bytes = fixture("bomb.parquet");
    const rows = await read(bytes, { ...DEFAULT_LIMITS, rows: 100_000 });
    expect(rows.problems.items.map((p) => p.code)).toEqual(["too-large"]);
    const values = await read(bytes, { ...DEFAULT_LIMITS, decompressedBytes: 100_000 });
    expect(values.problems.items.map((p) => p.code)).toEqual(["too-large"]);
    expect(values.rows).toEqual([]);
    const size = await read(fixture("all.none.parquet"), { ...DEFAULT_LIMITS, decompressedBytes: 600 });
    expect(size.problems.items).toMatchObject([
      { code: "too-large", message: expect.stringContaining("600 bytes") as string },
    ]);
    expect((await read(bytes)).rows).toHaveLength(200_000);
  });

  it("makes a problem of every kind of damage, never a crash", async () => {
    const whole = fixture("all.snappy.parquet");
    const damaged = [
      whole.subarray(0, 4),
      whole.subarray(0, whole.length - 20),
      withBytes(whole, whole.length - 8, [0xff, 0xff, 0xff, 0x7f]),
      withBytes(whole, whole.length - 8, [1, 0, 0, 0]),
      ...Array.from({ length: 40 }, (_, i) =>
        withBytes(whole, 4 + Math.floor((i * (whole.length - 8)) / 40), [0xff, 0xff, 0xff, 0xff]),
      ),
    ];
    for (const bytes of damaged) {
      const result = await read(bytes);
      expect(result.rows.length === 3 || result.problems.count > 0).toBe(true);
    }
  });
});

function withBytes(bytes: Uint8Array, at: number, values: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values.slice(0, copy.length - at), at);
  return copy;
}
