import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADVANTAGE_RULES } from "../../../src/core/advantages/registry";
import { EngineUnderTest, jsonl, workspace } from "../engine/engineProcess";
import { openViewer, type ViewerPage } from "./viewerPage";

/** Sixteen rollouts of 200 messages side by side, through the engine process, against what they were made of. */
const MEMBERS = 16;
const MESSAGES = 200;
/** All begin alike: system, question and so many turns. */
const SHARED = 42;
/** Wanted, and printed; asserted is far above it. */
const COMPARED_MS = 1000;
const SLACK = 6;

const { folder, path } = workspace({});
let engine: EngineUnderTest;
let view: ViewerPage;
beforeAll(async () => {
  engine = await EngineUnderTest.start({ folder });
});
afterAll(() => engine.stop());

interface Said {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

const PROSE =
  "The order was looked up, the stock was checked and the customer was told what was found. ".repeat(6);
const call = (at: number, query: string): Said => ({
  role: "assistant",
  content: `step ${at}: ${PROSE}`,
  tool_calls: [
    {
      id: `call_${at}`,
      type: "function",
      function: { name: "find_order", arguments: JSON.stringify({ query }) },
    },
  ],
});
const result = (at: number, text: string): Said => ({
  role: "tool",
  tool_call_id: `call_${at}`,
  content: JSON.stringify({ rows: [text, PROSE] }),
});

/** What a rollout says at a place of the common script: alike for all, but where `own` says something else. */
const script = (at: number, own: string | null): Said =>
  at === 0
    ? { role: "system", content: "You are the help desk of a shop." }
    : at === 1
      ? { role: "user", content: "Where is my order?" }
      : at % 2 === 0
        ? call(at, own ?? `order ${at}`)
        : result(at, own ?? `result ${at}`);

const rewardOf = (member: number): number => [0.25, 1, 0, 0.5][member % 4] ?? 0;
/** Highest reward first, equal ones in order of the file. */
const ORDER = Array.from({ length: MEMBERS }, (_, member) => member).sort(
  (a, b) => rewardOf(b) - rewardOf(a) || a - b,
);

async function comparison(name: string, messagesOf: (member: number) => readonly Said[]) {
  const file = path(name);
  writeFileSync(
    file,
    jsonl(
      Array.from({ length: MEMBERS }, (_, member) => {
        const messages = messagesOf(member);
        return {
          example_id: "one",
          prompt: messages.slice(0, 2),
          completion: messages.slice(2),
          answer: "1",
          reward: rewardOf(member),
          metrics: {},
        };
      }),
    ),
  );
  view = await openViewer(engine, file);
  await view.complete();
  const began = performance.now();
  const compared = await view.client.compare({ indexes: [], group: 3, rule: "trl" });
  const took = performance.now() - began;
  console.log(
    `${name}: ${MEMBERS} × ${MESSAGES} messages compared in ${took.toFixed(0)} ms (wanted: ${COMPARED_MS}), ${(JSON.stringify(compared).length / 1e6).toFixed(2)} MB`,
  );
  expect(took).toBeLessThan(COMPARED_MS * SLACK);
  await view.close();
  expect(compared.columns.map(({ row }) => row.index)).toEqual(ORDER);
  return compared;
}

describe("rollouts that part after the same beginning", () => {
  /** Each goes its own way at every tenth place; the odd ones alike among each other. */
  const own = (member: number, at: number): string | null =>
    at >= SHARED && at % 10 === SHARED % 10 ? (member % 2 === 1 ? "odd" : `of ${member}`) : null;

  it("what all share is folded, every line holds the messages of one place, and shows who says the same", async () => {
    const compared = await comparison("parting.jsonl", (member) =>
      Array.from({ length: MESSAGES }, (_, at) => script(at, own(member, at))),
    );
    expect(compared.shared).toBe(SHARED);
    expect(compared.parts).toBe(0);
    expect(compared.lines).toHaveLength(MESSAGES - SHARED);
    compared.lines.forEach((line, nth) => {
      const at = SHARED + nth;
      expect(line.map((cell) => cell?.position)).toEqual(ORDER.map(() => at));
      expect(line.map((cell) => cell?.role)).toEqual(ORDER.map(() => script(at, null).role));
      // Equal numbers exactly where the messages are equal.
      for (const [a, one] of ORDER.entries())
        for (const [b, other] of ORDER.entries())
          expect(line[a]?.alike === line[b]?.alike, `place ${at}, ${one} and ${other}`).toBe(
            own(one, at) === own(other, at),
          );
    });
    const rule = ADVANTAGE_RULES.find(({ id }) => id === compared.rule);
    expect(rule?.id).toMatch(/^trl/);
    const values = Float32Array.from({ length: MEMBERS }, (_, member) => rewardOf(member));
    const wanted = rule?.compute({ values, weights: [1], groups: [MEMBERS] }).advantages ?? [];
    expect(compared.columns.map(({ ruleAdvantage }) => ruleAdvantage)).toEqual(
      ORDER.map((member) => wanted[member]),
    );
    expect(compared.columns.map(({ mark }) => mark)).toEqual(
      ORDER.map((member) => (rewardOf(member) === 1 ? "best" : rewardOf(member) === 0 ? "worst" : null)),
    );
  });
});

describe("rollouts of which some take further turns", () => {
  /** Every third member asks twice more at one place; what follows is the same as with the others. */
  const EXTRA_AT = 100;
  const takes = (member: number): boolean => member % 3 === 0;
  const EXTRA: readonly Said[] = [
    call(1000, "once more"),
    result(1000, "the same again"),
    call(1001, "and once more"),
    result(1001, "still the same"),
  ];

  it("the further turns stand on lines of their own, and behind them all stand side by side again", async () => {
    const compared = await comparison("further.jsonl", (member) => {
      const plain = Array.from({ length: MESSAGES }, (_, at) =>
        script(at, at === SHARED ? `of ${member}` : null),
      );
      return takes(member)
        ? [...plain.slice(0, EXTRA_AT), ...EXTRA, ...plain.slice(EXTRA_AT, MESSAGES - EXTRA.length)]
        : plain;
    });
    expect(compared.shared).toBe(SHARED);
    expect(compared.lines).toHaveLength(MESSAGES + EXTRA.length - SHARED);
    // Each message stands once, in the order of its rollout.
    for (const column of ORDER.keys())
      expect(compared.lines.flatMap((line) => line[column]?.position ?? [])).toEqual(
        Array.from({ length: MESSAGES - SHARED }, (_, nth) => SHARED + nth),
      );
    compared.lines.forEach((line, nth) => {
      const at = SHARED + nth;
      const extra = at >= EXTRA_AT && at < EXTRA_AT + EXTRA.length;
      const shift = at >= EXTRA_AT + EXTRA.length ? EXTRA.length : 0;
      expect(
        line.map((cell) => cell?.position ?? null),
        `line ${nth}`,
      ).toEqual(
        ORDER.map((member) => {
          if (takes(member)) return at < MESSAGES ? at : null;
          return extra ? null : at - shift;
        }),
      );
      const alike = new Set(line.flatMap((cell) => cell?.alike ?? []));
      expect(alike.size, `line ${nth}`).toBe(at === SHARED ? MEMBERS : 1);
    });
  });
});

it("equal rollouts part nowhere", async () => {
  const compared = await comparison("equal.jsonl", () =>
    Array.from({ length: MESSAGES }, (_, at) => script(at, null)),
  );
  expect(compared).toMatchObject({ shared: MESSAGES, lines: [], parts: null });
});

it("very many long messages are cut, so that the answer stays small enough to be shown", async () => {
  const long = PROSE.repeat(5);
  const turns = 1000;
  const file = path("long.jsonl");
  writeFileSync(
    file,
    jsonl(
      Array.from({ length: MEMBERS }, (_, member) => ({
        example_id: "one",
        prompt: [script(1, null)],
        completion: Array.from({ length: turns }, (_unused, at) => ({
          role: at % 2 === 0 ? "assistant" : "user",
          content: `${member} ${at} ${long}`,
        })),
        answer: "1",
        reward: rewardOf(member),
        metrics: {},
      })),
    ),
  );
  view = await openViewer(engine, file);
  await view.complete();
  const compared = await view.client.compare({ indexes: [], group: 3, rule: null });
  await view.close();
  expect(compared.lines).toHaveLength(turns);
  const cells = compared.lines.flat();
  expect(cells.every((cell) => cell !== null && cell.characters > cell.text.length)).toBe(true);
  expect(cells.every((cell) => cell !== null && cell.text.length >= 300)).toBe(true);
  expect(JSON.stringify(compared).length).toBeLessThan(9e6);
});
