import { describe, expect, it } from "vitest";
import { harborExport } from "../../../../src/formats/trajectories/forms/harborExport";
import { readAll } from "../../../support/readAll";
import { readFormFile } from "../../../support/readForm";

const HARBOR = "test/fixtures/trajectories/harbor";

describe("ATIF and Harbor", () => {
  it("takes reward, exception and time from the trial's result, both where both are there", async () => {
    const { form, trajectories } = await readAll(`${HARBOR}/job/hello__aB/agent/trajectory.json`);
    expect(form).toBe("atif");
    expect(trajectories).toHaveLength(1);
    expect(trajectories[0]).toMatchObject({
      id: "t1",
      group: "own/hello",
      reward: 0,
      outcome: { kind: "time", inFile: "AgentTimeoutError" },
      errors: [{ kind: "AgentTimeoutError", message: "Agent timed out" }],
      ms: 9500,
      cost: 0.5,
      usage: { input: 10, output: 5 },
      continuedIn: "trajectory.cont-1.json",
      tools: [{ name: "bash", description: "Run." }],
      columns: { notes: "n", trial_name: "hello__aB" },
    });
  });

  it("reads steps, observations with and without calls, tokens, copied context and sub-agents", async () => {
    const { trajectories } = await readAll(`${HARBOR}/job/hello__aB/agent/trajectory.json`);
    const branches = trajectories[0]?.branches ?? [];
    const messages = branches[0]?.messages ?? [];
    expect(messages.map((m) => m.role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(messages[1]?.parts[1]).toEqual({
      type: "image",
      mime: "image/png",
      data: null,
      address: "images/a.png",
    });
    expect(messages[2]).toMatchObject({ sampled: false, extra: { is_copied_context: true } });
    expect(messages[4]).toMatchObject({
      sampled: true,
      reasoning: "both",
      tokens: { count: 2, ids: [5, 6], logprobs: [-0.1, -0.3] },
    });
    // Results stand in another order than calls: ids decide.
    expect(messages[4]?.calls.map((call) => call.answers)).toEqual([[6], [5]]);
    expect(messages[7]?.tokens).toMatchObject({ count: 3, ids: null });
    expect(branches.map((b) => [b.id, b.name, b.messages.length])).toEqual([
      ["main", "terminus", 8],
      ["sub1", "searcher", 2],
    ]);
  });

  it("leaves two rewards two", async () => {
    const { trajectories } = await readAll(`${HARBOR}/job/two__cD/agent/trajectory.json`);
    expect(trajectories[0]).toMatchObject({
      reward: null,
      rewards: { exists: 1, text: 0.5 },
      outcome: { kind: "finished" },
    });
  });

  it("has no reward where no result lies beside it", async () => {
    const { trajectories } = await readAll(`${HARBOR}/alone/run.trajectory.json`);
    expect(trajectories[0]).toMatchObject({ reward: null, rewards: {}, outcome: { kind: "unknown" } });
  });

  it("makes one trajectory of a trial's rows in a traces export", () => {
    const { trajectories } = readFormFile(harborExport, `${HARBOR}/traces.jsonl`);
    expect(trajectories.map((t) => [t.id, t.group, t.reward, t.outcome.kind])).toEqual([
      ["hello__1", "hello", 1, "finished"],
      ["hello__2", "hello", null, "time"],
    ]);
    expect(trajectories[0]?.branches.map((b) => b.messages.length)).toEqual([4, 2]);
  });

  it("doesn't take a result for a trajectory", async () => {
    await expect(readAll(`${HARBOR}/job/result.json`)).rejects.toMatchObject({ code: "FormatUnknown" });
    await expect(readAll(`${HARBOR}/job/two__cD/result.json`)).rejects.toMatchObject({
      code: "FormatUnknown",
    });
  });
});
