import fc from "fast-check";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { labelFiles } from "../../../../src/engine/labels";
import { LabelStore, type LabelFiles } from "../../../../src/services/labels/labelStore";
import { LabelCounts, type LabelAct } from "../../../../src/schema/lab";
import { LabelRecord } from "../../../../src/schema/label";
import { grouped, table } from "../../core/scoring/tables";

const PATH = "/data/outputs.labels.jsonl";
const NOW = "2026-01-02T03:04:05.000Z";

class Memory implements LabelFiles {
  readonly files = new Map<string, string>();
  readonly appends: string[] = [];
  read(file: string) {
    return Promise.resolve(this.files.get(file) ?? null);
  }
  append(file: string, text: string) {
    this.appends.push(text);
    this.files.set(file, (this.files.get(file) ?? "") + text);
    return Promise.resolve();
  }
}

const opened = (files: LabelFiles = new Memory()) => new LabelStore(files, () => NOW);
const verdict = (
  row: number,
  value: "good" | "bad" | number,
  stream: "random" | "hunting" | "chosen" = "chosen",
) => ({ kind: "verdict", row, value, stream }) as const;
const set = table(grouped(8, 4));
const line = (record: Record<string, unknown>) => `${JSON.stringify({ v: 1, at: NOW, by: "", ...record })}\n`;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe("a sidecar that can't be read", () => {
  it("leaves the data's own labels and the scores; who counts or labels hears why, and it is tried again", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "labels-"));
    folders.push(folder);
    const at = path.join(folder, "outputs.labels.jsonl");
    await mkdir(at);
    const store = opened(labelFiles);
    expect((await store.of(at, set)).of(1)).toBeNull();
    await expect(store.counts(at, set)).rejects.toMatchObject({ code: "FileUnreadable" });
    await expect(store.act(at, set, "", [verdict(1, "good")])).rejects.toMatchObject({
      code: "FileUnreadable",
    });
    await rm(at, { recursive: true });
    await store.act(at, set, "", [verdict(1, "good")]);
    expect((await store.of(at, set)).of(1)?.value).toBe("good");
  });
});

describe("labels in a sidecar", () => {
  it("a million lines that are no records hold nothing up, and a label behind them counts", async () => {
    const files = new Memory();
    files.files.set(PATH, "garbage {\n".repeat(1_000_000));
    const began = performance.now();
    const counts = await opened(files).act(PATH, set, "", [verdict(1, "good")]);
    expect(counts).toMatchObject({ labelled: 1, problems: 1_000_000 });
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it("appends whole lines, one write an act, and the last record of a sample counts", async () => {
    const files = new Memory();
    const store = opened(files);
    await store.act(PATH, set, "mia", [verdict(1, "good", "random"), verdict(2, 0.5)]);
    const counts = await store.act(PATH, set, "mia", [verdict(1, "bad", "random")]);
    expect(files.appends.map((text) => text.split("\n").length - 1)).toEqual([2, 1]);
    expect(files.appends.every((text) => text.endsWith("\n"))).toBe(true);
    const records = (files.files.get(PATH) ?? "").trim().split("\n");
    expect(records.map((text) => LabelRecord.parse(JSON.parse(text)).at)).toEqual([NOW, NOW, NOW]);
    expect((await store.of(PATH, set)).of(1)).toEqual({
      value: "bad",
      source: "sidecar",
      stream: "random",
      by: "mia",
    });
    expect(LabelCounts.parse(counts)).toMatchObject({
      file: "outputs.labels.jsonl",
      labelled: 2,
      random: 1,
      chosen: 1,
      good: 0,
      bad: 1,
      numbers: 1,
    });
  });

  it("another store on the same file, as after a restart, says the same", async () => {
    const files = new Memory();
    const acts: LabelAct[] = [verdict(0, "good"), { kind: "pair", better: 4, worse: 5, stream: "hunting" }];
    const said = await opened(files).act(PATH, set, "", acts);
    expect(await opened(files).counts(PATH, set)).toEqual(said);
    expect(said.pairs).toBe(1);
  });

  it("starts on a line of its own after a torn one, which is kept and counted", async () => {
    const files = new Memory();
    const torn = `${line({ kind: "verdict", id: "id0", value: "good", stream: "random" })}{"v":1,"at":"20`;
    files.files.set(PATH, torn);
    const store = opened(files);
    const counts = await store.act(PATH, set, "", [verdict(3, "bad")]);
    const text = files.files.get(PATH) ?? "";
    expect(text.startsWith(`${torn}\n{`)).toBe(true);
    expect(counts).toMatchObject({ labelled: 2, problems: 1 });
    expect(await opened(files).counts(PATH, set)).toEqual(counts);
  });

  it("keeps and counts what a later version wrote, and blank lines are nothing", async () => {
    const files = new Memory();
    const text = `\ufeff${line({ kind: "verdict", id: "id0", value: "good", stream: "random" })}\r\n\n${line({ kind: "wish", id: "id1" })}${line({ v: 2, kind: "verdict", id: "id2", value: "good", stream: "random" })}`;
    files.files.set(PATH, text);
    const store = opened(files);
    expect(await store.counts(PATH, set)).toMatchObject({ labelled: 1, problems: 2 });
    await store.act(PATH, set, "", [verdict(5, "good")]);
    expect(files.files.get(PATH)?.startsWith(text)).toBe(true);
  });

  it("sees what a second window appended, and its revision rises", async () => {
    const files = new Memory();
    const store = opened(files);
    const before = (await store.of(PATH, set)).revision;
    const changed: string[] = [];
    store.onDidChange((file) => changed.push(file));
    await opened(files).act(PATH, set, "ben", [verdict(6, "good", "hunting")]);
    store.filesChanged(["/data/else.jsonl", PATH]);
    await expect.poll(() => changed).toEqual([PATH]);
    const now = await store.of(PATH, set);
    expect(now.revision).toBeGreaterThan(before);
    expect(now.of(6)).toMatchObject({ value: "good", by: "ben" });
    store.filesChanged([PATH]);
    await store.act(PATH, set, "", [verdict(0, "good")]);
    expect(changed).toEqual([PATH, PATH]);
  });

  it("takes in a second window's lines even where nobody told of them, before it writes", async () => {
    const files = new Memory();
    const store = opened(files);
    await store.counts(PATH, set);
    files.files.set(PATH, `${line({ kind: "verdict", id: "id7", value: "bad", stream: "chosen" })}{"v":`);
    const counts = await store.act(PATH, set, "", [verdict(0, "good")]);
    expect(counts).toMatchObject({ labelled: 2, problems: 1 });
  });

  it("a clear takes back a verdict and its pairs, not that the sample was looked at", async () => {
    const store = opened();
    const acts: LabelAct[] = [
      verdict(0, "good", "random"),
      { kind: "looked", row: 0, stream: "random" },
      { kind: "pair", better: 0, worse: 1, stream: "chosen" },
      { kind: "pair", better: 2, worse: 3, stream: "chosen" },
    ];
    await store.act(PATH, set, "", acts);
    const counts = await store.act(PATH, set, "", [{ kind: "clear", row: 0 }]);
    expect(counts).toMatchObject({ labelled: 0, pairs: 1, looked: 1, lookedOf: 8 });
    expect((await store.of(PATH, set)).of(0)).toBeNull();
  });

  it("counts distinct samples looked at in the random stream alone", async () => {
    const store = opened();
    const acts: LabelAct[] = [0, 0, 1].map((row) => ({ kind: "looked", row, stream: "random" }));
    const counts = await store.act(PATH, set, "", [...acts, { kind: "looked", row: 5, stream: "chosen" }]);
    expect(counts.looked).toBe(2);
  });

  it("of a pair judged twice the last judgement counts, whichever way round", async () => {
    const store = opened();
    await store.act(PATH, set, "", [{ kind: "pair", better: 0, worse: 1, stream: "chosen" }]);
    const counts = await store.act(PATH, set, "", [{ kind: "pair", better: 1, worse: 0, stream: "chosen" }]);
    expect(counts.pairs).toBe(1);
  });

  it("a sample drawn at random stays one when its verdict is corrected by hand", async () => {
    const store = opened();
    await store.act(PATH, set, "", [verdict(0, "good", "random")]);
    const counts = await store.act(PATH, set, "", [verdict(0, "bad", "chosen")]);
    expect(counts).toMatchObject({ random: 1, chosen: 0, bad: 1, good: 0 });
  });

  it("writes nothing of a batch in which one act can't be", async () => {
    const files = new Memory();
    const store = opened(files);
    const bad: LabelAct[][] = [
      [verdict(0, "good"), verdict(99, "good")],
      [{ kind: "pair", better: 0, worse: 4, stream: "chosen" }],
      [{ kind: "pair", better: 2, worse: 2, stream: "chosen" }],
    ];
    for (const acts of bad)
      await expect(store.act(PATH, set, "", acts)).rejects.toMatchObject({ code: "BadArguments" });
    expect(files.appends).toEqual([]);
    expect(await store.act(PATH, set, "", [verdict(0, "good")])).toMatchObject({ labelled: 1 });
  });

  it("labels follow identity, not position; samples that are gone aren't counted", async () => {
    const store = opened();
    await store.act(PATH, set, "", [verdict(0, "good"), verdict(7, "bad")]);
    const moved = table([[0, 1]], { ids: ["new", "id0"] });
    const labels = await store.of(PATH, moved);
    expect([labels.of(0), labels.of(1)?.value]).toEqual([null, "good"]);
    expect(await store.counts(PATH, moved)).toMatchObject({ labelled: 1, bad: 0 });
  });

  it("a failed write is told, and the next one goes on", async () => {
    const files = new Memory();
    const store = opened(files);
    const append = files.append.bind(files);
    files.append = () => Promise.reject(new Error("disk full"));
    await expect(store.act(PATH, set, "", [verdict(0, "good")])).rejects.toThrow("disk full");
    expect((await store.of(PATH, set)).of(0)).toBeNull();
    files.append = append;
    expect(await store.act(PATH, set, "", [verdict(1, "good")])).toMatchObject({ labelled: 1 });
  });
});

describe("labels of the data's own column", () => {
  it("stand where the sidecar says nothing; 0 and 1 are verdicts, other numbers are numbers", async () => {
    const store = opened();
    const words = table([[0, 1, 2, 3]], { label: [true, "wrong", null, 1] });
    await store.act(PATH, words, "", [verdict(0, "bad")]);
    const labels = await store.of(PATH, words);
    expect([0, 1, 2, 3].map((row) => [labels.of(row)?.value, labels.of(row)?.source])).toEqual([
      ["bad", "sidecar"],
      ["bad", "data"],
      [undefined, undefined],
      ["good", "data"],
    ]);
    expect(await store.counts(PATH, words)).toMatchObject({ labelled: 1, data: 2 });
    const scale = await store.of(PATH, table([[0, 1]], { ids: ["a", "b"], label: [0.4, 1] }));
    expect([scale.of(0)?.value, scale.of(1)?.value]).toEqual([0.4, 1]);
  });
});

describe("any history of acts", () => {
  it("reads back from the file as it stood in memory, through torn ends at any place", async () => {
    const act = fc.oneof(
      fc.record({
        kind: fc.constant("verdict" as const),
        row: fc.nat(7),
        value: fc.oneof(
          fc.constantFrom("good" as const, "bad" as const),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
        ),
        stream: fc.constantFrom("random" as const, "hunting" as const, "chosen" as const),
      }),
      fc.record({ kind: fc.constant("clear" as const), row: fc.nat(7) }),
      fc.record({
        kind: fc.constant("looked" as const),
        row: fc.nat(7),
        stream: fc.constant("random" as const),
      }),
    );
    const steps = fc.array(fc.oneof(fc.array(act, { minLength: 1, maxLength: 3 }), fc.nat(80)), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const files = new Memory();
        const store = opened(files);
        for (const step of all) {
          if (typeof step === "number") {
            const text = files.files.get(PATH) ?? "";
            files.files.set(PATH, text.slice(0, Math.max(0, text.length - step)));
          } else await store.act(PATH, set, "x", step);
        }
        const [a, b] = [await opened(files).of(PATH, set), store];
        b.filesChanged([PATH]);
        const fresh = await opened(files).counts(PATH, set);
        await expect.poll(() => b.counts(PATH, set), { interval: 1 }).toEqual(fresh);
        const now = await b.of(PATH, set);
        for (let row = 0; row < 8; row++) expect(now.of(row)).toEqual(a.of(row));
      }),
      { numRuns: 60 },
    );
  });
});

describe("on a disk", () => {
  it("makes the sidecar and touches nothing else", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "labels-"));
    folders.push(folder);
    await writeFile(path.join(folder, "outputs.jsonl"), "{}\n");
    const file = path.join(folder, "outputs.labels.jsonl");
    const [a, b] = [opened(labelFiles), opened(labelFiles)];
    await Promise.all(
      [0, 1, 2, 3].map((row) => (row % 2 ? a : b).act(file, set, "", [verdict(row, "good")])),
    );
    expect((await readFile(file, "utf8")).trim().split("\n")).toHaveLength(4);
    expect((await readdir(folder)).sort()).toEqual(["outputs.jsonl", "outputs.labels.jsonl"].sort());
    expect(await readFile(path.join(folder, "outputs.jsonl"), "utf8")).toBe("{}\n");
    expect(await opened(labelFiles).counts(file, set)).toMatchObject({ labelled: 4, problems: 0 });
  });
});
