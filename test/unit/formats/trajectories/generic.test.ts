import { describe, expect, it } from "vitest";
import { generic, genericForm } from "../../../../src/formats/trajectories/forms/generic";
import { guessMapping } from "../../../../src/formats/trajectories/mapping";
import { recogniseForm } from "../../../../src/formats/trajectories/registry";
import { readForm } from "../../../support/readForm";

function form(records: readonly unknown[], container: "lines" | "document" = "lines"): string | null {
  const head = { container, name: "x.jsonl", folders: [], records, names: [], metadata: {} };
  return recogniseForm(head)?.id ?? null;
}

const chat = [
  { role: "user", content: "2+2?" },
  { role: "assistant", content: "4" },
];

describe("unknown rows", () => {
  it("reads a conversation with group, reward, components and what is left as columns", () => {
    const row = {
      messages: chat,
      task_id: 7,
      reward: "1.5",
      rewards: { a: 1, b: null },
      answer: "4",
      level: "easy",
    };
    const { trajectories } = readForm(generic, [row]);
    expect(form([row])).toBe("generic");
    expect(trajectories).toMatchObject([
      { group: "7", reward: 1.5, rewards: { a: 1, b: null }, reference: "4", columns: { level: "easy" } },
    ]);
    expect(trajectories[0]?.branches[0]?.messages.map((m) => m.role)).toEqual(["user", "assistant"]);
  });

  it("reads prompt and completion, as texts or messages, in a list of a document", () => {
    const rows = [{ Prompt: "2+2?", Response: "4", score: 1 }];
    expect(form([rows], "document")).toBe("generic");
    expect(form([{ data: rows }], "document")).toBe("generic");
    const { trajectories } = readForm(generic, [{ data: rows }]);
    expect(trajectories[0]?.branches[0]?.messages).toMatchObject([
      { role: "user", parts: [{ text: "2+2?" }] },
      { role: "assistant", parts: [{ text: "4" }], sampled: true },
    ]);
    const chats = readForm(generic, [{ prompt: [chat[0]], completion: [chat[1]] }]).trajectories;
    expect(chats[0]?.branches[0]?.messages).toHaveLength(2);
  });

  it("reads ShareGPT's words", () => {
    const { trajectories } = readForm(generic, [
      {
        conversations: [
          { from: "human", value: "hi" },
          { from: "gpt", value: "hello" },
        ],
      },
    ]);
    expect(trajectories[0]?.branches[0]?.messages.map((m) => m.role)).toEqual(["user", "assistant"]);
  });

  it("takes no datasets, metrics or configs", () => {
    expect(form([{ prompt: "2+2?", answer: "4" }])).toBeNull();
    expect(form([{ messages: [chat[0]], ground_truth: "4" }])).toBeNull();
    expect(form([{ prompt: [chat[0]], reward_model: { style: "rule" }, data_source: "x" }])).toBeNull();
    expect(form([{ step: 1, loss: 0.5 }])).toBeNull();
    expect(form([{ model: "m", output: "logs/" }], "document")).toBeNull();
    expect(form([{ results: [1, 2], data: { a: 1 } }], "document")).toBeNull();
  });

  it("can be told another mapping", () => {
    const rows = [{ said: "5", asked: "2+3?", good: true }];
    const guess = guessMapping([{ prompt: "a", completion: "b" }]);
    expect(guess).not.toBeNull();
    if (!guess) return;
    const told = genericForm({ ...guess, prompt: "asked", completion: "said", reward: "good" });
    const { trajectories } = readForm(told, rows);
    expect(trajectories).toMatchObject([{ reward: 1, columns: {} }]);
    expect(trajectories[0]?.branches[0]?.messages).toMatchObject([
      { role: "user", parts: [{ text: "2+3?" }] },
      { role: "assistant", parts: [{ text: "5" }] },
    ]);
  });

  it("says which row has nothing to read, and goes on", () => {
    const { trajectories, problems } = readForm(generic, [
      { messages: chat },
      { messages: [] },
      { messages: chat },
    ]);
    expect(trajectories).toHaveLength(2);
    expect(problems).toHaveLength(1);
  });
});
