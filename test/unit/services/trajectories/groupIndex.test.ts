import { expect, it } from "vitest";
import { GroupIndex } from "../../../../src/services/trajectories/groupIndex";
import { hash64 } from "../../../../src/core/trajectories/hash";

it("tells 50,000 groups apart, however they are mixed", () => {
  const index = new GroupIndex();
  const groups = 50_000;
  for (let row = 0; row < 2 * groups; row++) {
    const { high, low } = hash64(`prompt ${row % groups}`);
    index.add(row, { high, low, given: false, step: 1, split: null, file: 0, grouping: "prompt" });
  }
  expect(index.groups).toBe(groups);
  for (const row of [0, 1, 4711, groups - 1])
    expect(index.members(index.groupOf.get(row))).toEqual([row, row + groups]);
});
