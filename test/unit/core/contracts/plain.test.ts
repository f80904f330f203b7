import { expect, test } from "vitest";
import type { ContractContext } from "../../../../src/core/contracts/contract";
import { plain } from "../../../../src/core/contracts/plain";
import { type Overrides, modelFile } from "../../../../src/core/contracts/registry";
import type { FateContext } from "../../../../src/core/contracts/contract";
import { CallPlan } from "../../../../src/schema/worker";

const context: ContractContext = {
  version: null,
  advantages: "group",
  shape: "text",
  columns: ["answer", "text"],
  hasTokens: true,
};

function planOf(text: string): CallPlan {
  const overrides: Overrides = new Map([["f", { contract: "plain", by: "user" }]]);
  return CallPlan.parse(plain.plan(modelFile("r.py", 1, text, overrides).functions[0]!, context));
}

test("asks for the completion, the prompt and columns by name, nothing else", () => {
  expect(planOf("def f(prompt, answer, completion, text, missing=1):\n    return 1.0\n")).toEqual({
    unit: "sample",
    arguments: [
      { name: "prompt", from: "prompt" },
      { name: "answer", from: "column", column: "answer" },
      { name: "completion", from: "completion" },
      { name: "text", from: "column", column: "text" },
    ],
    passing: "named",
    returns: "number",
    awaits: "callables",
  });
});

test("a vague name is the completion only where no better one is there", () => {
  expect(planOf("def f(text, answer):\n    return 1.0\n").arguments[0]).toEqual({
    name: "text",
    from: "completion",
  });
});

test("**kwargs takes all columns; a chosen function without a known name gets the completion first", () => {
  expect(planOf("def f(thing, completion_ids, **kw):\n    return 1.0\n").arguments).toEqual([
    { name: "thing", from: "completion" },
    { name: "completion_ids", from: "completion_ids" },
    { from: "columns" },
  ]);
});

test("nobody catches, converts or limits", () => {
  const fate = (state: Parameters<typeof plain.fate>[0], more: Partial<FateContext> = {}) => {
    const { word, scope, waits } = plain.fate(state, {
      ...context,
      othersScored: false,
      reason: null,
      ...more,
    });
    return `${word} ${scope}${waits ? " waits" : ""}`;
  };
  expect(fate("raised")).toBe("stops run");
  expect(fate("timed-out", { reason: "row-timeout" })).toBe("stops run waits");
  expect(fate("not-applicable", { othersScored: true })).toBe("ignored row");
  expect(fate("non-finite", { reason: "nan" })).toBe("poisons group");
  expect(fate("non-finite", { reason: "infinite", advantages: "batch" })).toBe("poisons batch");
  expect(fate("scored")).toBe("value row");
  expect(fate("held")).toBe("unknown row");
  expect(fate("cancelled")).toBe("unknown row");
  expect(fate("timed-out", { reason: "pass-timeout" })).toBe("unknown row");
  expect(fate("not-applicable", { reason: "no-tokens" })).toBe("unknown row");
});
