import { describe, expect, it, vi } from "vitest";
import { fromTagged, type TaggedNumber } from "../../../src/schema/number";
import { tryCompletion } from "../../../src/services/lab/attempt";
import { lab, never, type LabBench } from "./bench";

const REWARD = [
  "def length_reward(completions, **kwargs):",
  "    return [float(len(text)) for text in completions]",
  "def right_reward(completions, answer, **kwargs):",
  "    return [None if text == '' else float(gold in text) for text, gold in zip(completions, answer)]",
  "",
].join("\n");
const ROWS = [
  { prompt: "p", completion: "it is 4", answer: "4" },
  { prompt: "p", completion: "five", answer: "4" },
  { prompt: "q", completion: "no", answer: "7" },
  { prompt: "q", completion: "yes", answer: "7" },
];

const ask = (row: number, completion: unknown, weights: Record<string, number> | null = null) => ({
  row,
  completion,
  weights,
});
const number = (value: TaggedNumber | null): number => (value === null ? Number.NaN : fromTagged(value));

/** What the session's own report says once the completion is the sample's. */
async function inTheFile(completion: string, row: number): Promise<{ total: number; advantage: number }> {
  const rows = ROWS.map((sample, at) => (at === row ? { ...sample, completion } : sample));
  const bench = await lab(REWARD, rows, { live: false });
  await bench.session.score();
  const report = bench.session.report("0");
  const group = report?.groups.find(({ rows: members }) => members.includes(row));
  return {
    total: number(report?.totals[row] ?? null),
    advantage: number(group?.advantages[group.rows.indexOf(row)] ?? null),
  };
}

describe("another completion in a sample's place", () => {
  it("has the scores, total and advantage that it would have in the file", async () => {
    const { session } = await lab(REWARD, ROWS);
    await session.score();
    const tried = await tryCompletion(session, ask(1, "4 is it, I think"), never());
    const expected = await inTheFile("4 is it, I think", 1);
    expect(tried.error).toBeNull();
    expect(tried.functions.map(({ name, value }) => [name, value])).toEqual([
      ["length_reward", 16],
      ["right_reward", 1],
    ]);
    expect(number(tried.total)).toBe(expected.total);
    expect(number(tried.advantage)).toBeCloseTo(expected.advantage, 6);
    expect(number(tried.advantage)).toBeGreaterThan(0);
    // The session's own scores stay what they were.
    expect(session.rows("length_reward", 0, 4, null).rows.map(({ value }) => value)).toEqual([7, 4, 2, 3]);
  });

  it("weights are the view's, and no score is no 0", async () => {
    const { session } = await lab(REWARD, ROWS);
    await session.score();
    const tried = await tryCompletion(session, ask(0, "4444", { length_reward: 0.5 }), never());
    expect(tried.total).toBe(3);
    expect(tried.functions.map(({ weight }) => weight)).toEqual([0.5, 1]);
    const empty = await tryCompletion(session, ask(0, ""), never());
    expect(empty.functions[1]).toMatchObject({ state: "not-applicable", value: null });
  });

  it("without scores of the present text there is no advantage to speak of", async () => {
    const { session, type } = await lab(REWARD, ROWS);
    expect((await tryCompletion(session, ask(0, "4"), never())).advantage).toBeNull();
    await session.score();
    expect((await tryCompletion(session, ask(0, "4"), never())).advantage).not.toBeNull();
    type(REWARD.replace("float(len(text))", "0.0"));
    const tried = await tryCompletion(session, ask(0, "4"), never());
    expect(tried).toMatchObject({ advantage: null, total: 1 });
  });

  it("a text typed for a conversation is its last assistant message", async () => {
    const chat = [
      { role: "assistant", content: "first" },
      { role: "tool", content: "5" },
      { role: "assistant", content: "last" },
    ];
    const { session } = await lab(
      "def chat_reward(completions, **kwargs):\n" +
        "    return [float(messages[-1]['content'] == 'new' and messages[0]['content'] == 'first') for messages in completions]\n",
      [{ prompt: [{ role: "user", content: "hi" }], completion: chat }],
    );
    expect((await tryCompletion(session, ask(0, "new"), never())).total).toBe(1);
    expect(
      (await tryCompletion(session, ask(0, [{ role: "assistant", content: "new" }]), never())).total,
    ).toBe(0);
  });

  it("a side effect is held, and a text that doesn't load says where", async () => {
    const { session, type } = await lab(
      "def writing_reward(completions, **kwargs):\n    open('x.txt', 'w')\n    return [1.0]\n",
      ROWS,
    );
    expect((await tryCompletion(session, ask(0, "a"), never())).functions[0]?.state).toBe("held");
    type("def writing_reward(completions, **kwargs:\n    return [1.0]\n");
    const tried = await tryCompletion(session, ask(0, "a"), never());
    expect(tried).toMatchObject({ functions: [], total: null, error: { code: "SyntaxError", line: 1 } });
  });

  it("while typing only the last try is answered, soon, and no set of samples is left behind", async () => {
    const { session, graph }: LabBench = await lab(REWARD, ROWS);
    await session.score();
    const load = vi.spyOn(graph.ports.worker, "load");
    const drop = vi.spyOn(graph.ports.worker, "drop");
    const text = "it is 4, surely";
    const tries = Array.from(text, (_, end) =>
      tryCompletion(session, ask(0, text.slice(0, end + 1)), never()),
    );
    const ends = await Promise.allSettled(tries);
    expect(ends.slice(0, -1).every(({ status }) => status === "rejected")).toBe(true);
    expect(ends.at(-1)).toMatchObject({ value: { total: text.length + 1 } });
    const kept = new Set(load.mock.calls.map(([set]) => set));
    for (const [set] of drop.mock.calls) kept.delete(set);
    expect([...kept]).toEqual([session.table.info.set]);
  });
});
