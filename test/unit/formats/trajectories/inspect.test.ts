import { describe, expect, it } from "vitest";
import { inspectEval } from "../../../../src/formats/trajectories/forms/inspect";
import { readAll } from "../../../support/readAll";

const FILE = "test/fixtures/trajectories/inspect/2026-01-05T10-00-00-00-00_sums_kK1.json";

describe("Inspect logs", () => {
  it("makes numbers of letters, dicts and words, and keeps the letters", async () => {
    const { form, trajectories, problems } = await readAll(FILE);
    expect(form).toBe("inspect-json");
    expect(problems).toEqual([]);
    expect(trajectories.map((t) => [t.group, t.id, t.reward])).toEqual([
      ["1", "u1", 0.5],
      ["1", "u2", 0],
      ["b", "u3", null],
      ["c", "u4", null],
      ["d", "u5", null],
      ["e", "u6", 1],
    ]);
    expect(trajectories[0]?.rewards).toEqual({
      match: 0.5,
      "style/brevity": 0.25,
      "style/polite": 1,
      later: { nonFinite: "nan" },
    });
    expect(trajectories[1]?.rewards).toEqual({ match: 0, style: null });
    expect(trajectories[0]?.columns).toMatchObject({
      level: 3,
      epoch: 1,
      scores: { match: { value: "P", explanation: "half" } },
    });
  });

  it("tells how samples ended", async () => {
    const { trajectories } = await readAll(FILE);
    expect(trajectories.map((t) => t.outcome.kind)).toEqual([
      "finished",
      "length",
      "turns",
      "infrastructure",
      "cancelled",
      "environment",
    ]);
    expect(trajectories[3]?.errors).toEqual([
      {
        kind: "ModelGenerateError",
        message: "ModelGenerateError('Error code: 500')",
        traceback: "Traceback …",
      },
    ]);
    expect(trajectories[2]?.reference).toEqual(["6", "six"]);
  });

  it("reads reasoning, tool errors, attachments, times of events and what people decided", async () => {
    const { trajectories } = await readAll(FILE);
    const messages = trajectories[0]?.branches[0]?.messages ?? [];
    expect(messages.map((m) => m.role)).toEqual(["user", "assistant", "tool", "event", "tool", "assistant"]);
    expect(messages[1]).toMatchObject({
      reasoning: "add them",
      ms: 500,
      finish: "tool_calls",
      sampled: true,
    });
    expect(messages[1]?.calls.map((c) => [c.name, c.problem, c.answers])).toEqual([
      ["python", null, [2]],
      ["python", "not-json", [4]],
    ]);
    expect(messages[1]?.calls[1]?.raw).toBe('{"code": ');
    expect(messages[2]).toMatchObject({ ms: 250, error: null, at: Date.UTC(2026, 0, 5, 10, 0, 4) });
    expect(messages[3]?.parts).toEqual([{ type: "text", text: "human: reject: not this one" }]);
    expect(messages[4]?.error).toBe("parsing: Error parsing");
    expect(messages[5]?.parts).toEqual([{ type: "text", text: "It is 4." }]);
    expect(trajectories[1]?.branches[0]?.messages[0]?.parts[1]).toEqual({
      type: "image",
      mime: "image/png",
      data: "AAAA",
      address: null,
    });
    expect(trajectories[0]).toMatchObject({
      usage: { input: 27, output: 6 },
      ms: 1500,
      model: "openai/small",
      tools: [{ name: "python", description: "Run code." }],
    });
  });

  it("shows a sub-agent's conversation as a branch, a grader's not", async () => {
    const { trajectories } = await readAll(FILE);
    const branches = trajectories[0]?.branches ?? [];
    expect(branches.map((b) => [b.name, b.messages.length])).toEqual([
      [null, 6],
      ["helper", 2],
    ]);
    expect(branches[1]?.messages[0]?.parts).toEqual([{ type: "text", text: "help me" }]);
  });

  it("takes the samples of a .eval by epoch and number, and the header where there is one", () => {
    const names = [
      "_journal/start.json",
      "samples/10_epoch_1.json",
      "samples/9_epoch_2.json",
      "samples/9_epoch_1.json",
      "samples/big_epoch_1/sample.json",
      "samples/big_epoch_1/messages/0.json",
      "_journal/summaries/1.json",
      "reductions.json",
    ];
    const head = { container: "zip" as const, name: "x.eval", folders: [], records: [], names, metadata: {} };
    expect(inspectEval.recognise(head)).toBe(true);
    expect(inspectEval.entries?.(names)).toEqual({
      shared: ["_journal/start.json"],
      records: [
        "samples/9_epoch_1.json",
        "samples/10_epoch_1.json",
        "samples/big_epoch_1/sample.json",
        "samples/9_epoch_2.json",
      ],
    });
  });
});
