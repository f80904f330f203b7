import { describe, expect, it } from "vitest";
import { readAll } from "../../../support/readAll";

const folder = "test/fixtures/trajectories";

describe("NeMo Gym", () => {
  it("makes turns of the items, keeps broken arguments, links answers by id", async () => {
    const { form, trajectories, problems } = await readAll(`${folder}/nemo-gym/rollouts.jsonl`);
    expect([form, problems]).toEqual(["nemo-gym-rollouts", []]);
    const [one] = trajectories;
    const messages = one?.branches[0]?.messages ?? [];
    expect(messages.map((m) => m.role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(messages[2]?.reasoning).toBe("Look it up.");
    expect(messages[2]?.calls.map((c) => [c.arguments, c.problem, c.answers])).toEqual([
      [{ city: "Oslo" }, null, [4]],
      [null, "not-json", [3]],
    ]);
    expect(messages[5]?.tokens).toMatchObject({ count: 2, ids: [7, 8], logprobs: [-0.1, -0.2] });
    expect(messages[7]?.calls[0]?.name).toBe("web_search");
    expect([one?.id, one?.group, one?.reward, one?.rewards, one?.reference]).toEqual([
      "3-2",
      "3",
      1.5,
      { correctness: 1, format: 0.5 },
      "4",
    ]);
    expect([one?.usage, one?.tools.map((t) => t.name)]).toEqual([{ input: 90, output: 24 }, ["get_weather"]]);
  });

  it("says what was cut off and what the trainer masks", async () => {
    const { trajectories } = await readAll(`${folder}/nemo-gym/rollouts.jsonl`);
    expect(trajectories[1]).toMatchObject({
      outcome: { kind: "length", inFile: "max_output_tokens" },
      excluded: "mask_sample",
      reward: 0,
    });
  });

  it("reads the failures beside them: no reward, the error with its body", async () => {
    const { form, trajectories } = await readAll(`${folder}/nemo-gym/rollouts_failures.jsonl`);
    expect(form).toBe("nemo-gym-failures");
    expect(trajectories[0]).toMatchObject({
      id: "3-1",
      group: "3",
      reward: null,
      outcome: { kind: "infrastructure", inFile: "agent_run_error" },
      errors: [{ kind: "ClientResponseError", message: "500", traceback: "boom" }],
    });
  });
});

describe("NeMo RL", () => {
  it("unwraps lists of one, and gives each message its tokens by the loss mask", async () => {
    const { form, trajectories } = await readAll(`${folder}/nemo-rl/train_data_step5.jsonl`);
    const [one, other] = trajectories;
    expect([form, one?.step, one?.split, one?.reward, one?.advantage]).toEqual([
      "nemo-rl-data",
      5,
      "train",
      1,
      0.7,
    ]);
    const messages = one?.branches[0]?.messages ?? [];
    expect(messages.map((m) => [m.role, m.sampled, m.tokens?.ids])).toEqual([
      ["user", false, [10, 11]],
      ["assistant", true, [12, 13]],
      ["user", false, [14]],
    ]);
    expect(messages[1]?.tokens).toMatchObject({ mask: [true, true], logprobs: [-0.1, -0.2] });
    expect([other?.reward, other?.excluded, other?.advantage]).toEqual([
      { nonFinite: "nan" },
      "sample_loss_mask",
      0,
    ]);
  });

  it("takes validation's messages as they are", async () => {
    const { trajectories } = await readAll(`${folder}/nemo-rl/val_data_step5.jsonl`);
    expect(trajectories.map((t) => [t.split, t.branches[0]?.messages.map((m) => m.role)])).toEqual([
      ["val", ["user", "assistant"]],
    ]);
  });
});
