import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourceNode } from "../../../src/host/model/trajectoryNodes";
import { MOST_CHILDREN, type Node } from "../../../src/host/model/tree";
import { inProcessPorts } from "../../../src/runtime/trajectories/ports";
import { createTrajectoryStore } from "../../../src/services/trajectories/store";
import { english } from "../../unit/host/snapshots";
import { EngineUnderTest, workspace } from "../engine/engineProcess";
import { openViewer } from "./viewerPage";

/** Folders of very many trajectories: 100,000 where REWARDSMITH_LONG is 1, else a fifth of them. */
const LONG = process.env["REWARDSMITH_LONG"] === "1";
const SHAPES = LONG
  ? { many: { files: 2000, each: 50 }, large: { files: 10, each: 10_000 } }
  : { many: { files: 1000, each: 20 }, large: { files: 10, each: 2000 } };
/** Printed; what is asserted is far above it, so that only a fault of another kind is caught on a busy machine. */
const FIRST_ROWS_MS = 500;
const SLACK = 6;

const { folder, path } = workspace({});
let engine: EngineUnderTest;
beforeAll(async () => {
  engine = await EngineUnderTest.start({ folder });
});
afterAll(() => engine.stop());

const WORDS = "Look the order up before you promise anything, then say what was found and what is left. ";
const rewardOf = (row: number): number => ((row * 7919) % 4096) / 64;

/** Steps of a trainer, a file each. */
function writeSteps(at: string, { files, each }: { files: number; each: number }): void {
  mkdirSync(at);
  for (let step = 0, row = 0; step < files; step++) {
    let text = "";
    for (let nth = 0; nth < each; nth++, row++)
      text += `${JSON.stringify({ input: `question ${nth >> 3}: ${WORDS}`, output: `answer ${row}`, score: rewardOf(row), step })}\n`;
    writeFileSync(join(at, `${step}.jsonl`), text);
  }
}

/** Names of groups that are no plain words, and one that is itself a word of the filter. */
const ODD_NAMES = ["a,b", 'say "no"', "back\\slash", "none", "two words", "1..3", "ünï 🙂", "x".repeat(3000)];

/** Parts of one evaluation; its first task was tried a thousand times, most others eight times. */
function groupNameOf(row: number): string {
  if (row < 1000) return "often";
  const nth = (row - 1000) >> 3;
  return ODD_NAMES[nth] ?? `task-${nth}`;
}

function writeParts(at: string, { files, each }: { files: number; each: number }): void {
  mkdirSync(at);
  for (let file = 0, row = 0; file < files; file++) {
    let text = "";
    for (let nth = 0; nth < each; nth++, row++)
      text += `${JSON.stringify({
        example_id: groupNameOf(row),
        prompt: [{ role: "user", content: `Case ${groupNameOf(row).slice(0, 50)}: ${WORDS}` }],
        completion: [{ role: "assistant", content: `answer ${row}` }],
        answer: "1",
        reward: rewardOf(row),
        metrics: { correct: row % 2 },
      })}\n`;
    writeFileSync(join(at, `part-${file}.jsonl`), text);
  }
}

const rootOf = (source: string): Node =>
  sourceNode(
    { path: source, label: "source", title: "", size: "" },
    { read: (ask) => engine.client.trajectoryNodes(ask) },
    english,
  );

interface Walked {
  nodes: number;
  leaves: number;
  slowest: number;
  readonly ids: Set<string>;
}

/** Opens nodes: of each level those that `wanted` chooses. */
async function walk(
  node: Node,
  wanted: (children: readonly Node[]) => readonly Node[],
  seen: Walked = { nodes: 0, leaves: 0, slowest: 0, ids: new Set() },
): Promise<Walked> {
  const began = performance.now();
  const children = (await node.children?.()) ?? [];
  seen.slowest = Math.max(seen.slowest, performance.now() - began);
  expect(children.length, `children of ${node.id}`).toBeGreaterThan(0);
  expect(children.length, `children of ${node.id}`).toBeLessThanOrEqual(MOST_CHILDREN);
  for (const child of children) {
    expect(seen.ids.has(child.id), `${child.id.slice(0, 200)} twice`).toBe(false);
    seen.ids.add(child.id);
    seen.nodes++;
    if (!child.children) seen.leaves++;
  }
  for (const child of wanted(children.filter((one) => one.children))) await walk(child, wanted, seen);
  return seen;
}

const groupsOf = (rows: number): number => 1 + (rows - 1000) / 8;
const rangeName = (at: number, of: number): string => {
  const count = (n: number): string => n.toLocaleString("en");
  return `${count(at * 200 + 1)} to ${count(Math.min(of, at * 200 + 200))}`;
};
const someOf = (children: readonly Node[]): Node[] =>
  [...new Set([0, 1, Math.floor(children.length / 2), children.length - 1])].flatMap(
    (at) => children[at] ?? [],
  );

async function firstRows(source: string, what: string) {
  const began = performance.now();
  const viewer = await openViewer(engine, source);
  let page = await viewer.page(0, 60);
  while (page.rows.length === 0) {
    expect(performance.now() - began).toBeLessThan(FIRST_ROWS_MS * SLACK);
    await new Promise((done) => setTimeout(done, 10));
    page = await viewer.page(0, 60);
  }
  const first = performance.now() - began;
  const progress = await viewer.complete(120_000);
  console.log(
    `${what}: first rows after ${first.toFixed(0)} ms (wanted: ${FIRST_ROWS_MS}), all ${progress.known} after ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  expect(first).toBeLessThan(FIRST_ROWS_MS * SLACK);
  return { viewer, progress };
}

describe.each([
  ["many small files, a step each", "many"],
  ["few large files with given groups", "large"],
] as const)("%s", (what, shape) => {
  const size = SHAPES[shape];
  const source = path(shape);
  const total = size.files * size.each;
  const rewards = Array.from({ length: total }, (_, row) => rewardOf(row));
  beforeAll(() => {
    if (shape === "many") writeSteps(source, size);
    else writeParts(source, size);
  });

  it("the viewer lists all, filters and sorts", async () => {
    const { viewer, progress } = await firstRows(source, what);
    expect(progress).toMatchObject({ known: total, files: size.files, filesDone: size.files, problems: 0 });
    for (const from of [0, Math.floor(total / 2), total - 500]) {
      const { rows } = await viewer.page(from, 500);
      expect(rows.map(({ index, reward }) => [index, reward])).toEqual(
        rewards.slice(from, from + 500).map((reward, at) => [from + at, reward]),
      );
      expect(rows.map(({ file, line }) => file * size.each + line - 1)).toEqual(
        rows.map(({ index }) => index),
      );
    }
    const asked = performance.now();
    const high = await viewer.page(0, 500, { filter: "reward>=60", sort: "reward", descending: true });
    const wanted = rewards
      .map((reward, row) => ({ reward, row }))
      .filter(({ reward }) => reward >= 60)
      .sort((a, b) => b.reward - a.reward || a.row - b.row);
    expect(high.total).toBe(wanted.length);
    expect(high.rows.map(({ index }) => index)).toEqual(wanted.slice(0, 500).map(({ row }) => row));
    const texts = await viewer.page(0, 60, {
      filter: `title:"${shape === "many" ? "question 1:" : "Case task-9:"}"`,
    });
    expect(texts.total).toBe(shape === "many" ? size.files * 8 : 8);
    console.log(
      `${what}: two filters and a sort of ${total} in ${(performance.now() - asked).toFixed(0)} ms`,
    );
    const groups = await viewer.groups();
    expect(groups.reduce((sum, { n }) => sum + n, 0)).toBe(total);
    expect(new Set(groups.map(({ id }) => id)).size).toBe(groups.length);
    await viewer.close();
  }, 180_000);

  it("a level that is still being read says so, so that it is asked for again", async () => {
    // The viewer has let the source go: it is read anew.
    const root = rootOf(source);
    let children = (await root.children?.()) ?? [];
    const end = Date.now() + 120_000;
    let asked = 1;
    for (; children.some(({ unfinished }) => unfinished === true); asked++) {
      expect(children.length).toBeLessThanOrEqual(MOST_CHILDREN);
      expect(Date.now()).toBeLessThan(end);
      await new Promise((done) => setTimeout(done, 100));
      children = (await root.children?.()) ?? [];
    }
    expect(asked).toBeGreaterThan(1);
    expect(children.map(({ label }) => label)).toEqual(
      shape === "many"
        ? Array.from({ length: size.files / 200 }, (_, at) => rangeName(at, size.files))
        : Array.from({ length: Math.ceil(groupsOf(total) / 200) }, (_, at) => rangeName(at, groupsOf(total))),
    );
  }, 180_000);

  it("no node of the side panel has more than 200 children at any depth, and ids are the same each time", async () => {
    const walked = await walk(rootOf(source), someOf);
    console.log(`${what}: ${walked.nodes} nodes looked at, slowest level ${walked.slowest.toFixed(0)} ms`);
    expect(walked.slowest).toBeLessThan(FIRST_ROWS_MS * SLACK);
    const again = await walk(rootOf(source), someOf);
    expect([...again.ids]).toEqual([...walked.ids]);
  }, 180_000);
});

/** Leaves below a node, by what they open. */
async function leavesBelow(node: Node): Promise<number[]> {
  const found: number[] = [];
  for (const child of (await node.children?.()) ?? []) {
    if (child.children) found.push(...(await leavesBelow(child)));
    else found.push(Number((child.command?.argument as { index?: number } | undefined)?.index));
  }
  return found;
}

it("each group's node has its trajectories and no others, whatever the group is called", async () => {
  const ranges = (await rootOf(path("large")).children?.()) ?? [];
  const [firstRange] = ranges;
  const groups = (await firstRange?.children?.()) ?? [];
  expect(ranges.length).toBeGreaterThan(1);
  expect(groups).toHaveLength(MOST_CHILDREN);
  const [often, ...others] = groups;
  if (!often) throw new Error("no groups");
  // A thousand tries: ranges again.
  expect((await often.children?.())?.map(({ label }) => label)).toEqual([
    "1 to 200",
    "201 to 400",
    "401 to 600",
    "601 to 800",
    "801 to 1,000",
  ]);
  expect(await leavesBelow(often)).toEqual(Array.from({ length: 1000 }, (_, row) => row));
  for (const [nth, group] of others.slice(0, ODD_NAMES.length + 2).entries())
    expect(await leavesBelow(group), group.label).toEqual(
      Array.from({ length: 8 }, (_, at) => 1000 + nth * 8 + at),
    );
});

it("ids stay while a file grows, also of the last range", async () => {
  const file = path("grows.jsonl");
  const line = (row: number): string =>
    `${JSON.stringify({ input: `question ${row}`, output: "x", score: 1, step: 1 })}\n`;
  writeFileSync(file, Array.from({ length: 450 }, (_, row) => line(row)).join(""));
  const viewer = await openViewer(engine, file);
  await viewer.complete();
  await viewer.client.follow({ on: true });
  const everything = (children: readonly Node[]) => children;
  const before = await walk(rootOf(file), everything);
  appendFileSync(file, Array.from({ length: 100 }, (_, row) => line(450 + row)).join(""));
  await expect.poll(async () => (await viewer.page(0, 1)).total, { timeout: 10_000 }).toBe(550);
  const after = await walk(rootOf(file), everything);
  expect(after.leaves).toBe(550);
  for (const id of before.ids) expect(after.ids).toContain(id);
  await viewer.close();
});

it("a folder of more files than are looked at says so, also where it grows to that", async () => {
  const many = path("too-many");
  mkdirSync(many);
  const limit = LONG ? 20_000 : 10;
  const real = limit + 3;
  for (let nth = 0; nth < real; nth++)
    writeFileSync(
      join(many, `${nth}.jsonl`),
      `${JSON.stringify({ input: "a", output: "b", score: 1, step: nth })}\n`,
    );
  const ports = inProcessPorts({ warn: () => undefined });
  const { files } = ports;
  const store = createTrajectoryStore({
    ...ports,
    // The real limit takes a minute to reach.
    files: {
      ...files,
      list: (below, atMost, signal) =>
        files.list(below, Math.min(atMost, below === many ? limit : 10), signal),
    },
  });
  try {
    const source = await store.open(many);
    await source.whenComplete();
    expect(source.progress()).toMatchObject({ known: limit, problems: 1, complete: true });
    const { problems } = source.problems(0, 10);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ["too-large", "The folder has more than 20000 files; the others aren't looked at."],
    ]);

    const few = path("few-yet");
    mkdirSync(few);
    const write = (nth: number): void =>
      writeFileSync(
        join(few, `${nth}.jsonl`),
        `${JSON.stringify({ input: "a", output: "b", score: 1, step: nth })}\n`,
      );
    for (let nth = 0; nth < 8; nth++) write(nth);
    const growing = await store.open(few);
    await growing.whenComplete();
    expect(growing.progress()).toMatchObject({ known: 8, problems: 0 });
    growing.follow(true);
    for (let nth = 8; nth < 12; nth++) write(nth);
    await expect
      .poll(() => growing.progress(), { timeout: 10_000 })
      .toMatchObject({ known: 10, problems: 1 });
    // Said once, however often it is looked at.
    await new Promise((done) => setTimeout(done, 4500));
    expect(growing.progress()).toMatchObject({ known: 10, problems: 1 });
  } finally {
    store.dispose();
  }
}, 180_000);
