import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { nansum, nansumColumn, nansumMiddle } from "../../../../src/core/advantages/float32";

interface TorchSum {
  kind: "run" | "column" | "middle";
  n: number;
  columns: number;
  sums: number[];
}

/** Written by test/frameworks/write_golden.py with torch itself. */
const fixture = new URL("../../../fixtures/trl/sums-2.15.0.json", import.meta.url);
const { sums } = JSON.parse(readFileSync(fixture, "utf8")) as { sums: TorchSum[] };

/** The same values as `value` there. */
function tensor(size: number): Float32Array {
  return Float32Array.from({ length: size }, (_, i) => {
    const hash = Math.imul(i, 2654435761) >>> 0;
    return hash % 7 === 0 ? Number.NaN : hash / 2 ** 32;
  });
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function ours({ kind, n, columns }: TorchSum): number[] {
  switch (kind) {
    case "run":
      return [nansum(tensor(n), 0, n)];
    case "column": {
      const x = tensor(n * columns);
      return range(columns).map((c) => nansumColumn(x, c, columns, n));
    }
    case "middle": {
      const x = tensor(2 * n * columns);
      return [0, 1].flatMap((g) =>
        range(columns).map((c) => nansumMiddle(x, g * n * columns, c, columns, n)),
      );
    }
  }
}

describe("torch's order of sums", () => {
  for (const kind of ["run", "column", "middle"] as const) {
    const cases = sums.filter((s) => s.kind === kind);
    it(`${kind}: ${cases.length} shapes to the last bit`, () => {
      expect(cases.length).toBeGreaterThan(40);
      for (const one of cases) expect(ours(one), `n ${one.n}, columns ${one.columns}`).toEqual(one.sums);
    });
  }

  it("differs from adding up in order, which is why it is done", () => {
    const inOrder = (n: number): number => {
      let sum = 0;
      for (const value of tensor(n)) if (!Number.isNaN(value)) sum = Math.fround(sum + value);
      return sum;
    };
    const runs = sums.filter((s) => s.kind === "run");
    expect(runs.some((s) => inOrder(s.n) !== s.sums[0])).toBe(true);
  });
});
