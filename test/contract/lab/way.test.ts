import { describe, expect, it, vi } from "vitest";
import type { Observation } from "../../../src/schema/lab";
import { followWay } from "../../../src/services/lab/way";
import { lab, never } from "./bench";

type Of<K extends Observation["kind"]> = Extract<Observation, { kind: K }>;
const of = <K extends Observation["kind"]>(kind: K, observations: readonly Observation[]): Of<K>[] =>
  observations.filter((one): one is Of<K> => one.kind === kind);

describe.each(["fork", "spare"] as const)("a sample's way, %s processes", (workerMode) => {
  it("B05: what was taken out of the box, where it lies, and what it is compared with", async () => {
    const bench = await lab("B05_reward.py", "B05_samples.jsonl", { settings: { workerMode } });
    await bench.session.score();
    const way = await followWay(bench.session, { row: 1, function: "boxed_reward" }, never());
    expect(way).toMatchObject({ state: "scored", value: 0, off: null, differs: false, cut: false });
    const [match] = of("match", way.observations);
    const completion = String(bench.session.table.completion[1]);
    expect(match?.groups[0]).not.toBeNull();
    const [from, to] = match?.groups[0] ?? [0, 0];
    expect(completion.slice(from, to)).toBe("\\frac{1");
    expect(match?.place).toEqual({ part: "completion", name: "", from: 0, to: completion.length });
    const compared = of("compare", way.observations).at(-1);
    expect(compared).toMatchObject({ op: "==", result: false, left: "'\\\\frac{1'" });
    expect(compared?.leftPlace).toMatchObject({ part: "completion", from, to });
    expect(compared?.rightPlace).toMatchObject({ part: "column", name: "answer", from: 0 });
    expect(way.steps.map(({ line }) => line)).toContain(5);
    expect(way.steps[match?.step ?? -1]?.line).toBe(5);
    expect(bench.warnings).toEqual([]);
  });

  it("B01: how far the miss got, and that DOTALL would have matched", async () => {
    const bench = await lab("B01_reward.py", "B01_samples.jsonl", { settings: { workerMode } });
    const [name = ""] = (await bench.session.score()).functions.map((fn) => fn.name);
    const hit = await followWay(bench.session, { row: 0, function: name }, never());
    expect(of("match", hit.observations)[0]?.spans).toHaveLength(1);
    const miss = of(
      "match",
      (await followWay(bench.session, { row: 1, function: name }, never())).observations,
    );
    expect(miss[0]?.spans).toEqual([]);
    expect(miss[0]?.wouldMatch).toContain("DOTALL");
    expect(miss[0]?.reached?.pattern).toBeGreaterThan(0);
    const refused = await followWay(bench.session, { row: 3, function: name }, never());
    expect(of("match", refused.observations)[0]?.wouldMatch).not.toContain("DOTALL");
  });
});

describe("a sample's way", () => {
  const REWARD = [
    "import random, re",
    "def pair_reward(completions, **kwargs):",
    "    return [float(len(completions))] * len(completions)",
    "def nan_reward(completions, **kwargs):",
    "    return [float('nan') for text in completions]",
    "async def soon_reward(completions, **kwargs):",
    "    return [1.0 for text in completions]",
    "def raising_reward(completions, **kwargs):",
    "    return [float(int(text)) for text in completions]",
    "def writing_reward(completions, **kwargs):",
    "    open('out.txt', 'w')",
    "    return [1.0] * len(completions)",
    "",
  ].join("\n");
  const rows = [
    { prompt: "p", completion: "one" },
    { prompt: "p", completion: "2" },
  ];

  it("says where one call alone isn't what the batch gave, NaN and all", async () => {
    const { session } = await lab(REWARD, rows);
    const follow = (name: string, row = 0) => followWay(session, { row, function: name }, never());
    expect((await follow("pair_reward")).differs).toBe(false);
    await session.score();
    expect(await follow("pair_reward")).toMatchObject({ value: 1, differs: true });
    expect(await follow("nan_reward")).toMatchObject({
      state: "non-finite",
      value: { nonFinite: "nan" },
      differs: false,
    });
    expect(await follow("soon_reward")).toMatchObject({ off: "async", state: "scored", value: 1 });
    const raised = await follow("raising_reward");
    expect(raised).toMatchObject({ state: "raised", value: null, off: null, differs: false });
    expect(raised.reason?.text).toContain("invalid literal");
    expect(await follow("writing_reward")).toMatchObject({ state: "held", differs: false });
    await expect(follow("gone_reward")).rejects.toMatchObject({ code: "NoFunction" });
    await expect(follow("pair_reward", 2)).rejects.toMatchObject({ code: "NoSamples" });
  });

  it("follows another completion, and lets go of its samples", async () => {
    const { session, graph } = await lab(REWARD, rows);
    const drop = vi.spyOn(graph.ports.worker, "drop");
    const way = await followWay(session, { row: 0, function: "raising_reward", completion: "41" }, never());
    expect(way).toMatchObject({ state: "scored", value: 41, differs: false });
    expect(drop).toHaveBeenCalledOnce();
    expect(drop).not.toHaveBeenCalledWith(session.table.info.set);
  });

  it("a text that doesn't load has no way, and says why", async () => {
    const { session, type } = await lab(REWARD, rows);
    type("import nothing_of_that_name\ndef pair_reward(completions, **kwargs):\n    return [1.0]\n");
    const way = await followWay(session, { row: 0, function: "pair_reward" }, never());
    expect(way).toMatchObject({ off: "failed", state: "unscored" });
    expect(way.reason?.text).toContain("nothing_of_that_name");
  });

  it("ends with Cancelled when a newer edit comes", async () => {
    const { session, type } = await lab(
      "import time\ndef slow_reward(completions, **kwargs):\n    time.sleep(30)\n    return [1.0]\n",
      rows,
      { live: true },
    );
    const way = followWay(session, { row: 0, function: "slow_reward" }, never());
    setTimeout(() => type("def slow_reward(completions, **kwargs):\n    return [1.0]\n"), 300);
    await expect(way).rejects.toMatchObject({ code: "Cancelled" });
  });
});
