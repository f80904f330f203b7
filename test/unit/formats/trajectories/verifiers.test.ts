import { describe, expect, it } from "vitest";
import { readAll } from "../../../support/readAll";

const FOLDER = "test/fixtures/trajectories/verifiers";

describe("verifiers, first generation", () => {
  it("reads old rows: id, metrics only at the top, tools in info, calls as objects and as texts", async () => {
    const { form, trajectories, problems } = await readAll(`${FOLDER}/v0-old/results.jsonl`);
    expect(form).toBe("verifiers-results");
    expect(problems).toEqual([]);
    expect(trajectories.map((t) => [t.group, t.reward, t.rewards, t.task])).toEqual([
      ["3", 1.25, { exact: 1, style: 0.5 }, "plurals"],
      ["3", 0, { exact: 0, style: 0 }, "plurals"],
      ["4", null, {}, "plurals"],
    ]);
    const [first, second, third] = trajectories;
    expect(first?.tools.map((tool) => tool.name)).toEqual(["lookup"]);
    expect(first?.metrics).toMatchObject({ lookup_calls: 1, total_tool_calls: 1 });
    expect(first?.ms).toBe(402);
    expect(first?.columns).toMatchObject({ answer: "oxen", task: "plurals" });
    expect(first?.branches[0]?.messages[1]?.calls[0]).toMatchObject({
      id: "a1",
      name: "lookup",
      arguments: { word: "ox" },
      answers: [2],
    });
    expect(first?.branches[0]?.messages[2]).toMatchObject({
      answersTo: { message: 1, call: 0 },
      name: "lookup",
    });
    expect(second?.branches[0]?.messages[1]?.calls[0]).toMatchObject({
      id: "b1",
      name: "lookup",
      problem: "not-json",
      raw: '{"word": ',
    });
    expect(second?.errors).toEqual([
      { kind: null, message: "ToolParseError('bad arguments')", traceback: null },
    ]);
    expect(third?.branches[0]?.messages.map((m) => [m.role, m.sampled])).toEqual([
      ["user", null],
      ["assistant", true],
    ]);
  });

  it("reads newer rows: flat calls in texts, error objects, usage, and the model from metadata.json", async () => {
    const { trajectories, problems } = await readAll(`${FOLDER}/v0/results.jsonl`);
    expect(problems).toEqual([]);
    expect(trajectories.map((t) => [t.reward, t.outcome.kind, t.model, t.task])).toEqual([
      [0.75, "finished", "lab/small-1", "weather"],
      [0, "infrastructure", "lab/small-1", "weather"],
      [-0.5, "turns", "lab/small-1", "weather"],
    ]);
    const [first, second] = trajectories;
    expect(first?.rewards).toEqual({ correct: 1, brief: 0.5 });
    expect(first?.usage).toEqual({ input: 40, output: 9 });
    expect(first?.ms).toBe(1500);
    expect(first?.columns).toEqual({
      answer: "3",
      info: { level: 2 },
      timing: { total: 1.5 },
    });
    expect(first?.branches[0]?.messages[2]).toMatchObject({
      reasoning: "I need the tool.",
      calls: [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }],
    });
    expect(second?.errors).toEqual([
      {
        kind: "ModelError",
        message: "ModelError() -> APIError('overloaded')",
        traceback: "ModelError -> APIError",
      },
    ]);
  });
});

describe("verifiers, second generation, and prime-rl", () => {
  it("makes one trajectory of each trace; the last leaf's way comes first, what ways share stands once", async () => {
    const { form, trajectories, problems } = await readAll(`${FOLDER}/v1/traces.jsonl`);
    expect(form).toBe("verifiers-traces");
    expect(trajectories.map((t) => [t.id, t.group])).toEqual([
      ["t1", "0"],
      ["t2", "0"],
      ["t3", "1"],
      ["e3", "2"],
    ]);
    const texts = trajectories[0]?.branches.map(({ name, from, messages }) => ({
      name,
      from,
      texts: messages.map(({ parts }) => (parts[0]?.type === "text" ? parts[0].text : null)),
    }));
    expect(texts).toEqual([
      { name: null, from: null, texts: ["Summary so far: first idea.", "It is 7."] },
      { name: null, from: null, texts: ["Solve.", "First idea.", "Go on.", "Dead end."] },
      { name: null, from: { branch: 1, message: 1 }, texts: ["Try again.", "7"] },
      { name: "subagent", from: null, texts: ["You summarise.", "Summary."] },
    ]);
    expect(trajectories[0]?.branches[2]?.messages[1]).toMatchObject({
      sampled: true,
      finish: "stop",
      ms: 250,
      at: 1767225602000,
    });
    expect(trajectories[0]?.branches[0]?.messages[1]?.calls[0]?.arguments).toEqual({ n: 7 });
    expect(problems.map(({ line, message }) => [line, message])).toEqual([[3, "The episode has no traces."]]);
  });

  it("derives the total from what was scored: none scored is no reward, never 0", async () => {
    const { trajectories } = await readAll(`${FOLDER}/v1/traces.jsonl`);
    expect(trajectories.map((t) => [t.reward, t.rewards, t.weights])).toEqual([
      [0.75, { correct: 1, style: 0.5, judge: null }, { correct: 1, style: -0.5 }],
      [null, { correct: null, style: null }, {}],
      [0, { correct: 0 }, { correct: 1 }],
      [null, {}, {}],
    ]);
    expect(trajectories.map((t) => [t.outcome.kind, t.excluded, t.errors.map((e) => e.message)])).toEqual([
      ["finished", null, ["429"]],
      ["environment", null, ["scoring: KeyError 'x'"]],
      ["turns", "trainable: false", []],
      ["infrastructure", null, ["no box"]],
    ]);
    expect(trajectories[0]).toMatchObject({
      split: "eval",
      task: "puzzle-v1",
      model: "lab/small-1",
      reference: "7",
      ms: 3500,
      usage: { input: 10, output: 4 },
    });
    expect(trajectories[0]?.columns).toMatchObject({ answer: "7", level: "hard", episode: "e1" });
  });

  it("reads a bare trace of older files, and says which message hangs in the air", async () => {
    const { trajectories, problems } = await readAll(`${FOLDER}/older/traces.jsonl`);
    expect(trajectories.map((t) => [t.id, t.group, t.reward, t.branches.length])).toEqual([
      ["old1", "5", 0.5, 2],
    ]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain("Message 2");
  });

  it("reads prime-rl's step, policy, group and token data, spread over the sampled tokens", async () => {
    const { trajectories, problems } = await readAll(`${FOLDER}/rollouts/step_3/train/all/traces.jsonl`);
    expect(problems).toEqual([]);
    expect(trajectories.map((t) => [t.group, t.step, t.split, t.advantage, t.policy])).toEqual([
      ["g0", 3, "train", 0.5, { from: 2, to: 3 }],
      ["g0", 3, "train", -0.5, { from: 2, to: 3 }],
    ]);
    expect(trajectories[0]?.branches[0]?.messages[1]?.tokens).toEqual({
      count: 3,
      ids: [3, 4, 5],
      mask: [false, true, true],
      logprobs: [null, -0.5, -0.25],
      advantages: [null, 0.5, 0.5],
      versions: null,
    });
    expect(trajectories[0]?.branches[0]?.messages[1]?.extra["reference_logprobs"]).toEqual([-0.6, -0.3]);
  });
});
