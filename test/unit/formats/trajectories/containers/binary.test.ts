import { readFileSync } from "node:fs";
import { gzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { FILE_LIMITS, START } from "../../../../../src/formats/trajectories/container";
import {
  documentContainer,
  rowsContainer,
} from "../../../../../src/formats/trajectories/containers/document";
import { parquetContainer } from "../../../../../src/formats/trajectories/containers/parquet";
import { sqliteContainer } from "../../../../../src/formats/trajectories/containers/sqlite";
import { zipContainer } from "../../../../../src/formats/trajectories/containers/zip";
import { openTrajectories } from "../../../../../src/formats/trajectories/open";
import { anyForm, memoryFile, scanAll, smallLimits } from "../../../../support/memoryFile";

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe("zip", () => {
  const archive = (): Uint8Array =>
    zipSync({
      "header.json": json({ eval: 1 }),
      "samples/1.json": [json({ id: 1, text: "one".repeat(500) }), { level: 9 }],
      "samples/2.json": [json({ id: 2 }), { level: 0 }],
      "samples/3.json": new TextEncoder().encode('{"id": NaN}'),
    });
  const form = {
    ...anyForm,
    entries: (names: readonly string[]) => ({
      shared: ["header.json"],
      records: names.filter((name) => name.startsWith("samples/")),
    }),
  };

  it("reads stored and deflated entries, shared ones apart, and each again", async () => {
    const file = await zipContainer.open(memoryFile("x.eval", archive()), form, FILE_LIMITS);
    const { records, problems } = await scanAll(file);
    expect(problems).toEqual([]);
    expect(file.shared).toEqual({ "header.json": { eval: 1 } });
    expect(records.map(({ value }) => (value as { id: unknown }).id)).toEqual([1, 2, NaN]);
    expect(await file.at(records[1]!.place)).toEqual({ id: 2 });
  });

  it("tells a damaged entry by its checksum and reads the rest", async () => {
    const bytes = archive();
    const at = Buffer.from(bytes).indexOf('{"id":2}') + 6;
    bytes[at] = "3".charCodeAt(0);
    const file = await zipContainer.open(memoryFile("x.eval", bytes), form, FILE_LIMITS);
    const { records, problems } = await scanAll(file);
    expect(records).toHaveLength(2);
    expect(problems.map(({ code }) => code)).toEqual(["bad-zip"]);
    // Asked to go on behind the last entry it gives none twice.
    let position = START;
    for await (const batch of file.scan({ from: START, last: false })) position = batch.position;
    const again: unknown[] = [];
    for await (const batch of file.scan({ from: position, last: true })) again.push(...batch.records);
    expect(again).toEqual([]);
  });

  it("stops a bomb, also one that lies about its size", async () => {
    const bomb = zipSync({
      "header.json": json({}),
      "samples/1.json": [new Uint8Array(30_000_000), { level: 9 }],
    });
    const said = await scanAll(await zipContainer.open(memoryFile("x.eval", bomb), form, smallLimits));
    expect([said.records, said.problems.map(({ code }) => code)]).toEqual([[], ["too-large"]]);
    const view = new DataView(bomb.buffer, bomb.byteOffset, bomb.byteLength);
    const entry = Buffer.from(bomb).lastIndexOf(Buffer.of(0x50, 0x4b, 1, 2));
    view.setUint32(entry + 24, 100, true);
    const lying = await scanAll(await zipContainer.open(memoryFile("x.eval", bomb), form, smallLimits));
    expect([lying.records, lying.problems.map(({ code }) => code)]).toEqual([[], ["too-large"]]);
  });
});

describe("sqlite", () => {
  const folder = "test/fixtures/trajectories/containers";
  const form = { ...anyForm, tables: () => ({ table: "evaluationrow", json: ["data"] }) };
  const bytes = readFileSync(`${folder}/rows.db`);
  const log = readFileSync(`${folder}/rows.db-wal`);

  it("reads rows with long texts, and what the write-ahead log changed", async () => {
    const file = await sqliteContainer.open(
      memoryFile("rows.db", bytes, { "rows.db-wal": log }),
      form,
      FILE_LIMITS,
    );
    const { records, problems } = await scanAll(file);
    expect(problems).toEqual([]);
    const ids = records.map(({ value }) => (value as { id: number }).id);
    expect(ids).toEqual([1, 2, ...Array.from({ length: 38 }, (_, i) => i + 4)]);
    expect(records[20]?.value).toEqual({
      id: 22,
      rollout_id: "r21",
      data: { i: 21, text: "é".repeat(1260) },
      score: 5.25,
      big: 2 ** 40 + 21,
      added: -7,
    });
    expect(records.at(-1)?.value).toMatchObject({ score: null, big: 2n ** 62n, added: 1 });
    for (const { place, value } of records) expect(await file.at(place)).toEqual(value);
  });

  it("without the log, or with one that isn't whole, has the rows of before", async () => {
    for (const broken of [undefined, log.subarray(0, 600)]) {
      const beside = broken ? { "rows.db-wal": broken } : {};
      const file = await sqliteContainer.open(memoryFile("rows.db", bytes, beside), form, FILE_LIMITS);
      expect((await scanAll(file)).records).toHaveLength(40);
    }
  });

  it("says which rows a damaged page takes and reads the others", async () => {
    const damaged = Buffer.from(bytes);
    damaged.fill(0, 512 * 20, 512 * 22);
    const file = await sqliteContainer.open(memoryFile("rows.db", damaged), form, FILE_LIMITS);
    const { records, problems } = await scanAll(file);
    expect(problems.map(({ code }) => code)).toContain("bad-sqlite");
    expect(records.length).toBeGreaterThan(20);
    expect(records.length).toBeLessThan(40);
  });
});

describe("parquet", () => {
  it.each(["none", "snappy", "zstd", "gzip", "brotli", "lz4"])(
    "reads rows of %s as the others do",
    async (codec) => {
      const read = async (name: string) => {
        const access = memoryFile("x.parquet", readFileSync(`test/fixtures/samples/all.${name}.parquet`));
        const file = await parquetContainer.open(access, anyForm, FILE_LIMITS);
        const { records, problems } = await scanAll(file);
        expect(problems).toEqual([]);
        expect(await file.at(records.at(-1)!.place)).toEqual(records.at(-1)!.value);
        return records.map(({ value }) => value);
      };
      const rows = await read(codec);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows).toEqual(await read("none"));
    },
  );

  it("refuses what would be too large before decompressing it, and an empty table has no rows", async () => {
    const bomb = memoryFile("x.parquet", readFileSync("test/fixtures/samples/bomb.parquet"));
    const before = process.memoryUsage().rss;
    const found = await parquetContainer
      .open(bomb, anyForm, { ...FILE_LIMITS, rows: 1000 })
      .then(scanAll)
      .catch((error: unknown) => ({ records: [], problems: [{ code: (error as { code: string }).code }] }));
    expect([found.records.length, found.problems.length > 0]).toEqual([0, true]);
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000);
    const empty = memoryFile("x.parquet", readFileSync("test/fixtures/samples/empty.parquet"));
    expect(await scanAll(await parquetContainer.open(empty, anyForm, FILE_LIMITS))).toEqual({
      records: [],
      problems: [],
    });
  });
});

describe("documents", () => {
  it("reads JSON with NaN, YAML with anchors, and lists of rows", async () => {
    const value = async (name: string, text: string) =>
      (await documentContainer.head(memoryFile(name, text), FILE_LIMITS)).records[0];
    expect(await value("x.json", '{"a": NaN}')).toEqual({ a: NaN });
    expect(await value("x.yaml", "- &one\n  a: 1.5\n- b: *one\n  n: .nan\n")).toEqual([
      { a: 1.5 },
      { b: { a: 1.5 }, n: NaN },
    ]);
    const rows = await rowsContainer.open(
      memoryFile("x.json", '[{"id":1},2,{"id":3}]'),
      anyForm,
      FILE_LIMITS,
    );
    const { records, problems } = await scanAll(rows);
    expect(records.map(({ line }) => line)).toEqual([1, 3]);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([[2, "not-an-object"]]);
  });

  it("doesn't multiply a document through aliases", async () => {
    const laughs = Array.from({ length: 12 }, (_, i) =>
      i === 0 ? "a0: &a0 [x,x,x,x,x,x,x,x,x,x]" : `a${i}: &a${i} [${`*a${i - 1},`.repeat(10).slice(0, -1)}]`,
    ).join("\n");
    await expect(documentContainer.head(memoryFile("x.yaml", laughs), FILE_LIMITS)).rejects.toMatchObject({
      code: "FormatUnknown",
    });
  });
});

describe("openTrajectories", () => {
  const row = '{"input":"2+2?","output":"4","score":1.0,"step":1}\n';

  it("reads compressed lines, and rows whatever the name says", async () => {
    for (const file of [
      memoryFile("1.jsonl.gz", gzipSync(Buffer.from(row))),
      memoryFile("1.parquet", row),
      memoryFile("1.json", `[${row}]`),
    ]) {
      const opened = await openTrajectories(file);
      expect(opened.form.id).toBe("verl-rollout");
      expect((await scanAll(opened.records)).records).toHaveLength(1);
    }
  });

  it.each([
    ["results.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"],
    ["a.jsonl", "", "empty"],
    ["a.pt", Buffer.of(0x80, 4, 1), "pickle"],
    ["a.jsonl", '{"alpha":1,"beta":2}\n', "alpha, beta"],
    ["a.jsonl", Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 0), "PNG"],
    ["a.pt", zipSync({ "archive/data.pkl": Buffer.of(1) }), "pickle"],
  ])("says what %s is instead", async (name, content, words) => {
    await expect(openTrajectories(memoryFile(name, content))).rejects.toThrow(words);
  });

  it("looks at little of a large file before it reads it", async () => {
    const file = memoryFile("1.jsonl", row.repeat(200_000));
    await openTrajectories(file);
    expect(file.reads()).toBeLessThan(1_500_000);
    expect(START.bytes).toBe(0);
  });
});
