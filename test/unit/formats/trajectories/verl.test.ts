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
      ["user", [{ type: "text", text: "user\nWhat is 2+2?\nassistant\n" }]],
      ["assistant", [{ type: "text", text: "5" }]],
    ]);
  });
});
