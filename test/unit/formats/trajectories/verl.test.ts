import { describe, expect, it } from "vitest";
import { readAll } from "../../../support/readAll";

describe("verl rollout dump", () => {
  it("reads scores, components written through str(), step and texts", async () => {
    const { form, trajectories, problems } = await readAll("test/fixtures/trajectories/verl/7.jsonl");
    expect(form).toBe("verl-rollout");
    expect(problems).toEqual([]);
    expect(trajectories.map((t) => [t.reward, t.rewards["acc"], t.step, t.reference])).toEqual([
      [1.1, 1, 7, "4"],
      [0.1, 0, 7, "4"],
    ]);
    expect(trajectories[1]?.branches[0]?.messages.map((m) => [m.role, m.parts])).toEqual([
      ["user", [{ type: "text", text: "What is 2+2?" }]],
      ["assistant", [{ type: "text", text: "5" }]],
    ]);
    expect(trajectories[1]?.columns["input"]).toBe("user\nWhat is 2+2?\nassistant\n");
  });

  it("tells tools' turns in a skipped template, and leaves alone what could be the user's words", async () => {
    const { trajectories } = await readAll("test/fixtures/trajectories/verl/validation/20.jsonl");
    const [tools, words] = trajectories;
    expect([tools?.id, tools?.group, tools?.step, tools?.split]).toEqual(["3_1_0", "3", 20, "val"]);
    expect(
      tools?.branches[0]?.messages.map((m) => [m.role, m.parts, m.calls.map((c) => c.arguments)]),
    ).toEqual([
      ["system", [{ type: "text", text: "Use tools." }], []],
      ["user", [{ type: "text", text: "How high?" }], []],
      ["assistant", [], [{ what: "tower" }]],
      ["tool", [{ type: "text", text: "31" }], []],
      ["assistant", [{ type: "text", text: "31 m" }], []],
    ]);
    // An extracted answer is a number, but no component.
    expect(tools?.rewards).toEqual({ reward: 1, acc: 1 });
    expect(tools?.columns["pred"]).toBe("31");
    expect(words?.reward).toBeNull();
    expect(words?.branches[0]?.messages.map((m) => m.parts)).toEqual([
      [{ type: "text", text: "user\nWrite the word\nuser\ntwice.\nassistant\n" }],
      [{ type: "text", text: "user\nuser" }],
    ]);
  });
});
