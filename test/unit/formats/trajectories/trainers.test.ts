import { describe, expect, it } from "vitest";
import { readAll } from "../../../support/readAll";
import { readMemory } from "../../../support/readMemory";

const folder = "test/fixtures/trajectories";

describe("SkyRL evaluation dump", () => {
  it("sums scores of tokens, takes the template apart, and knows no score where there is none", async () => {
    const { form, trajectories } = await readAll(`${folder}/skyrl/global_step_3_evals/own_towers.jsonl`);
    expect(form).toBe("skyrl-eval");
    expect(trajectories.map((t) => [t.reward, t.step, t.outcome.kind, t.reference])).toEqual([
      [0.75, 3, "finished", "31"],
      [null, 3, "length", null],
      [0.5, 3, "unknown", null],
    ]);
    const messages = trajectories[0]?.branches[0]?.messages ?? [];
    expect(messages.map((m) => [m.role, m.sampled])).toEqual([
      ["user", false],
      ["assistant", true],
      ["tool", false],
      ["assistant", true],
    ]);
    expect(messages[1]?.calls[0]).toMatchObject({ name: "measure", answers: [2] });
    expect(trajectories[1]?.branches[0]?.messages[1]?.finish).toBe("unfinished");
  });
});

describe("AReaL", () => {
  it("groups by task, and says nothing of who wrote a turn where the cut falls inside one", async () => {
    const { form, trajectories } = await readAll(`${folder}/areal/eval-rollout/6/9.jsonl`);
    expect(form).toBe("areal-rollout");
    expect(trajectories.map((t) => [t.id, t.group, t.step, t.split, t.policy, t.usage])).toEqual([
      ["9:0", "9", 6, "eval", { from: 5, to: 6 }, { input: 22, output: 18 }],
      ["9:1", "9", 6, "eval", { from: 6, to: 6 }, { input: 50, output: 40 }],
    ]);
    expect(trajectories.map((t) => t.branches[0]?.messages.map((m) => [m.role, m.sampled]))).toEqual([
      [
        ["user", false],
        ["assistant", true],
      ],
      [
        ["user", false],
        ["assistant", null],
        ["user", false],
        ["assistant", null],
      ],
    ]);
  });
});

describe("Atropos", () => {
  it("reads a group a line: messages, tokens alone, one templated text", async () => {
    const { form, trajectories } = await readAll(`${folder}/atropos/groups.jsonl`);
    expect(form).toBe("atropos-groups");
    expect(trajectories.map((t) => [t.group, t.reward, t.advantage])).toEqual([
      ["line 1", 1, 0.7],
      ["line 1", -1, -0.7],
      ["line 2", 0, null],
      ["line 3", 0.25, null],
    ]);
    expect(trajectories[0]?.branches[0]?.messages[1]?.reward).toBe(0.5);
    expect(trajectories[0]?.columns).toMatchObject({ group_overrides: { group_size: 2 }, tokens: [1, 2, 3] });
    expect(trajectories[2]?.branches[0]?.messages[0]?.tokens).toMatchObject({
      mask: [false, false, true],
      logprobs: [null, null, -0.5],
    });
    expect(trajectories[3]?.branches[0]?.messages.map((m) => [m.role, m.parts])).toEqual([
      ["system", [{ type: "text", text: "Be brief." }]],
      ["user", [{ type: "text", text: "2+3?" }]],
      ["assistant", [{ type: "text", text: "5" }]],
    ]);
  });
});

describe("Tinker", () => {
  it("summaries: rewards of steps and of the group, lengths, no texts", async () => {
    const { form, trajectories } = await readAll(
      `${folder}/tinker/iteration_000004/train_rollout_summaries.jsonl`,
    );
    expect(form).toBe("tinker-rollouts");
    const [one, empty] = trajectories;
    expect([one?.reward, one?.rewards, one?.credit, one?.usage]).toEqual([
      0.75,
      { steps: 0.5, group: 0.25 },
      "summed",
      { input: 30, output: 11 },
    ]);
    expect(one?.branches[0]?.messages.map((m) => [m.reward, m.tokens?.count, m.rewards])).toEqual([
      [0.5, 5, { ok: 1 }],
      [0, 6, {}],
    ]);
    expect([empty?.reward, empty?.rewards, empty?.group]).toEqual([null, {}, "2"]);
  });

  it("log tree: conversations with their table of rewards, by group", async () => {
    const { form, trajectories } = await readAll(`${folder}/tinker/iteration_000004/train_logtree.json`);
    expect(form).toBe("tinker-logtree");
    expect(trajectories.map((t) => [t.group, t.reward, t.rewards, t.step, t.reference])).toEqual([
      ["1", 1, { correct: 1 }, 4, "4"],
      ["1", -0.1, { correct: 0 }, 4, "4"],
      ["2", 1, { correct: 1 }, 4, "4"],
    ]);
    expect(trajectories.map((t) => t.branches[0]?.messages.length)).toEqual([2, 2, 2]);
  });
});

describe("rLLM episode", () => {
  it("shows each step's own turns, a branch for each agent, and the limit that ended it", async () => {
    const { form, trajectories } = await readAll(`${folder}/rllm/val_step_7_epoch_1/episode_hash1_idx.json`);
    expect([form, trajectories.length]).toEqual(["rllm-episode", 1]);
    const [one] = trajectories;
    expect([one?.id, one?.group, one?.step, one?.split, one?.reward, one?.outcome.kind]).toEqual([
      "sum:7:2",
      "sum:7",
      7,
      "val",
      1,
      "turns",
    ]);
    expect(one?.branches.map((b) => [b.name, b.messages.map((m) => m.role)])).toEqual([
      ["solver", ["user", "assistant", "user", "assistant"]],
      ["judge", ["user", "assistant"]],
    ]);
    const solver = one?.branches[0]?.messages ?? [];
    expect(solver.map((m) => m.reward)).toEqual([null, 0, null, 1]);
    expect(solver[3]?.tokens).toMatchObject({ ids: [3, 4], versions: [4, 4] });
    expect([one?.rewards, one?.policy, one?.errors[0]?.message]).toEqual([
      { solver: 1, "solver/accuracy": 1, judge: null },
      { from: 3, to: 4 },
      "late",
    ]);
  });
});

it("rLLM training: the logger's own names of id and step, texts without tokens", async () => {
  const episode = {
    training_step: 12,
    epoch: 1,
    episode_id: "sum-7:2",
    session_id: null,
    task: { question: "2+2?", ground_truth: "4" },
    task_hash: "0a1b2c3d",
    is_correct: true,
    termination_reason: "env_done",
    metrics: { steps: 1 },
    metadata: {},
    timing: {},
    trajectories: [
      {
        name: "solver",
        uid: "u",
        reward: 1,
        num_steps: 1,
        timing: {},
        steps: [
          {
            observation: "2+2?",
            thought: "add",
            action: "4",
            reward: 1,
            done: true,
            model_response: "4",
            chat_completions: [],
            timing: {},
          },
        ],
      },
    ],
  };
  const { form, trajectories } = await readMemory("episode_hash0a_idsum.json", JSON.stringify(episode));
  expect(form).toBe("rllm-episode");
  expect(trajectories[0]?.trajectory).toMatchObject({
    id: "sum-7:2",
    group: "sum-7",
    step: 12,
    reward: 1,
    reference: "4",
    outcome: { kind: "finished" },
    branches: [
      { name: "solver", messages: [{ role: "user" }, { role: "assistant", reasoning: "add", reward: 1 }] },
    ],
    columns: { task_hash: "0a1b2c3d", epoch: 1 },
  });
});

describe("trackio session", () => {
  it("is one trajectory of a whole file, with its blocks in their places", async () => {
    const { form, trajectories } = await readAll(`${folder}/trackio/session.jsonl`);
    expect([form, trajectories.length]).toEqual(["trackio-session", 1]);
    const [one] = trajectories;
    expect([one?.reward, one?.group, one?.step, one?.task, one?.model]).toEqual([
      0.5,
      "3",
      2,
      "Count",
      "tiny",
    ]);
    const messages = one?.branches[0]?.messages ?? [];
    expect(messages.map((m) => [m.role, m.roleInFile, m.error])).toEqual([
      ["system", "developer", null],
      ["assistant", null, null],
      ["tool", "toolResult", "isError"],
    ]);
    expect(messages[1]).toMatchObject({ reasoning: "hm", calls: [{ name: "count", answers: [2] }] });
    expect(one?.columns).toMatchObject({ note: "x", entries: [{ type: "compaction" }] });
  });
});
