import { describe, expect, it } from "vitest";
import { sweAgent } from "../../../../src/formats/trajectories/forms/sweAgent";
import { readAll } from "../../../support/readAll";
import { readFormFile } from "../../../support/readForm";

describe("SWE-agent", () => {
  it("shows the steps after what the history says before them", () => {
    const { trajectories } = readFormFile(sweAgent, "test/fixtures/trajectories/swe-agent/repo__one-1.traj");
    const [one] = trajectories;
    expect(one).toMatchObject({
      group: "repo__one-1",
      reward: null,
      outcome: { kind: "length", inFile: "submitted (exit_cost)" },
      cost: 0.03,
      usage: { input: 9000, output: 120 },
      columns: {
        submission: "diff --git a b",
        replay_config: { type: "run_single" },
        environment: "swe_main",
      },
    });
    const messages = one?.branches[0]?.messages ?? [];
    expect(messages.map((m) => m.role)).toEqual([
      "system",
      "user",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(messages[1]?.extra).toMatchObject({ is_demo: true });
    expect(messages[3]?.calls).toMatchObject([{ name: "bash", arguments: { command: "ls" }, answers: [4] }]);
    expect(messages[4]?.ms).toBeCloseTo(200);
    expect(messages[5]?.calls).toMatchObject([{ name: "submit", answers: [6] }]);
    expect(one?.snapshots).toEqual([
      { before: 5, label: "step 1", state: { open_file: "n/a" } },
      { before: 7, label: "step 2", state: { open_file: "a.py" } },
    ]);
    expect(one?.branches[1]).toMatchObject({ name: "attempt 0", messages: [{}, {}] });
  });
});

describe("mini-swe-agent", () => {
  it("reads actions, exit codes and items of the Responses API", async () => {
    const { form, trajectories } = await readAll(
      "test/fixtures/trajectories/mini-swe-agent/repo__one-1.traj.json",
    );
    expect(form).toBe("mini-swe-agent");
    expect(trajectories[0]).toMatchObject({
      group: "repo__one-1",
      outcome: { kind: "turns" },
      cost: 0.01,
      model: "small",
    });
    const messages = trajectories[0]?.branches[0]?.messages ?? [];
    expect(messages.map((m) => [m.role, m.calls.length, m.error])).toEqual([
      ["system", 0, null],
      ["user", 0, null],
      ["assistant", 1, null],
      ["tool", 0, "exit code 2"],
      ["assistant", 1, null],
      ["tool", 0, null],
      ["event", 0, null],
    ]);
    expect(messages[3]?.answersTo).toEqual({ message: 2, call: 0 });
    expect(messages[5]?.answersTo).toEqual({ message: 4, call: 0 });
    expect(messages[2]?.at).toBe(1767225600500);
  });

  it("reads a bare list of messages as one trajectory", async () => {
    const { form, trajectories } = await readAll("test/fixtures/trajectories/mini-swe-agent/bare.traj.json");
    expect(form).toBe("mini-swe-agent");
    expect(trajectories.map((t) => t.branches[0]?.messages.length)).toEqual([3]);
  });
});
