import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { exportTrajectories, type ExportAsk } from "../../../../src/services/trajectories/export";
import { reportTrajectories } from "../../../../src/services/trajectories/reports";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";
import type { TrajectorySource, TrajectoryStore } from "../../../../src/services/trajectories/source";

const folder = mkdtempSync(join(tmpdir(), "rewardsmith-export-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let store: TrajectoryStore | null = null;
afterEach(() => {
  store?.dispose();
  store = null;
});

let files = 0;
/** A source of the real store over lines that are written for it. */
async function source(lines: readonly object[]): Promise<TrajectorySource> {
  const path = join(folder, `${++files}.jsonl`);
  // Python writes what JSON hasn't.
  const text = lines.map((line) => `${JSON.stringify(line).replaceAll('"NaN!"', "NaN")}\n`).join("");
  writeFileSync(path, text);
  store ??= createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
  const opened = await store.open(path);
  await opened.whenComplete();
  return opened;
}

const verl = (input: string, output: string, score: number | string | null, more: object = {}) => ({
  input,
  output,
  score,
  step: 1,
  ...more,
});
interface Turn {
  readonly role: string;
  readonly content: string;
}
const user = (content: string): Turn => ({ role: "user", content });
const assistant = (content: string): Turn => ({ role: "assistant", content });
/** One group of ART: its trajectories with reward and messages; `finish` of the last message. */
const art = (...members: { reward: number; messages: Turn[]; finish?: string }[]) => ({
  trajectories: members.map(({ reward, messages, finish = "stop" }) => ({
    reward,
    metrics: {},
    metadata: {},
    messages_and_choices: messages.map((turn, at) =>
      turn.role === "assistant" && at === messages.length - 1
        ? { finish_reason: finish, index: 0, message: turn }
        : turn,
    ),
  })),
  exceptions: [],
});

const Row = z.record(z.string(), z.unknown());
async function written(from: TrajectorySource, kind: ExportAsk["kind"], indexes: number[] | null = null) {
  const { texts, written: n, leftOut } = await exportTrajectories(from, { kind, indexes, filter: "" });
  const parts = new Map(
    [...texts].map(([part, text]) => [
      part,
      text
        .split("\n")
        .filter(Boolean)
        .map((line) => Row.parse(JSON.parse(line))),
    ]),
  );
  return {
    parts,
    n,
    rows: [...parts.values()].flat(),
    left: Object.fromEntries(leftOut.map(({ why, n: count }) => [why, count])),
  };
}

describe("samples and regression set", () => {
  it("are rows a reward can be scored on, once each", async () => {
    const from = await source([
      verl("1+1?", "2", 1, { gts: "2", big: 1 }),
      verl("1+1?", "2", 1, { gts: "2" }),
      verl("1+1?", "3", null),
    ]);
    const { rows, left, n } = await written(from, "samples");
    expect(n).toBe(2);
    expect(rows[0]).toMatchObject({ prompt: "1+1?", completion: "2", reward_in_file: 1 });
    expect(rows[1]).toMatchObject({ completion: "3", reward_in_file: null });
    expect(left).toEqual({ duplicate: 1 });
  });

  it("has the verdict in the regression set only", async () => {
    const from = await source([verl("q", "a", 1), verl("q", "b", 0)]);
    const [first] = await from.rows([0]);
    from.setLabels(new Map([[first?.id ?? "", "bad"]]));
    expect((await written(from, "regression")).rows.map((row) => row["label"])).toEqual(["bad", undefined]);
    expect((await written(from, "samples")).rows.map((row) => row["label"])).toEqual([undefined, undefined]);
  });

  it("leaves out what has no messages or no answer", async () => {
    const from = await source([
      art(
        { reward: 1, messages: [] },
        { reward: 1, messages: [user("q")] },
        { reward: 0, messages: [user("q"), assistant("a")] },
      ),
    ]);
    const { n, left } = await written(from, "samples");
    expect([n, left]).toEqual([1, { "no-messages": 1, "no-answer": 1 }]);
  });
});

describe("demonstrations", () => {
  it("are finished and the best of their group above 0, unless they were chosen", async () => {
    const from = await source([
      art(
        { reward: 1, messages: [user("q"), assistant("best")] },
        { reward: 0.5, messages: [user("q"), assistant("second")] },
        { reward: 1, messages: [user("q"), assistant("cut")], finish: "length" },
      ),
      art({ reward: 0, messages: [user("r"), assistant("zero")] }),
      art({ reward: -1, messages: [user("s"), assistant("minus")] }),
    ]);
    const { rows, left } = await written(from, "sft");
    expect(rows.map((row) => row["messages"])).toEqual([[user("q"), assistant("best")]]);
    expect(left).toEqual({ "not-best": 3, truncated: 1 });
    expect((await written(from, "sft", [1])).rows.map((row) => row["messages"])).toEqual([
      [user("q"), assistant("second")],
    ]);
  });

  it("never takes a missing or non-finite reward for the best", async () => {
    const from = await source([verl("q", "a", "NaN!"), verl("q", "b", null), verl("q", "c", 0.5)]);
    const { rows, left } = await written(from, "sft");
    expect(rows.map((row) => row["messages"])).toEqual([[user("q"), assistant("c")]]);
    expect(left).toEqual({ "no-reward": 2 });
  });
});

describe("preference pairs", () => {
  it("have what best and worst share as the prompt", async () => {
    const first = [user("q"), assistant("look"), user("more?")];
    const from = await source([
      art(
        { reward: 0.5, messages: [...first, assistant("middle")] },
        { reward: 1, messages: [...first, assistant("best")] },
        { reward: 0, messages: [...first, assistant("worst"), user("sure?"), assistant("yes")] },
      ),
    ]);
    const { rows, left } = await written(from, "dpo");
    expect(rows).toEqual([
      {
        prompt: first,
        chosen: [assistant("best")],
        rejected: [assistant("worst"), user("sure?"), assistant("yes")],
        score_chosen: 1,
        score_rejected: 0,
      },
    ]);
    expect(left).toEqual({});
  });

  it("aren't made where there is no difference, no reward or no answer", async () => {
    const from = await source([
      verl("tied", "a", 1),
      verl("tied", "b", 1),
      verl("half", "a", 1),
      verl("half", "b", null),
      verl("none", "a", null),
    ]);
    expect((await written(from, "dpo")).left).toEqual({ tied: 3, "no-reward": 2 });
    const prefix = await source([
      art({ reward: 1, messages: [user("q")] }, { reward: 0, messages: [user("q"), assistant("a")] }),
    ]);
    expect((await written(prefix, "dpo")).left).toEqual({ "no-answer": 2 });
  });
});

describe("tasks and filtered prompts", () => {
  it("are a prompt each, without what a policy made of it", async () => {
    const from = await source([
      verl("q", "a", 1, { gts: "4" }),
      verl("q", "b", 0, { gts: "4" }),
      verl("r", "c", 0),
    ]);
    const { rows, left } = await written(from, "task");
    expect(rows.map((row) => row["prompt"])).toEqual(["q", "r"]);
    for (const row of rows)
      for (const name of ["completion", "reward_in_file", "outcome"]) expect(row).not.toHaveProperty(name);
    expect(left).toEqual({ duplicate: 1 });
  });

  it("are those whose group has a difference", async () => {
    const from = await source([
      verl("middle", "a", 1),
      verl("middle", "b", 0),
      verl("middle", "c", 0),
      verl("middle", "d", 0),
      verl("easy", "a", 1),
      verl("easy", "b", 1),
      verl("hard", "a", 0),
      verl("hard", "b", 0),
      verl("once", "a", 1),
    ]);
    const { rows, left } = await written(from, "filtered");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ prompt: "middle", mean_reward: 0.25, n: 4 });
    expect(left).toEqual({ "too-easy": 2, "too-hard": 2, "unknown-difficulty": 1 });
  });
});

const STORY =
  "a farmer sells seven apples in the morning and three times as many in the afternoon how many are that in all for the week";

describe("splits", () => {
  it("keep all trajectories of a prompt, and near duplicates of it, on one side", async () => {
    const prompts = Array.from({ length: 60 }, (_, n) => `${STORY.replaceAll("a", `a${n}`)} ${n}`);
    const from = await source(
      prompts.flatMap((prompt) => [
        verl(prompt, "one", 1),
        verl(prompt, "two", 0),
        verl(`${prompt.toUpperCase()}!`, "three", 0),
      ]),
    );
    const { parts, n } = await written(from, "splits");
    expect(n).toBe(180);
    expect([...parts.keys()].sort()).toEqual(["test", "train", "validation"]);
    const partOf = new Map<string, Set<string>>();
    for (const [part, rows] of parts)
      for (const row of rows) {
        const key = String(row["prompt"]).toLowerCase().replace("!", "");
        partOf.set(key, (partOf.get(key) ?? new Set()).add(part));
      }
    expect(partOf.size).toBe(60);
    for (const one of partOf.values()) expect(one.size).toBe(1);
    expect(parts.get("train")?.length ?? 0).toBeGreaterThan(90);
  });
});

describe("reports", () => {
  it("difficulty: pools counted by pass rate of a prompt, what has one try or no reward apart", async () => {
    const tries = (prompt: string, ...scores: (number | null)[]) =>
      scores.map((score, at) => verl(prompt, `${at}`, score));
    const from = await source([
      ...tries("never", 0, 0),
      ...tries("hard", 1, 0, 0, 0, 0),
      ...tries("middle", 1, 0),
      ...tries("easy", 1, 1, 1, 1, 0),
      ...tries("always", 1, 1),
      ...tries("once", 1),
      ...tries("unknown", null, null),
    ]);
    const text = await reportTrajectories(from, { kind: "difficulty", filter: "", against: null });
    const cells = (name: string) =>
      text
        .split("\n")
        .find((line) => line.includes(name))
        ?.split("|")
        .map((cell) => cell.trim())
        .filter(Boolean)
        .slice(-2);
    for (const name of ["never solved", "hard, below", "middle, 25", "easy, above", "always solved"])
      expect(cells(name)).toEqual(["1", "20 %"]);
    expect(text).toContain(
      "19 trajectories; 5 prompts with two or more rewards, 1 with one (left out), 2 trajectories",
    );
    expect(text).toContain("2 of 5 prompts have no difference");
  });

  it("leakage: references in the prompt as words of their own, and prompts that overlap with another set", async () => {
    const from = await source([
      verl("The answer is 12345. What is it?", "12345", 1, { gts: "12345" }),
      verl("Is 912345 prime?", "no", 1, { gts: "12345" }),
      verl(STORY, "28", 1, { gts: "28" }),
    ]);
    const other = await source([verl(`${STORY}?`, "x", 1), verl("something else altogether", "x", 0)]);
    const text = await reportTrajectories(from, { kind: "leakage", filter: "", against: other });
    expect(text).toContain("3 trajectories, 3 prompts, 2 with a reference");
    expect(text).toContain("Reference in the prompt: 1");
    expect(text).toMatch(/Prompts that overlap with \S+ \(2 prompts\): 1/);
    expect(text).toContain("Reference in a tool's result: 0");
  });
});

it("writes what the file has: NaN as Python does, integers with all digits", async () => {
  const path = join(folder, "long.jsonl");
  writeFileSync(
    path,
    '{"input":"a?","output":"a","score":NaN,"step":1,"noise":NaN,"number":12345678901234567890}\n',
  );
  store ??= createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
  const opened = await store.open(path);
  await opened.whenComplete();
  const { texts } = await exportTrajectories(opened, { kind: "samples", indexes: null, filter: "" });
  const text = [...texts.values()].join("");
  expect(text).toContain('"noise":NaN');
  expect(text).toContain('"number":12345678901234567890');
  expect(text).toContain('"reward_in_file":NaN');
});
