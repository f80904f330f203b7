import { expect, it } from "vitest";
import { COMMANDS } from "../../../src/host/ids";
import { MOST_CHILDREN } from "../../../src/host/model/tree";
import {
  sourceNode,
  sourceNodes,
  type TrajectoryNodes,
  type TrajectoryReader,
} from "../../../src/host/model/trajectoryNodes";
import { english } from "./snapshots";

const SOURCE = { path: "/work/run", label: "run", title: "verl", size: "2 kB" };

/** A source of so many steps; `there`: how many of them are known when a page is asked for. */
function steps(total: number, parts: Partial<TrajectoryNodes> = {}, there = total): TrajectoryReader {
  return {
    read: ({ from, count }) =>
      Promise.resolve({
        level: "step",
        total,
        complete: true,
        problems: 0,
        steps: Array.from({ length: Math.max(0, Math.min(count, there - from)) }, (_, at) => ({
          step: from + at,
          split: null,
          n: 1,
          mean: 1,
        })),
        groups: [],
        rows: [],
        ...parts,
      }),
  };
}

const childrenOf = async (reader: TrajectoryReader) =>
  (await sourceNode(SOURCE, reader, english).children?.()) ?? [];

it.each([1, 197, 198, 199, 200, 201, 39_600, 39_601, 40_001])(
  "of %i steps no level has more than 200 children, with all that is said beside them",
  async (total) => {
    const children = await childrenOf(steps(total, { complete: false, problems: 3 }));
    expect(children.length).toBeLessThanOrEqual(MOST_CHILDREN);
    expect(children.slice(-2).map(({ label }) => label)).toEqual(["Still being read…", "3 problems"]);
    expect(new Set(children.map(({ id }) => id)).size).toBe(children.length);
    for (const child of children.slice(0, -2)) {
      const below = (await child.children?.()) ?? [];
      expect(below.length).toBeLessThanOrEqual(MOST_CHILDREN);
    }
  },
);

it("a level that isn't whole yet asks to be looked at again, also within a range", async () => {
  const whole = await childrenOf(steps(5));
  expect(whole.some(({ unfinished }) => unfinished === true)).toBe(false);
  const reading = await childrenOf(steps(5, { complete: false }));
  expect(reading.at(-1)).toMatchObject({ unfinished: true });
  const [, second] = await childrenOf(steps(450, { complete: false }, 230));
  const half = (await second?.children?.()) ?? [];
  expect(half).toHaveLength(31);
  expect(half.at(-1)).toMatchObject({ unfinished: true });
});

it("problems are said once, and lead to the viewer that lists them", async () => {
  const children = await childrenOf(steps(2, { problems: 1 }));
  expect(children.at(-1)).toMatchObject({
    label: "1 problem",
    command: { id: COMMANDS.openTrajectories, argument: { source: SOURCE.path } },
  });
  const [step] = children;
  expect((await step?.children?.())?.some(({ label }) => label === "1 problem")).toBe(false);
});

it("says where not every file was looked at", () => {
  const many = Array.from({ length: 200 }, (_, at) => ({ ...SOURCE, path: `/work/${at}` }));
  expect(sourceNodes(many.slice(0, 3), false, steps(1), english)).toHaveLength(3);
  const nodes = sourceNodes(many, true, steps(1), english);
  expect(nodes.length).toBeLessThanOrEqual(MOST_CHILDREN);
  expect(nodes.at(-1)).toMatchObject({ label: "Not all files were looked at." });
});
