import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FILE_LIMITS, START, type ScanPosition } from "../../../../../src/formats/trajectories/container";
import { linesContainer } from "../../../../../src/formats/trajectories/containers/lines";
import { anyForm, memoryFile, scanAll, smallLimits } from "../../../../support/memoryFile";

const open = (content: string | Uint8Array, limits = FILE_LIMITS) =>
  linesContainer.open(memoryFile("x.jsonl", content), anyForm, limits);
const ids = (records: readonly { value: unknown }[]) =>
  records.map(({ value }) => (value as { id: unknown }).id);
const caseFile = (name: string) => readFileSync(`test/fixtures/cases/${name}`);

describe("lines", () => {
  it("T01: reads around torn lines and tells them apart from an unfinished end", async () => {
    const first = await scanAll(await open(caseFile("T01_torn.jsonl")));
    expect(ids(first.records)).toEqual([0, 1, 4, 5]);
    expect(first.problems.map(({ line, code }) => [line, code])).toEqual([
      [3, expect.stringMatching(/torn|glued/)],
      [7, "unfinished"],
    ]);
    const second = await scanAll(await open(caseFile("T01_torn_then_blank.jsonl")));
    expect(second.records).toHaveLength(1);
    expect(second.problems.map(({ line, code }) => [line, code])).toEqual([[2, "unfinished"]]);
  });

  it("T01: goes on where it stopped once the half line is whole", async () => {
    const half = '{"id":0}\n{"id":1}\n{"id":2,"te';
    let stand: ScanPosition = START;
    let pending = 0;
    const seen: unknown[] = [];
    for await (const batch of (await open(half)).scan({ from: START, last: false })) {
      seen.push(...ids(batch.records));
      stand = batch.position;
      if (batch.pending) pending = batch.pending.line;
      expect(batch.problems).toEqual([]);
    }
    expect([seen, stand, pending]).toEqual([[0, 1], { bytes: 18, lines: 2, records: 2 }, 3]);
    for await (const batch of (await open(`${half}xt":1}\n{"id":3}\n`)).scan({ from: stand, last: false })) {
      seen.push(...ids(batch.records));
      for (const { line } of batch.records) expect([3, 4]).toContain(line);
    }
    expect(seen).toEqual([0, 1, 2, 3]);
  });

  it("T03: NaN and infinities are values, and text that says so stays text", async () => {
    const { records, problems } = await scanAll(await open(caseFile("T03_nonfinite.jsonl")));
    expect(problems).toEqual([]);
    expect(records.map(({ value }) => (value as { reward: unknown }).reward)).toEqual([
      1,
      NaN,
      Infinity,
      -Infinity,
      null,
      Infinity,
      0.5,
      0,
    ]);
    expect(JSON.stringify(records[1]?.value)).toContain("NaN");
  });

  it("T05: marks, line ends and stray bytes, with places that find each record again", async () => {
    const file = await open(caseFile("T05_encodings.jsonl"));
    const { records, problems } = await scanAll(file);
    expect(records).toHaveLength(5);
    expect(JSON.stringify(records[0]?.value)).toContain("café 東京 😀");
    expect(problems.map(({ line, code }) => [line, code])).toEqual([[4, "bad-bytes"]]);
    for (const { place, value } of records) expect(await file.at(place)).toEqual(value);
  });

  it("T09: every line of a mixed file is a record", async () => {
    const { records, problems } = await scanAll(await open(caseFile("T09_mixed.jsonl")));
    expect([records.length, problems]).toEqual([8, []]);
  });

  it("reads glued records by bytes, also behind bytes that aren't UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"id":1,"t":"é'),
      Buffer.of(0xff),
      Buffer.from('}{"} {"id":2}{"id":3,\n{"id":4}\n'),
    ]);
    const file = await open(bytes);
    const { records, problems } = await scanAll(file);
    expect(ids(records)).toEqual([1, 2, 4]);
    expect(problems.map(({ code }) => code)).toEqual(["bad-bytes", "glued"]);
    expect(await file.at(records[1]!.place)).toEqual({ id: 2 });
  });

  it("refuses what is too long or too deep at its line and reads the rest", async () => {
    const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const long = `{"id":1,"t":"${"x".repeat(1_500_000)}"}`;
    const { records, problems } = await scanAll(
      await open([deep, '{"id":2}', long, '{"id":3}', "[1]", "prose"].join("\n"), smallLimits),
    );
    expect(ids(records)).toEqual([2, 3]);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [1, "too-deep"],
      [3, "too-large"],
      [5, "not-an-object"],
      [6, "not-json"],
    ]);
  });

  it("reads printed objects one after another, and those around one that broke off", async () => {
    const one = (id: number) => JSON.stringify({ id, inner: { list: [1, { a: "}\n{" }] } }, null, 4);
    const file = await open(`${one(1)}\n${one(2).slice(0, 20)}\n${one(3)}\n`);
    const { records, problems } = await scanAll(file);
    expect(ids(records)).toEqual([1, 3]);
    expect(problems.map(({ code }) => code)).toEqual(["torn"]);
    expect(await file.at(records[1]!.place)).toEqual(records[1]!.value);
  });

  it("reads UTF-16 with its mark", async () => {
    const text = Buffer.from('\ufeff{"id":"é"}\r\n{"id":2}\r\n', "utf16le");
    expect(ids((await scanAll(await open(text))).records)).toEqual(["é", 2]);
  });

  it("counts lines from any part on, without parsing", async () => {
    const text = Array.from({ length: 1000 }, (_, i) => `{"id":${i}}`).join("\n");
    const file = await open(`\ufeff${text}`);
    const starts: number[] = [];
    for await (const batch of file.offsets!({ from: START })) starts.push(...batch.starts);
    const { records } = await scanAll(file);
    expect(starts).toEqual([0, 256, 512, 768].map((i) => records[i]!.place.at));
  });

  it("a long line moves on in bytes and stops within 200 ms of being asked to", async () => {
    const line = Buffer.from(`{"id":1,"tokens":[${"12345,".repeat(3_000_000)}1]}\n`);
    const file = await open(line);
    let reached = -1;
    for await (const batch of file.scan({ from: START, last: true })) {
      expect(batch.reached ?? batch.position.bytes).toBeGreaterThanOrEqual(reached);
      reached = batch.reached ?? batch.position.bytes;
    }
    expect(reached).toBe(line.length);
    const control = new AbortController();
    let asked = 0;
    setTimeout(() => {
      asked = performance.now();
      control.abort();
    }, 100);
    await expect(
      (async () => {
        for await (const batch of file.scan({ from: START, last: true, signal: control.signal }))
          expect(batch.records.length).toBeGreaterThanOrEqual(0);
      })(),
    ).rejects.toThrow();
    expect(performance.now() - asked).toBeLessThan(200);
  });
});
