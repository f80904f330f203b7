import { describe, expect, it } from "vitest";
import { recogniseForm } from "../../../../src/formats/trajectories/registry";
import { otelSpans } from "../../../../src/formats/trajectories/forms/otelSpans";
import { readFormFile, valuesOf } from "../../../support/readForm";

const FOLDER = "test/fixtures/trajectories/otel";
const { trajectories, problems } = readFormFile(otelSpans, `${FOLDER}/spans.jsonl`);
const [agent, events, flat, hidden] = trajectories;

describe("OpenTelemetry GenAI spans", () => {
  it("are recognised, and a trace of something else is none", () => {
    const records = valuesOf(`${FOLDER}/spans.jsonl`);
    const head = {
      container: "lines" as const,
      name: "x.jsonl",
      folders: [],
      records,
      names: [],
      metadata: {},
    };
    expect(recogniseForm(head)?.id).toBe("otel-spans");
    expect(trajectories).toHaveLength(4);
  });

  it("appends calls that go on, branches where one leaves the conversation, and begins a sub-agent's own", () => {
    expect(agent?.branches.map((b) => [b.name, b.from, b.messages.map((m) => m.role)])).toEqual([
      ["main", null, ["system", "user", "assistant", "tool", "event", "assistant"]],
      ["looker", null, ["user", "assistant"]],
      ["main", { branch: 0, message: 1 }, ["user", "assistant"]],
    ]);
    const [, , call, answer, person, last] = agent?.branches[0]?.messages ?? [];
    expect(call).toMatchObject({
      reasoning: "count",
      ms: 20,
      sampled: true,
      calls: [{ name: "count", answers: [3] }],
    });
    expect(person).toMatchObject({ roleInFile: "human.approval", parts: [{ text: "go on" }] });
    expect(answer).toMatchObject({
      ms: 5,
      error: null,
      parts: [{ text: "3" }],
      answersTo: { message: 2, call: 0 },
    });
    expect(last).toMatchObject({ finish: "stop", parts: [{ text: "Three." }] });
  });

  it("takes rewards from attributes and evaluation events, usage from calls", () => {
    expect(agent).toMatchObject({
      reward: 0.5,
      rewards: { reward: 0.5, style: 1, judge: 0.25 },
      usage: { input: 8, output: 2 },
      ms: 100,
      outcome: { kind: "length" },
      tools: [{ name: "count" }],
    });
  });

  it("reads the conventions' older ages: events, and flattened prompts with an error", () => {
    expect(events?.branches[0]?.messages.map((m) => [m.role, m.parts])).toEqual([
      ["system", [{ type: "text", text: "sys" }]],
      ["user", [{ type: "text", text: "hi" }]],
      ["assistant", [{ type: "text", text: "hello" }]],
    ]);
    expect(events?.usage).toEqual({ input: 4, output: 1 });
    expect(flat?.branches[0]?.messages[1]?.calls).toMatchObject([{ name: "count", arguments: { a: 1 } }]);
    expect(flat).toMatchObject({
      outcome: { kind: "infrastructure" },
      errors: [{ kind: "openai.APIConnectionError", message: "gone" }],
    });
  });

  it("shows turns and tools of a trace without content, and says so", () => {
    expect(hidden?.branches[0]?.messages.map((m) => [m.role, m.calls.length, m.error])).toEqual([
      ["assistant", 1, null],
      ["tool", 0, "tool broke"],
      ["assistant", 0, null],
    ]);
    expect(problems).toEqual(["2 of 2 model calls don't hold their messages: content wasn't captured."]);
  });

  it("reads what the console exporter prints, with OpenInference's attributes and images", () => {
    const found = readFormFile(otelSpans, `${FOLDER}/console.json`).trajectories;
    expect(found).toHaveLength(1);
    const messages = found[0]?.branches[0]?.messages ?? [];
    expect(messages[0]?.parts).toEqual([
      { type: "text", text: "What is it?" },
      { type: "image", mime: "image/png", data: "AAAA", address: null },
    ]);
    expect(messages[1]).toMatchObject({ ms: 1500, calls: [{ name: "look" }], tokens: { count: 1 } });
    expect(found[0]?.tools).toMatchObject([{ name: "look" }]);
  });
});
