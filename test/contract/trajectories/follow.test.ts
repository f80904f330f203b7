import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { EngineUnderTest, workspace } from "../engine/engineProcess";
import { openViewer, type ViewerPage } from "./viewerPage";

/** A file that grows by 1,000 rollouts a second is followed: the whole minute where REWARDSMITH_LONG is 1. */
const LONG = process.env["REWARDSMITH_LONG"] === "1";
const SECONDS = LONG ? 60 : 12;
/** Memory is compared from here to the end: before it the process is still finding its size. */
const WARM_SECONDS = LONG ? 20 : 6;
const ROWS_A_SECOND = 1000;
const EVERY_MS = 50;
/** Nothing new for longer than this is a stop. */
const GAP_MS = 2000;
/** What a row of the list may take: its numbers, its place in a group, its title as long as it lies in memory. */
const BYTES_A_ROW = 400;
/** Garbage that isn't collected yet: half a minute of the file's own bytes would be more, and is a leak. */
const SLACK_BYTES = 15e6;

const { folder, path } = workspace({});
let engine: EngineUnderTest;
let writer: Writer | null = null;
let view: ViewerPage | null = null;
beforeAll(async () => {
  engine = await EngineUnderTest.start({ folder });
});
afterEach(async () => {
  writer?.stop(true);
  writer = null;
  await view?.close();
  view = null;
});
afterAll(() => engine.stop());

/** A permutation of row numbers, each exactly representable: sums are the same in any order. */
const rewardOf = (row: number): number => ((row * 7919) % 1_048_576) / 64;
const FILLER = "The order was checked, the parts were ordered, the customer was told – déjà vu 🙂. ".repeat(
  12,
);

/** Rollouts of a prompt are 64 rows apart, as where several workers write; a step has 512 of them. */
function rollout(run: string, row: number): string {
  const step = Math.floor(row / 512);
  const prompt = step * 64 + (row % 64);
  const input = `${run} question ${prompt} 🙂`;
  return `${JSON.stringify({ input, output: `answer ${row}: ${FILLER}`, score: rewardOf(row), step })}\n`;
}

/** Appends rows by the clock, in pieces that end anywhere: in the middle of a line, of a character. */
class Writer {
  readonly #file: string;
  readonly #run: string;
  readonly #began = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #rest = Buffer.alloc(0);
  #seed = 7;
  rows = 0;

  constructor(file: string, run: string) {
    this.#file = file;
    this.#run = run;
    this.#timer = setInterval(() => this.#write(), EVERY_MS);
  }

  #write(): void {
    const due = Math.floor(((performance.now() - this.#began) / 1000) * ROWS_A_SECOND);
    let text = "";
    for (; this.rows < due; this.rows++) text += rollout(this.#run, this.rows);
    const bytes = Buffer.concat([this.#rest, Buffer.from(text)]);
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    const cut = Math.max(0, bytes.length - (this.#seed % 1500));
    appendFileSync(this.#file, bytes.subarray(0, cut));
    this.#rest = bytes.subarray(cut);
  }

  /** `whole`: what was held back is written. */
  stop(whole: boolean): void {
    clearInterval(this.#timer);
    if (whole && this.#rest.length > 0) appendFileSync(this.#file, this.#rest);
    this.#rest = Buffer.alloc(0);
  }
}

const Line = z.object({ input: z.string(), score: z.number(), step: z.number() });

/** What a file holds, worked out from its text alone. */
function truthOf(file: string) {
  const rows = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Line.parse(JSON.parse(line)));
  const groups = new Map<
    string,
    { step: number; title: string; n: number; sum: number; members: number[] }
  >();
  rows.forEach(({ input, score, step }, at) => {
    const key = JSON.stringify([step, input]);
    const group = groups.get(key) ?? { step, title: input, n: 0, sum: 0, members: [] };
    group.n++;
    group.sum += score;
    group.members.push(at);
    groups.set(key, group);
  });
  const steps = new Map<number, { n: number; sum: number }>();
  for (const { step, score } of rows) {
    const one = steps.get(step) ?? { n: 0, sum: 0 };
    steps.set(step, { n: one.n + 1, sum: one.sum + score });
  }
  return { rows, groups: [...groups.values()], steps };
}

/** All that the viewer says of the file against what is in it. */
async function expectTruth(viewer: ViewerPage, file: string): Promise<void> {
  const truth = truthOf(file);
  const rows = await viewer.rows();
  expect(rows).toHaveLength(truth.rows.length);
  expect(rows.map(({ index, line, title, reward, step }) => [index, line, title, reward, step])).toEqual(
    truth.rows.map(({ input, score, step }, at) => [at, at + 1, input, score, step]),
  );
  const groups = await viewer.groups();
  expect(
    groups.map(({ title, step, n, scored, mean, members }) => [
      title,
      step,
      n,
      scored,
      mean,
      members.map(({ index }) => index),
    ]),
  ).toEqual(truth.groups.map(({ title, step, n, sum, members }) => [title, step, n, n, sum / n, members]));
  const { info } = await viewer.client.info({});
  expect((info.run?.steps ?? []).map(({ step, n, mean }) => [step, n, mean])).toEqual(
    truth.steps.size > 1 ? [...truth.steps].map(([step, { n, sum }]) => [step, n, sum / n]) : [],
  );
  const sorted = await viewer.rows({ sort: "reward", descending: true });
  expect(sorted.map(({ reward }) => reward)).toEqual(
    truth.rows.map(({ score }) => score).sort((a, b) => b - a),
  );
}

async function caughtUp(viewer: ViewerPage, file: string, ms = 15_000): Promise<void> {
  const rows = readFileSync(file, "utf8").split("\n").length - 1;
  const end = Date.now() + ms;
  for (;;) {
    const { progress } = await viewer.page(0, 1);
    if (progress.known === rows && progress.complete && progress.bytesDone === statSync(file).size) return;
    if (Date.now() > end) throw new Error(`${rows} rows in the file, ${JSON.stringify(progress)}`);
    await delay(50);
  }
}

async function followed(file: string): Promise<ViewerPage> {
  view = await openViewer(engine, file);
  await view.client.info({});
  expect((await view.client.follow({ on: true })).following).toBe(true);
  return view;
}

/** Resident set of the engine, bytes. */
function resident(): number {
  const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${engine.child.pid}/status`, "utf8"))?.[1];
  if (kB === undefined) throw new Error("the system doesn't say how large the engine is");
  return Number(kB) * 1024;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

it(
  `follows 1,000 rows a second for ${SECONDS} seconds: none lost, none doubled, in order, in memory that holds`,
  async () => {
    const file = path("growing.jsonl");
    writeFileSync(file, "");
    writer = new Writer(file, "one");
    // The first rows are there when it is opened.
    await delay(300);
    const viewer = await followed(file);
    const measured = existsSync(`/proc/${engine.child.pid}/status`);
    const memory: { readonly second: number; readonly bytes: number; readonly known: number }[] = [];
    let lag = 0;
    let written: { readonly at: number; readonly rows: number }[] = [];
    const began = performance.now();
    for (let round = 1; performance.now() - began < SECONDS * 1000; round++) {
      const now = performance.now();
      written = [...written.filter(({ at }) => now - at < 4 * GAP_MS), { at: now, rows: writer.rows }];
      // What is on screen, as the page asks for it: the newest rows, and the best ones.
      const { progress, rows } = await viewer.page(Math.max(0, (memory.at(-1)?.known ?? 0) - 20), 60);
      for (const { index, reward, line } of rows) {
        expect(reward).toBe(rewardOf(index));
        expect(line).toBe(index + 1);
      }
      const best = await viewer.page(0, 60, { sort: "reward", descending: true, filter: "reward>=100" });
      const shown = best.rows.map(({ reward }) => Number(reward));
      expect(shown).toEqual([...shown].sort((a, b) => b - a));
      if (round % 5 === 0) {
        const { total, groups } = await viewer.client.groups({
          filter: "",
          order: "mean",
          descending: true,
          from: 0,
          count: 60,
        });
        const titles = new Set(groups.map(({ title }) => title));
        expect(titles.size).toBe(groups.length);
        expect(total).toBeGreaterThanOrEqual(Math.floor(progress.known / 512) * 64);
      }
      if (measured) memory.push({ second: (now - began) / 1000, bytes: resident(), known: progress.known });
      // How old the newest row on screen is.
      const behind = written.find(({ rows: then }) => then > progress.known);
      if (behind) lag = Math.max(lag, now - behind.at);
      await delay(200);
    }
    writer.stop(true);
    await caughtUp(viewer, file);
    expect(writer.rows).toBeGreaterThanOrEqual((SECONDS - 1) * ROWS_A_SECOND);

    const risen = viewer.told.filter(
      ({ progress }, at) => progress.known > (viewer.told[at - 1]?.progress.known ?? 0),
    );
    const gaps = risen.slice(1).map(({ at }, nth) => at - (risen[nth]?.at ?? at));
    console.log(
      `followed ${writer.rows} rows (${(statSync(file).size / 1e6).toFixed(0)} MB) in ${SECONDS} s: ${risen.length} times told of more, longest gap ${Math.max(...gaps).toFixed(0)} ms, at most ${lag.toFixed(0)} ms behind`,
    );
    expect(risen.length).toBeGreaterThan(SECONDS);
    expect(Math.max(...gaps)).toBeLessThan(GAP_MS);
    expect(lag).toBeLessThan(GAP_MS);
    expect(viewer.changes).not.toContain("reset");

    if (measured) {
      const at = (second: number) => memory.filter((one) => Math.abs(one.second - second) <= 1.5);
      const [early, late] = [at(WARM_SECONDS), at(SECONDS - 1.5)];
      const grown = median(late.map(({ bytes }) => bytes)) - median(early.map(({ bytes }) => bytes));
      const rows = median(late.map(({ known }) => known)) - median(early.map(({ known }) => known));
      console.log(
        `engine: ${(median(early.map(({ bytes }) => bytes)) / 1e6).toFixed(0)} MB at second ${WARM_SECONDS}, ${(grown / 1e6).toFixed(1)} MB more ${rows} rows later`,
      );
      expect(grown).toBeLessThan(rows * BYTES_A_ROW + SLACK_BYTES);
    }
    await expectTruth(viewer, file);
  },
  (SECONDS + 60) * 1000,
);

it("takes a last line without its end once it is whole, also where the end is all that was missing", async () => {
  const file = path("half.jsonl");
  const lines = [0, 1, 2].map((row) => Buffer.from(rollout("half", row)));
  const [first = Buffer.alloc(0), second = Buffer.alloc(0), third = Buffer.alloc(0)] = lines;
  // In the middle of an emoji: neither text nor JSON.
  const within = second.indexOf("🙂") + 2;
  writeFileSync(file, Buffer.concat([first, second.subarray(0, within)]));
  const viewer = await followed(file);
  const known = async () => (await viewer.page(0, 1)).progress.known;
  await expect.poll(known).toBe(1);
  // Looked at more than once meanwhile.
  await delay(1200);
  expect(await known()).toBe(1);
  appendFileSync(file, second.subarray(within, -1));
  await expect.poll(known, { timeout: 5000 }).toBe(2);
  appendFileSync(file, Buffer.concat([Buffer.from("\n"), third]));
  await caughtUp(viewer, file);
  await expectTruth(viewer, file);
  expect((await viewer.page(0, 1)).progress.problems).toBe(0);
});

it("begins anew where the file is emptied while it grows, and where it is cut in the middle", async () => {
  const file = path("cut.jsonl");
  writer = new Writer(file, "before");
  await delay(500);
  const viewer = await followed(file);
  await delay(1500);
  writer.stop(false);
  truncateSync(file, 0);
  // Grows beyond what was there before anybody looks again.
  writeFileSync(file, Array.from({ length: 3000 }, (_, row) => rollout("after", row)).join(""));
  writer = new Writer(file, "more");
  await delay(1500);
  writer.stop(true);
  await caughtUp(viewer, file);
  await expectTruth(viewer, file);
  expect((await viewer.page(0, 1)).rows[0]?.title).toContain("after");
  expect(viewer.changes).toContain("reset");

  // As a run that goes on from its last checkpoint: the rest of the file is written once more, otherwise.
  const kept = readFileSync(file).indexOf(rollout("after", 2000));
  truncateSync(file, kept + 700);
  truncateSync(file, kept);
  writer = new Writer(file, "resumed");
  await delay(1500);
  writer.stop(true);
  await caughtUp(viewer, file);
  await expectTruth(viewer, file);
  const { rows, total } = await viewer.page(1990, 60);
  expect(rows.map(({ title }) => title.split(" ")[0])).toEqual([
    ...Array.from({ length: 10 }, () => "after"),
    ...Array.from({ length: 50 }, () => "resumed"),
  ]);
  expect(total).toBeGreaterThan(3000);
});

it("goes over to the file that took the name, also where it begins and ends alike", async () => {
  const file = path("rotated.jsonl");
  writer = new Writer(file, "old");
  await delay(500);
  const viewer = await followed(file);
  await delay(1200);
  // A log that is rotated: for a moment there is none.
  writer.stop(true);
  renameSync(file, path("rotated.jsonl.1"));
  await delay(700);
  writer = new Writer(file, "new");
  await delay(1500);
  writer.stop(true);
  await caughtUp(viewer, file);
  await expectTruth(viewer, file);
  expect((await viewer.page(0, 1)).rows[0]?.title).toContain("new");

  // Written anew beside it with another reward in its middle, as long as before, and more behind it.
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  const middle = Math.floor(lines.length / 2);
  const [score] = /"score":[\d.]+/u.exec(lines[middle] ?? "") ?? [""];
  lines[middle] = (lines[middle] ?? "").replace(score, `"score":${"9".repeat(score.length - 8)}`);
  const other = path("rotated.jsonl.tmp");
  writeFileSync(other, `${lines.join("\n")}\n${rollout("new", lines.length)}`);
  renameSync(other, file);
  await caughtUp(viewer, file);
  await expectTruth(viewer, file);
});
