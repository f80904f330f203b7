import { expect, it } from "vitest";
import { modelFile } from "../../../src/core/contracts/registry";
import { compose, DEFAULT_TRAINER } from "../../../src/services/composition";
import { table } from "../core/scoring/tables";

const { functions } = modelFile("/reward.py", 1, "def reward(completions, **kwargs):\n    return [None]\n");

it("fates follow the trainer's aggregation: a None adds 0 to a sum, and nothing to normalised parts", () => {
  const none = (aggregation: "sum_then_normalize" | "normalize_then_sum") =>
    compose(
      functions,
      table([[0, 1]]),
      { packages: { trl: "1.16.0" } },
      { ...DEFAULT_TRAINER, batch: 8, aggregation },
    ).functions[0]!.fate("not-applicable", true, "none");
  expect(none("sum_then_normalize")).toMatchObject({ word: "zero", inBaseline: true });
  expect(none("normalize_then_sum")).toMatchObject({ word: "ignored", inBaseline: false });
});
