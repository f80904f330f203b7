import { describe, expect, it } from "vitest";
import { artParquet } from "../../../../src/formats/trajectories/forms/art";
import type { RecordContext } from "../../../../src/formats/trajectories/form";
import type { Trajectory } from "../../../../src/schema/trajectory";
import { readMemory } from "../../../support/readMemory";
import { runOf } from "../../../../src/core/trajectories/runs";
import { readAll } from "../../../support/readAll";

const FOLDER = "test/fixtures/trajectories/art";

function texts(trajectory: Trajectory | undefined): unknown[] {
  return (trajectory?.branches ?? []).map(({ from, messages }) => [
    from,
    messages.map(({ role, parts }) => `${role}: ${parts[0]?.type === "text" ? parts[0].text : ""}`),
  ]);
}

describe("ART groups as lines", () => {
  it("reads choices, defaults, histories, RULER's scores; without a reward key it is 0, null stays none", async () => {
    const { form, trajectories } = await readAll(`${FOLDER}/trajectories/train/0007.jsonl`);
    expect(form).toBe("art-groups");
    expect(trajectories.map((t) => [t.group, t.reward, t.step, t.split])).toEqual([
      ["train 7 · 0", 0.9, 7, "train"],
      ["train 7 · 0", 0, 7, "train"],
      ["train 7 · 0", null, 7, "train"],
      ["train 7 · 1", null, 7, "train"],
    ]);
    const [first] = trajectories;
    expect(first).toMatchObject({
      rewards: { ruler_score: 0.9, independent_reward: 1 },
      policy: { from: 6, to: 7 },
      ms: 2500,
      columns: { scenario: "s1", group_metadata: { day: 1 }, logs: ["RULER explanation: fine"] },
    });
    expect(first?.branches.map(({ from, messages }) => [from, messages.length])).toEqual([
      [null, 4],
      [{ branch: 0, message: 0 }, 1],
    ]);
    const last = first?.branches[0]?.messages[3];
    expect([last?.sampled, last?.finish, last?.tokens]).toEqual([
      true,
      "stop",
      { count: 2, ids: [11, 12], mask: null, logprobs: [-0.5, -0.25], advantages: null, versions: null },
    ]);
    expect(first?.branches[0]?.messages[2]).toMatchObject({
      answersTo: { message: 1, call: 0 },
      name: "find",
    });
  });

  it("loses no rollout that raised: said where the group has others, a trajectory of errors where it has none", async () => {
    const { trajectories, problems } = await readAll(`${FOLDER}/trajectories/train/0007.jsonl`);
    expect(problems.map(({ line, message }) => [line, message])).toEqual([
      [1, "A rollout of this group raised TimeoutError and has no trajectory: too slow"],
    ]);
    expect(trajectories[0]?.columns["group_exceptions"]).toHaveLength(1);
    expect(trajectories[3]?.errors.map(({ kind, message }) => [kind, message])).toEqual([
      ["ValueError", "no data"],
      ["KeyError", "'x'"],
    ]);
  });
});

describe("ART exchanges in a compact dump", () => {
  it("expands one level of references, keys too", async () => {
    const { form, trajectories, problems } = await readAll(`${FOLDER}/group.compact.json`);
    expect(form).toBe("art-compact");
    expect(trajectories.map((t) => t.reward)).toEqual([0, 0.5]);
    expect(trajectories[0]?.columns).toMatchObject({ literal: "$1", unknown: "$9" });
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("no conversation")]);
  });

  it("makes conversations of calls: goes on, begins anew, samples again; all four kinds", async () => {
    const { trajectories } = await readAll(`${FOLDER}/group.compact.json`);
    expect(texts(trajectories[0])).toEqual([
      [null, ["system: Help.", "user: Rain?", "assistant: ", "tool: yes", "assistant: Yes."]],
      [{ branch: 0, message: 0 }, ["user: Summarise.", "assistant: Short."]],
      [{ branch: 0, message: 3 }, ["assistant: Another."]],
      [null, ["user: Once", "assistant:  upon"]],
      [
        null,
        [
          "system: Be kind.",
          "user: Find rain.",
          "assistant: Looking.",
          "tool: broken",
          "user: Well?",
          "assistant: Sorry.",
        ],
      ],
      [null, ["system: Be brief.", "user: Hi", "assistant: Hello", "user: More", "assistant: "]],
    ]);
    const [first] = trajectories;
    const answer = first?.branches[0]?.messages[2];
    expect(answer).toMatchObject({ sampled: true, ms: 1500, model: "m-1", calls: [{ name: "find" }] });
    expect(first?.branches[0]?.messages[1]?.sampled).toBeNull();
    const anthropic = first?.branches[4]?.messages;
    expect(anthropic?.[2]).toMatchObject({
      reasoning: "I look.",
      finish: "tool_use",
      calls: [{ id: "tu", name: "find", arguments: { q: "rain" }, answers: [3] }],
    });
    expect(anthropic?.[3]).toMatchObject({ callId: "tu", error: "broken", name: "find" });
    expect(first?.usage).toEqual({ input: 54, output: 12 });
    expect(first?.tools.map(({ name }) => name)).toEqual(["find"]);
  });
});

describe("ART rows", () => {
  const said: string[] = [];
  const context: RecordContext = {
    name: "0003.parquet",
    folders: ["m", "trajectories", "val"],
    line: 1,
    index: 0,
    shared: null,
    learnt: null,
    beside: new Map(),
    problem: (message) => said.push(message),
  };
  const read = (row: unknown) => artParquet.read(row, context)[0];

  it("version 1: structs with calls as JSON text, trainable turns", () => {
    const row = {
      group_index: 2n,
      reward: 0.5,
      metrics: '{"ok": true}',
      metadata: '{"day": 3}',
      tools: null,
      logs: null,
      messages: [
        { role: "user", content: "Hi", tool_calls: null, tool_call_id: null, trainable: false },
        {
          role: "assistant",
          content: null,
          tool_calls: '[{"id": "a", "function": {"name": "f", "arguments": "{}"}}]',
          tool_call_id: null,
          trainable: true,
        },
      ],
    };
    expect(read(row)).toMatchObject({
      group: "val 3 · 2",
      step: 3,
      split: "val",
      reward: 0.5,
      columns: { day: 3 },
    });
    expect(read(row)?.branches[0]?.messages.map((m) => [m.sampled, m.calls.map((c) => c.name)])).toEqual([
      [false, []],
      [true, ["f"]],
    ]);
  });

  it("version 2: the JSON decides, not the columns; a row without a trajectory is a group that failed", () => {
    said.length = 0;
    const group = '{"exceptions":[{"type":"<class \'OSError\'>","message":"gone","traceback":"t"}]}';
    const whole = read({
      group_index: 0n,
      trajectory_index: 0n,
      group_json: group,
      trajectory_json: '{"messages_and_choices":[{"role":"user","content":"Hi"}]}',
      reward: 9,
      messages: null,
    });
    expect([whole?.reward, whole?.branches[0]?.messages.length, said.length]).toEqual([0, 1, 1]);
    const failed = read({
      group_index: 1n,
      trajectory_index: null,
      group_json: group,
      trajectory_json: null,
    });
    expect(failed).toMatchObject({
      group: "val 3 · 1",
      reward: null,
      errors: [{ kind: "OSError", message: "gone" }],
    });
  });
});

it("reads what for_logging() gives, one a line", async () => {
  const { form, trajectories } = await readAll(`${FOLDER}/logged.jsonl`);
  expect([form, trajectories[0]?.reward, trajectories[0]?.group]).toEqual(["art-trajectories", 0.25, null]);
  expect(trajectories[0]?.branches[0]?.messages.map(({ sampled, extra }) => [sampled, extra])).toEqual([
    [false, {}],
    [true, {}],
  ]);
});

describe("ART's earliest logs", () => {
  // As `_trajectory_log` and `format_message` of March 2025 put it together.
  const log = (header: string, ...messages: readonly string[]): string =>
    `${header}\n\n${messages.map((one) => `${one}\n`).join("\n")}`;
  const text = log(
    "reward: 0.2500 correct: 1.0000 mean length: -3.5000 odd: nan",
    "System:\nBe brief.\n",
    "User:\nWill it rain?\n\nIn Oslo, I mean.\n",
    'Assistant:\nI look.\nweather({"city": "Oslo"})\nweather({"city": "Bergen"})',
    "Tool:\nrain\n",
    "Tool:\n",
    "Assistant:\nYes: f(x) is {rain}\n",
  );

  it("are one trajectory each, with metrics, calls, and group, step and split by their path", async () => {
    const { form, trajectories, problems } = await readMemory("run/trajectories/train/0007/03-1.log", text);
    expect([form, problems]).toEqual(["art-log", []]);
    const one = trajectories[0]?.trajectory;
    expect([one?.reward, one?.metrics, one?.group, one?.step, one?.split]).toEqual([
      0.25,
      { correct: 1, "mean length": -3.5, odd: { nonFinite: "nan" } },
      "train 7 · 3",
      7,
      "train",
    ]);
    const messages = one?.branches[0]?.messages ?? [];
    expect(
      messages.map(({ role, parts }) => [
        role,
        parts.map((part) => (part.type === "text" ? part.text : null)),
      ]),
    ).toEqual([
      ["system", ["Be brief."]],
      ["user", ["Will it rain?\n\nIn Oslo, I mean."]],
      ["assistant", ["I look."]],
      ["tool", ["rain"]],
      ["tool", []],
      ["assistant", ["Yes: f(x) is {rain}"]],
    ]);
    expect(messages[2]?.calls.map(({ name, arguments: args, answers }) => [name, args, answers])).toEqual([
      ["weather", { city: "Oslo" }, [3]],
      ["weather", { city: "Bergen" }, [4]],
    ]);
  });

  it("have no metrics, or are another program's log", async () => {
    const bare = await readMemory("0-0.log", log("reward: 1.0000 ", "User:\nhi\n", "Assistant:\nho\n"));
    expect(bare.trajectories[0]?.trajectory).toMatchObject({
      reward: 1,
      metrics: {},
      group: "0",
      step: null,
    });
    await expect(readMemory("console.log", "reward: 1.0 of step 3\nUser: hi\n")).rejects.toMatchObject({
      code: "FormatUnknown",
    });
  });

  it("stand in a run of ART", () => {
    const files = ["m/trajectories/val/0003/0-1.log", "m/trajectories/val/0003/0-0.log", "m/other/0-0.log"];
    const run = runOf(files.map((path) => ({ path, bytes: 9 })));
    expect([run.framework, run.rolloutFiles]).toEqual([
      "art",
      [
        { path: "m/trajectories/val/0003/0-0.log", step: 3, split: "val" },
        { path: "m/trajectories/val/0003/0-1.log", step: 3, split: "val" },
      ],
    ]);
  });
});

it("takes counts of exchanges for no trajectory", async () => {
  const counts = { trajectories: 4, exchanges: { chat_completions: 3, messages: 0 }, rewards: [1, 0] };
  await expect(readMemory("truth.json", JSON.stringify(counts))).rejects.toMatchObject({
    code: "FormatUnknown",
  });
});
