import { describe, expect, it } from "vitest";
import { evalProtocolLogs } from "../../../../src/formats/trajectories/forms/evalProtocol";
import { readAll } from "../../../support/readAll";

const FOLDER = "test/fixtures/trajectories/eval-protocol";

describe("eval-protocol rows", () => {
  it("reads scores, components, rewards of steps, how rollouts ended; old keys and exports", async () => {
    const { form, trajectories, problems } = await readAll(`${FOLDER}/rows.jsonl`);
    expect([form, problems]).toEqual(["eval-protocol-rows", []]);
    expect(
      trajectories.map((t) => [t.id, t.group, t.reward, t.outcome.kind, t.errors.length, t.excluded]),
    ).toEqual([
      ["ro-1", "row_1 · inv", 1, "finished", 0, null],
      ["ro-2", "row_1 · inv", null, "running", 0, null],
      ["ro-3", "row_1 · inv", 0, "environment", 2, "is_score_valid: false"],
      ["ro-4", "row_1 · inv", -1, "turns", 0, null],
      ["ro-5", "row_2 · i2", null, "environment", 1, null],
      [null, null, 0.75, "unknown", 0, null],
    ]);
    const [first] = trajectories;
    expect(first).toMatchObject({
      rewards: { fmt: 0.5, judge: null },
      model: "lab/x",
      task: "test_sum",
      usage: { input: 9, output: 1 },
      cost: 0.5,
      ms: 2000,
      reference: "4",
      metrics: { reason: "matches", details: { judge: { reason: "no answer" } } },
    });
    expect(first?.branches[0]?.messages.map((m) => m.reward)).toEqual([null, 0.1, null, 0.9]);
  });

  it("reads a row of logs.db, whose data is text or already parsed", () => {
    const data = { messages: [{ role: "user", content: "x" }], evaluation_result: { score: 0.5 } };
    const context = {
      name: "logs.db",
      folders: [],
      line: 1,
      index: 0,
      shared: null,
      learnt: null,
      beside: new Map<string, unknown>(),
      problem: (): void => undefined,
    };
    for (const value of [data, JSON.stringify(data)])
      expect(evalProtocolLogs.read({ data: value }, context).map((t) => t.reward)).toEqual([0.5]);
  });

  it("takes a dataset for none of its files", async () => {
    const found = await readAll(`${FOLDER}/dataset.jsonl`).catch(() => null);
    expect(found?.form.startsWith("eval-protocol")).not.toBe(true);
  });
});

it("MCP recordings: the last conversation of each environment, control records kept", async () => {
  const { form, trajectories, problems } = await readAll(`${FOLDER}/recording.jsonl`);
  expect([form, problems]).toEqual(["eval-protocol-recording", []]);
  expect(trajectories.map((t) => [t.id, t.branches[0]?.messages.length, t.metrics["steps"]])).toEqual([
    ["env 0", 4, 2],
    ["env 1", 1, 0],
  ]);
  expect(trajectories[0]?.branches[0]?.messages[2]?.reward).toBe(0.5);
  expect(trajectories[1]?.columns["control"]).toEqual([
    { env_index: 1, step: 1, control_plane: { terminated: true } },
  ]);
});
