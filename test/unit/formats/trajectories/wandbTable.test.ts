import { describe, expect, it } from "vitest";
import { readAll } from "../../../support/readAll";

const file = (name: string): string => `test/fixtures/trajectories/wandb/${name}.table.json`;

describe("W&B tables", () => {
  // One row a prompt tells no weights: totals of several rewards aren't known then.
  it("TRL: NaN is None, conversations may be JSON in a cell", async () => {
    const { form, trajectories } = await readAll(file("trl"));
    expect(form).toBe("trl-wandb-table");
    expect(trajectories.map((t) => [t.step, t.rewards, t.reward, t.advantage])).toEqual([
      [3, { ok: 1, style: null }, null, 0.5],
      [3, { ok: 0, style: 0.25 }, null, -0.5],
      [3, { ok: null, style: null }, null, 0],
    ]);
    expect(trajectories[0]?.branches[0]?.messages.map((m) => [m.role, m.parts])).toEqual([
      ["user", [{ type: "text", text: "2+2?" }]],
      ["assistant", [{ type: "text", text: "4" }]],
    ]);
    expect(trajectories[0]?.columns["note"]).toBe("a");
  });

  it("OpenRLHF: one text, taken apart by its template or left as it is", async () => {
    const { form, trajectories } = await readAll(file("openrlhf"));
    expect(form).toBe("wandb-samples-table");
    expect(trajectories.map((t) => [t.step, t.reward, t.branches[0]?.messages.map((m) => m.role)])).toEqual([
      [12, 1, ["user", "assistant"]],
      [13, 0, ["event"]],
    ]);
    expect(trajectories[0]?.columns["text"]).toContain("<|im_start|>");
  });

  it("Atropos, SkyRL: a reward that isn't there is null, other columns stay", async () => {
    const atropos = await readAll(file("atropos"));
    expect(atropos.trajectories.map((t) => [t.reward, t.columns])).toEqual([[-1, { expected: "4" }]]);
    const skyrl = await readAll(file("skyrl"));
    expect(skyrl.trajectories.map((t) => [t.step, t.reward, t.branches[0]?.messages.length])).toEqual([
      [2, null, 2],
    ]);
  });

  it("verl: a row's samples become one trajectory each", async () => {
    const { form, trajectories } = await readAll(file("verl"));
    expect([form, trajectories.map((t) => [t.step, t.reward])]).toEqual([
      "verl-wandb-table",
      [
        [10, 1],
        [10, 0],
      ],
    ]);
  });

  it("a table of metrics is none", async () => {
    await expect(readAll(file("metrics"))).rejects.toMatchObject({ code: "FormatUnknown" });
  });
});
