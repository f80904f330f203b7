import { describe, expect, it } from "vitest";
import { langfuse } from "../../../../src/formats/trajectories/forms/langfuse";
import { langsmith } from "../../../../src/formats/trajectories/forms/langsmith";
import { mlflow } from "../../../../src/formats/trajectories/forms/mlflow";
import { recogniseForm } from "../../../../src/formats/trajectories/registry";
import { readForm } from "../../../support/readForm";

function form(records: readonly unknown[]): string | null {
  const head = {
    container: "document" as const,
    name: "x.json",
    folders: [],
    records,
    names: [],
    metadata: {},
  };
  return recogniseForm(head)?.id ?? null;
}

const user = { role: "user", content: "How many?" };
const calling = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "count", arguments: '{"of": "mugs"}' } }],
};
const answer = { role: "tool", tool_call_id: "c1", content: "3" };
const final = { role: "assistant", content: "Three." };
const roles = ["user", "assistant", "tool", "assistant"];

describe("MLflow", () => {
  const span = (
    id: string,
    parent: string | null,
    kind: string,
    at: number,
    more: Record<string, unknown>,
  ) => ({
    trace_id: "dHI=",
    span_id: id,
    parent_span_id: parent,
    name: kind === "TOOL" ? "count" : id,
    start_time_unix_nano: 1767600000000000000 + at * 1e6,
    end_time_unix_nano: 1767600000000000000 + (at + 10) * 1e6,
    status: { code: "STATUS_CODE_OK", message: "" },
    attributes: Object.fromEntries(
      Object.entries({ "mlflow.spanType": kind, ...more }).map(([key, value]) => [
        key,
        JSON.stringify(value),
      ]),
    ),
  });
  const trace = {
    info: {
      trace_id: "tr-1",
      state: "OK",
      tags: { a: "b" },
      assessments: [
        { assessment_name: "correct", feedback: { value: true } },
        { assessment_name: "e", expectation: { value: "3" } },
      ],
    },
    data: {
      spans: [
        span("root", null, "AGENT", 0, { "mlflow.spanInputs": { q: 1 } }),
        span("m1", "root", "CHAT_MODEL", 1, {
          "mlflow.spanInputs": { model: "small", messages: [user] },
          "mlflow.spanOutputs": { choices: [{ message: calling, finish_reason: "tool_calls" }] },
          "mlflow.chat.tokenUsage": { input_tokens: 5, output_tokens: 2 },
        }),
        span("t1", "root", "TOOL", 12, { "mlflow.spanInputs": { of: "mugs" }, "mlflow.spanOutputs": "3" }),
        span("m2", "root", "CHAT_MODEL", 24, {
          "mlflow.spanInputs": { model: "small", messages: [user, calling, answer] },
          "mlflow.spanOutputs": { choices: [{ message: final, finish_reason: "stop" }] },
        }),
      ],
    },
  };

  it("reads Trace.to_json: spans of packed attributes, feedback as rewards", () => {
    expect(form([trace])).toBe("mlflow-trace");
    const { trajectories, problems } = readForm(mlflow, [[trace]]);
    expect(problems).toEqual([]);
    expect(trajectories).toMatchObject([
      { id: "tr-1", reward: 1, rewards: { correct: 1 }, model: "small", usage: { input: 5, output: 2 } },
    ]);
    const messages = trajectories[0]?.branches[0]?.messages ?? [];
    expect(messages.map((m) => m.role)).toEqual(roles);
    expect(messages[2]).toMatchObject({ callId: "c1", answersTo: { message: 1, call: 0 } });
  });
});

describe("Langfuse", () => {
  const at = (seconds: number) => `2026-01-05T10:00:0${seconds}.000Z`;
  const trace = {
    id: "lf-1",
    name: "chat",
    timestamp: at(0),
    sessionId: "s",
    scores: [
      { name: "quality", value: 0.75, dataType: "NUMERIC" },
      { name: "tone", value: null, stringValue: "kind", dataType: "CATEGORICAL" },
    ],
    observations: [
      {
        id: "o3",
        type: "GENERATION",
        name: "llm",
        startTime: at(4),
        endTime: at(5),
        model: "small",
        input: [user, calling, answer],
        output: final,
        usageDetails: { input: 9, output: 1 },
      },
      {
        id: "o1",
        type: "GENERATION",
        name: "llm",
        startTime: at(1),
        endTime: at(2),
        model: "small",
        input: { messages: [user] },
        output: calling,
        usage: { input: 4, output: 2 },
        calculatedTotalCost: 0.5,
      },
      {
        id: "o2",
        type: "TOOL",
        name: "count",
        startTime: at(2),
        endTime: at(3),
        input: { of: "mugs" },
        output: "3",
        metadata: { tool_call_id: "c1" },
        level: "ERROR",
        statusMessage: "slow",
      },
      {
        id: "o4",
        type: "EVENT",
        name: "human-feedback",
        startTime: at(6),
        endTime: null,
        input: "thumbs up",
      },
    ],
  };

  it("reads a list of traces: observations in order of time, numeric scores as rewards, what a person did", () => {
    expect(form([{ data: [trace], meta: {} }])).toBe("langfuse-trace");
    const { trajectories } = readForm(langfuse, [{ data: [trace] }]);
    expect(trajectories).toMatchObject([
      {
        id: "lf-1",
        rewards: { quality: 0.75, tone: null },
        reward: null,
        cost: 0.5,
        usage: { input: 13, output: 3 },
        columns: { sessionId: "s" },
      },
    ]);
    const messages = trajectories[0]?.branches[0]?.messages ?? [];
    expect(messages.map((m) => m.role)).toEqual([...roles, "event"]);
    expect(messages[2]).toMatchObject({ error: "slow", ms: 1000 });
    expect(messages[4]?.parts).toEqual([{ type: "text", text: "thumbs up" }]);
  });
});

describe("LangSmith", () => {
  const lc = (name: string, kwargs: unknown) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "messages", name],
    kwargs,
  });
  const human = lc("HumanMessage", { content: "How many?", type: "human" });
  const called = lc("AIMessage", {
    content: "",
    type: "ai",
    tool_calls: [{ name: "count", args: { of: "mugs" }, id: "c1", type: "tool_call" }],
  });
  const run = (id: string, type: string, second: number, more: Record<string, unknown>) => ({
    id,
    trace_id: "ls-1",
    parent_run_id: "root",
    run_type: type,
    name: type === "tool" ? "count" : id,
    start_time: `2026-01-05T10:00:0${second}`,
    end_time: `2026-01-05T10:00:0${second + 1}`,
    inputs: {},
    outputs: {},
    error: null,
    ...more,
  });
  const runs = [
    run("root", "chain", 0, {
      parent_run_id: null,
      reference_example_id: "ex",
      feedback_stats: { correct: { n: 1, avg: 1 } },
      end_time: "2026-01-05T10:00:09",
    }),
    run("l1", "llm", 1, {
      inputs: { messages: [[human]] },
      outputs: { generations: [[{ text: "", message: called }]] },
      prompt_tokens: 5,
      completion_tokens: 2,
    }),
    run("t1", "tool", 2, {
      inputs: { input: "{'of': 'mugs'}" },
      outputs: { output: lc("ToolMessage", { content: "3", type: "tool", tool_call_id: "c1" }) },
    }),
    run("l2", "llm", 3, {
      inputs: { messages: [[human, called, lc("ToolMessage", { content: "3", tool_call_id: "c1" })]] },
      outputs: {
        generations: [[{ text: "Three.", message: lc("AIMessage", { content: "Three.", type: "ai" }) }]],
      },
      extra: { metadata: { ls_model_name: "small" } },
    }),
  ];

  it("reads runs of a trace with LangChain's messages, feedback as rewards, the example as the group", () => {
    expect(form([runs])).toBe("langsmith-runs");
    const { trajectories, problems } = readForm(langsmith, runs);
    expect(problems).toEqual([]);
    expect(trajectories).toMatchObject([
      { id: "ls-1", group: "ex", reward: 1, usage: { input: 5, output: 2 }, ms: 9000 },
    ]);
    const messages = trajectories[0]?.branches[0]?.messages ?? [];
    expect(trajectories[0]?.branches).toHaveLength(1);
    expect(messages.map((m) => m.role)).toEqual(roles);
    expect(messages[1]?.calls).toMatchObject([{ name: "count", arguments: { of: "mugs" } }]);
    expect(messages[2]).toMatchObject({ ms: 1000, parts: [{ text: "3" }] });
  });

  it("keeps a failed trace's error", () => {
    const failed = [
      run("root", "chain", 0, { parent_run_id: null, error: "GraphRecursionError('limit of 25')" }),
    ];
    const { trajectories } = readForm(langsmith, failed);
    expect(trajectories).toMatchObject([
      {
        outcome: { kind: "turns" },
        errors: [{ message: "GraphRecursionError('limit of 25')" }],
        reward: null,
      },
    ]);
  });
});
