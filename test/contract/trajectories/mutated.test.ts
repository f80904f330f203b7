import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import { FILE_LIMITS, START } from "../../../src/formats/trajectories/container";
import { openTrajectories } from "../../../src/formats/trajectories/open";
import { formOf } from "../../../src/formats/trajectories/registry";
import { openFileAccess } from "../../../src/runtime/fileAccess";
import { inProcessPorts } from "../../../src/runtime/trajectories/ports";
import { createTrajectoryStore } from "../../../src/services/trajectories/store";
import { type ReadAll, readAll } from "../../support/readAll";
import {
  below,
  cut,
  flipBits,
  glueLines,
  gzipBomb,
  inspectZip,
  joinedBytes,
  laughs,
  lyingParquets,
  lyingZip,
  nested,
  seeded,
  tearLines,
  utf16,
  zipBomb,
  zstd,
} from "./mutate";
import { sayingsOf, silent, unsaid } from "./oracle";

const FIXTURES = "test/fixtures/trajectories";
const SAMPLES = "test/fixtures/samples";
const DESK = "examples/help-desk/rollouts.jsonl";
const INSPECT = `${FIXTURES}/inspect/2026-01-05T10-00-00-00-00_sums_kK1.json`;
const ALL = { filter: "", sort: "index", descending: false } as const;
/** Of the processor: how long it takes beside others says nothing. */
const EACH_MS = 8000;
const MOST_GROWTH = 600_000_000;
/** What is left of all of them together. */
const MOST_LEFT = 60_000_000;
const COUNT = 200;
const collect = collector();

interface Base {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Null: not read as trajectories even when whole. */
  readonly whole: ReadAll | null;
}

let folder: string;
let bases: readonly Base[] = [];
let written = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewardsmith-mutated-"));
  bases = await Promise.all(
    (await originals()).map(async ([name, bytes]) => {
      const path = await put(name, bytes);
      return { name, bytes, whole: await outcomeOf(() => readAll(path)) };
    }),
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Every container and form: the fixtures, and what is packed from them here. */
async function originals(): Promise<[string, Uint8Array][]> {
  const found = (await readdir(FIXTURES, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/-wal$|metadata\.json$|result\.json$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const tables = (await readdir(SAMPLES)).filter((name) => name.endsWith(".parquet"));
  const files = [...found.sort(), ...tables.sort().map((name) => join(SAMPLES, name)), DESK];
  const plain = await Promise.all(
    files.map(async (path): Promise<[string, Uint8Array]> => [path, await bytesOf(path)]),
  );
  const verl = await bytesOf(`${FIXTURES}/verl/validation/20.jsonl`);
  const log = await bytesOf(INSPECT);
  const text = new TextDecoder().decode(verl);
  const rows = text.trimEnd().split("\n");
  return [
    ...plain,
    ["packed/log.eval", inspectZip(log, 6)],
    ["stored/log.eval", inspectZip(log, 0)],
    ["packed/20.jsonl.gz", gzipSync(verl)],
    ["packed/20.jsonl.zst", zstd(verl)],
    ["wide/20.jsonl", utf16(text, false)],
    ["wide/big/20.jsonl", utf16(text, true)],
    ["listed/20.json", Buffer.from(`[${rows.join(",\n")}]`)],
    ["listed/20.yaml", Buffer.from(rows.map((row) => `- ${row}\n`).join(""))],
  ];
}

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(path));
}

/** A file in folders of its own, with the same ones above it: some forms are told by them. */
async function put(name: string, content: Uint8Array | string): Promise<string> {
  const path = join(folder, `${written++}`, "x", "x", "x", "x", name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** What reading gives; null where it is refused with a sentence. Anything else thrown fails, and so does taking long. */
async function outcomeOf<T>(run: () => Promise<T>): Promise<T | null> {
  const began = process.cpuUsage();
  const before = process.memoryUsage.rss();
  let largest = before;
  const look = (): void => {
    largest = Math.max(largest, process.memoryUsage.rss());
  };
  const watch = setInterval(look, 10);
  try {
    return await run();
  } catch (error) {
    expect(error).toBeInstanceOf(RewardsmithError);
    if (!(error instanceof RewardsmithError)) throw error;
    expect(error.code).not.toBe("Internal");
    expect(error.message).toMatch(/\S \S/);
    expect(error.message.length).toBeLessThan(2000);
    return null;
  } finally {
    clearInterval(watch);
    look();
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(EACH_MS);
    expect(largest - before).toBeLessThan(MOST_GROWTH);
  }
}

/** The garbage collector, without which memory says nothing. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  return () => {
    if (typeof gc === "function") Reflect.apply(gc, null, []);
  };
}

const held = (): number => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Reads as the viewer does. Groups must be those of `read`, with as many members. */
async function throughStore(path: string, read: ReadAll | null): Promise<void> {
  const store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
  try {
    await outcomeOf(async () => {
      const source = await store.open(path);
      await source.whenComplete();
      const page = await source.page(ALL, 0, 20);
      for (const row of page.rows) {
        await source.get(row.index);
        await source.raw(row.index);
      }
      source.problems(0, 100);
      source.info();
      if (!read) return;
      const ask = { filter: "", order: "first", descending: false, from: 0, count: 1000 } as const;
      const { groups } = await source.groups(ask);
      // One alone is no group.
      const counted = groups.filter(({ n }) => n > 1).map(({ n }) => n);
      expect(counted.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(read.trajectories.length);
      const wanted = givenGroups(read);
      for (const [name, n] of wanted) {
        const found = groups.filter(({ id }) => id === name || id.endsWith(`/${name}`));
        expect([name, found.reduce((sum, one) => sum + one.n, 0)]).toEqual([name, n]);
      }
    });
  } finally {
    store.dispose();
  }
}

/** Groups that the file names, with their members; a group of one step is none of another's. */
function givenGroups({ trajectories }: ReadAll): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { group } of trajectories) if (group !== null) counts.set(group, (counts.get(group) ?? 0) + 1);
  return counts;
}

/** Positions and lines differ in a damaged file; all else must be as it was. */
function content(trajectory: ReadAll["trajectories"][number]): unknown {
  const { group, ...rest } = trajectory;
  return { ...rest, line: 0, group: group !== null && /^line | · \d+$/.test(group) ? null : group };
}

/** Trajectories that no original has, on lines of which nothing odd is said. */
function wrong(read: ReadAll, wholes: readonly (ReadAll | null)[]): readonly unknown[] {
  // Told of the file as a whole, or of what all its records share.
  if (read.problems.some(({ line, message }) => line === 1 && /^The file holds|header\.json/.test(message)))
    return [];
  const known = wholes.flatMap((whole) => whole?.trajectories.map(content) ?? []);
  const lines = new Set(read.problems.map((problem) => problem.line));
  return read.trajectories.filter(
    (one) => !lines.has(one.line) && !known.some((other) => isDeepStrictEqual(content(one), other)),
  );
}

type Kind = "cut" | "flip" | "files" | "lines" | "torn" | "named" | "nul";
const KINDS: readonly Kind[] = ["cut", "flip", "files", "lines", "torn", "named", "nul"];
const NAMES = ["x.jsonl", "x.json", "x.parquet", "x.eval", "x.db", "x.yaml", "x.gz", "x.traj", "x"];

function mutated(kind: Kind, base: Base, other: Base, random: () => number): [string, Uint8Array] {
  switch (kind) {
    case "cut":
      return [base.name, cut(base.bytes, random)];
    case "flip":
      return [base.name, flipBits(base.bytes, random)];
    case "files":
      return [base.name, joinedBytes(base.bytes, other.bytes)];
    case "lines":
      return [base.name, glueLines(base.bytes, random)];
    case "torn":
      return [
        base.name,
        new Uint8Array(Buffer.from(tearLines(Buffer.from(base.bytes).toString("latin1"), random), "latin1")),
      ];
    case "named":
      return [join(dirname(base.name), NAMES[below(random, NAMES.length)] ?? "x"), base.bytes];
    case "nul": {
      const at = below(random, base.bytes.length);
      const zeros = new Uint8Array(1 + below(random, 4096));
      return [base.name, joinedBytes(base.bytes.subarray(0, at), zeros, base.bytes.subarray(at))];
    }
  }
}

/**
 * Whether what is shown must have been in the whole file. Flipped bits inside a text can't be told, except where a
 * checksum stands beside it (ZIP, gzip): then it must be what the bytes say now (`oracle.ts`). Parquet has one only where
 * its writer put it there, and a Parquet or SQLite file is no text that breaks off visibly. Another name may make a file
 * of two forms another's: that isn't damage.
 */
function isComparable(kind: Kind, { name, whole }: Base): boolean {
  if (whole === null || kind === "named") return false;
  if (kind === "flip") return /\.(eval|gz)$/.test(name);
  return formOf(whole.form)?.whole !== true;
}

it(`reads ${COUNT} damaged files: what is shown was there, or its line has a problem`, async () => {
  const random = seeded(20_260_105);
  const faults: string[] = [];
  let compared = 0;
  let said = 0;
  const before = held();
  for (let n = 0; n < COUNT; n++) {
    const base = bases[n % bases.length];
    // Lines of several frameworks in one file are a matter of their own (mixed.test.ts), so glued files are of one.
    const alike = bases.filter(({ whole }) => whole === null || whole.form === base?.whole?.form);
    const other = alike[below(random, alike.length)];
    const kind = KINDS[below(random, KINDS.length)];
    if (!base || !other || !kind) throw new Error("there are no fixtures");
    const [name, bytes] = mutated(kind, base, other, random);
    const path = await put(name, bytes);
    const what = `${n}: ${kind} ${base.name} (${other.name})`;
    try {
      const read = await outcomeOf(() => readAll(path));
      if (n % 4 === 0) await throughStore(path, read);
      const says = sayingsOf(bytes);
      if (read && says) {
        said += read.trajectories.length;
        const [unheard, wordless] = [unsaid(read, says), silent(read, says)];
        if (unheard.length > 0)
          faults.push(`${what}, as ${read.form}: not in the file: ${unheard.join(" | ")}`);
        if (wordless.length > 0)
          faults.push(`${what}, as ${read.form}: no word of lines ${wordless.join(", ")}`);
      }
      if (!read || !isComparable(kind, base)) continue;
      compared += read.trajectories.length;
      const wholes = [base.whole];
      if (kind === "files") {
        const path = await put(base.name, other.bytes);
        wholes.push(other.whole, await outcomeOf(() => readAll(path)));
      }
      const odd = wrong(read, wholes);
      if (odd.length > 0)
        faults.push(`${what}: ${odd.length} as ${read.form}: ${JSON.stringify(odd[0]).slice(0, 1500)}`);
    } catch (error) {
      faults.push(`${what}: ${String(error)}`);
    }
  }
  expect(faults).toEqual([]);
  expect(compared).toBeGreaterThan(COUNT);
  expect(said).toBeGreaterThan(COUNT);
  expect(held() - before).toBeLessThan(MOST_LEFT);
});

describe("files made to do harm", () => {
  const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));
  const row = '{"input":"a","output":"b","score":1,"step":1}\n';
  const log = (): Promise<Uint8Array> => bytesOf(INSPECT);
  const footer = async (change: (view: DataView) => void): Promise<Uint8Array> => {
    const bytes = await bytesOf(`${SAMPLES}/all.none.parquet`);
    change(new DataView(bytes.buffer));
    return bytes;
  };
  it.each<readonly [string, string, () => Promise<Uint8Array> | Uint8Array]>([
    ["lists 10,000 deep", "x.json", () => text(nested(10_000, false))],
    ["objects 10,000 deep", "x.json", () => text(nested(10_000, true))],
    ["a line 10,000 deep among others", "x.jsonl", () => text(`${row}${nested(10_000, true)}\n${row}`)],
    [
      "a text of JSON 10,000 deep",
      "x.jsonl",
      () =>
        text(`${JSON.stringify({ input: nested(10_000, true), output: nested(10_000, false), score: 1 })}\n`),
    ],
    ["open brackets without end", "x.jsonl", () => text(`${row}${'{"a":['.repeat(200_000)}\n${row}`)],
    ["an open list of 10,000 in YAML", "x.yaml", () => text(`messages: ${"[".repeat(10_000)}`)],
    [
      "YAML 10,000 deep by its indent",
      "x.yaml",
      () => text(Array.from({ length: 3000 }, (_, n) => `${" ".repeat(n)}a:\n`).join("")),
    ],
    ["billion laughs", "x.yaml", () => text(laughs())],
    [
      "billion laughs in items",
      "x.yaml",
      () => text(`- &a [1,2]\n- messages: *a\n${laughs().replace(/^/gm, "  ")}`),
    ],
    [
      "a large YAML map",
      "x.yaml",
      () => text(`messages:\n${"  - {role: user, content: hello there}\n".repeat(700_000)}`),
    ],
    ["a zip bomb", "log.eval", () => zipBomb(30_000_000)],
    ["a zip bomb that lies", "log.eval", () => lyingZip(zipBomb(30_000_000), 24, -29_999_900)],
    ["a zip with a size too small", "log.eval", async () => lyingZip(inspectZip(await log(), 6), 24, -5)],
    [
      "a zip with a size too large",
      "log.eval",
      async () => lyingZip(inspectZip(await log(), 6), 24, 3_000_000_000),
    ],
    [
      "a zip with a packed size too large",
      "log.eval",
      async () => lyingZip(inspectZip(await log(), 6), 20, 3_000_000_000),
    ],
    ["a zip with places elsewhere", "log.eval", async () => lyingZip(inspectZip(await log(), 6), 42, 77)],
    ["a gzip bomb", "x.jsonl.gz", () => gzipBomb(11)],
    [
      "a Parquet footer that claims 4 GB",
      "x.parquet",
      () => footer((view) => view.setUint32(view.byteLength - 8, 0xffffffff, true)),
    ],
    [
      "a Parquet footer that claims the whole file",
      "x.parquet",
      () => footer((view) => view.setUint32(view.byteLength - 8, view.byteLength - 8, true)),
    ],
    [
      "a Parquet footer that claims nothing",
      "x.parquet",
      () => footer((view) => view.setUint32(view.byteLength - 8, 0, true)),
    ],
    [
      "Parquet pages of lying sizes",
      "x.parquet",
      () => footer((view) => [4, 5, 6, 7, 8, 9].forEach((at) => view.setUint8(at, 0xfe))),
    ],
    ["NUL bytes alone", "x.jsonl", () => new Uint8Array(100_000)],
    ["NUL bytes behind a record", "x.jsonl", () => joinedBytes(text(row), new Uint8Array(100_000))],
    ["UTF-16 that is cut in a character", "x.jsonl", () => utf16(row.repeat(20), false).slice(0, 501)],
    ["half surrogates", "x.jsonl", () => text(row.replace("a", "\\ud800"))],
    [
      "a SQLite header alone",
      "x.db",
      async () => (await bytesOf(`${FIXTURES}/containers/rows.db`)).slice(0, 100),
    ],
  ])("%s", async (_, name, make) => {
    const path = await put(name, await make());
    const read = await outcomeOf(() => readAll(path));
    if (read && read.trajectories.length === 0) expect(read.problems.length).toBeGreaterThan(0);
    // What is refused at once is refused by the store in the same words.
    if (read) await throughStore(path, read);
  });

  it("Parquet footers with any byte changed", async () => {
    const random = seeded(7);
    const bytes = await bytesOf(`${SAMPLES}/all.snappy.parquet`);
    const length = new DataView(bytes.buffer).getUint32(bytes.length - 8, true);
    for (let n = 0; n < 150; n++) {
      const damaged = bytes.slice();
      damaged[bytes.length - 8 - 1 - below(random, length)] = below(random, 256);
      const path = await put("x.parquet", damaged);
      await outcomeOf(() => readAll(path));
    }
  });

  it("Parquet that lies about its rows and values: those it has, or a problem", async () => {
    const faults: string[] = [];
    let files = 0;
    for (const name of ["all.none", "v2"]) {
      const bytes = await bytesOf(`${SAMPLES}/${name}.parquet`);
      const whole = await readAll(await put("x.parquet", bytes));
      const rows = whole.trajectories.map(content);
      for (const damaged of lyingParquets(bytes)) {
        files++;
        const path = await put("x.parquet", damaged);
        const read = await outcomeOf(() => readAll(path));
        if (!read || read.problems.length > 0) continue;
        if (!isDeepStrictEqual(read.trajectories.map(content), rows))
          faults.push(`${name}, ${files}: ${read.trajectories.length} of ${rows.length} rows`);
      }
    }
    expect(files).toBeGreaterThan(60);
    expect(faults).toEqual([]);
  });

  it("SQLite pages with any byte changed", async () => {
    const random = seeded(8);
    const bytes = await bytesOf(`${FIXTURES}/containers/rows.db`);
    for (let n = 0; n < 60; n++) {
      const damaged = bytes.slice();
      for (let left = 0; left < 20; left++) {
        const page = below(random, bytes.length >> 12) << 12;
        damaged[page + below(random, n % 2 === 0 ? 120 : 4096)] = below(random, 256);
      }
      const path = await put("x.db", damaged);
      await outcomeOf(() => readAll(path));
    }
  });
});

it("a line of 100 MB: it goes on, it stops at once, and memory stays bounded", async () => {
  const path = await put("x.jsonl", '{"input":"a","output":"');
  const part = "word ".repeat(200_000);
  for (let n = 0; n < 100; n++) await appendFile(path, part);
  await appendFile(path, '","score":1,"step":1}\n{"input":"a","output":"b","score":0,"step":1}\n');
  const access = await openFileAccess(path);
  try {
    await outcomeOf(async () => {
      const { records } = await openTrajectories(access);
      const reached = new Set<number>();
      let found = 0;
      for await (const batch of records.scan({ from: START, last: true })) {
        reached.add(batch.reached ?? batch.position.bytes);
        found += batch.records.length;
      }
      expect(found).toBe(2);
      expect(reached.size).toBeGreaterThan(50);
      expect([...reached]).toEqual([...reached].sort((a, b) => a - b));
    });
    for (const after of [10, 100, 400]) {
      const stop = new AbortController();
      const answer = openTrajectories(access, FILE_LIMITS, stop.signal).then(async ({ records }) => {
        for await (const batch of records.scan({ from: START, last: true, signal: stop.signal }))
          if (batch.records.length > 1) break;
      });
      const settled = answer.catch(() => undefined);
      await delay(after);
      const stopped = performance.now();
      stop.abort();
      await settled;
      expect(performance.now() - stopped).toBeLessThan(200);
    }
  } finally {
    await access.close();
    await rm(path);
  }
});
