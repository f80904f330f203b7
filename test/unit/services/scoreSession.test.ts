import { beforeEach, describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import type { FileStore, Hasher } from "../../../src/core/ports";
import type { FileScores } from "../../../src/schema/live";
import { DEFAULT_SETTINGS, type EngineSettings } from "../../../src/schema/settings";
import { DEFAULT_TRAINER } from "../../../src/services/composition";
import { Documents } from "../../../src/services/documents";
import type { ScoringPorts } from "../../../src/services/ports";
import { SampleSets } from "../../../src/services/sampleSets";
import { ScoreSession } from "../../../src/services/scoreSession";
import { ScriptedWorker, type Script } from "./scriptedWorker";

const PATH = "/w/reward.py";
const TEXT = "def f_reward(completions, **kwargs):\n    return [1.0] * len(completions)\n";

class MemoryFiles implements FileStore {
  readonly texts = new Map<string, string>();
  read(path: string): Promise<Uint8Array> {
    const text = this.texts.get(path);
    if (text === undefined) return Promise.reject(new RewardsmithError("FileMissing", path));
    return Promise.resolve(new TextEncoder().encode(text));
  }
  stat(path: string) {
    const text = this.texts.get(path);
    return Promise.resolve(text === undefined ? null : { bytes: text.length, mtimeMs: 0, directory: false });
  }
  list() {
    return Promise.resolve([]);
  }
  head() {
    return Promise.resolve(null);
  }
}

const hasher: Hasher = { hash: (parts) => JSON.stringify(parts.map(String)) };

let files: MemoryFiles;
let worker: ScriptedWorker;
let documents: Documents;
let session: ScoreSession;
let seen: FileScores[];
let seq: number;

async function start(script: Script, rows = 4, more: Partial<EngineSettings> = {}): Promise<void> {
  files = new MemoryFiles();
  files.texts.set(PATH, TEXT);
  files.texts.set(
    "/w/s.jsonl",
    Array.from({ length: rows }, (_, i) =>
      JSON.stringify({ prompt: `p${i >> 1}`, completion: `c${i}` }),
    ).join("\n"),
  );
  worker = new ScriptedWorker(script);
  documents = new Documents(files);
  const ports: ScoringPorts = {
    worker,
    files,
    hasher,
    clock: {
      now: () => performance.now(),
      delay: (_, signal) =>
        new Promise((done, fail) => setTimeout(() => (signal?.aborted ? fail(new Error()) : done()), 1)),
    },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: (text) => problems.push(text) },
    documents,
    imports: () => Promise.resolve({ roots: ["/w"], module: "reward" }),
    soon: (run) => void setTimeout(run, 0),
  };
  seen = [];
  seq = 0;
  session = new ScoreSession(ports, {
    path: PATH,
    table: await new SampleSets(files, hasher).open(["/w/s.jsonl"], null),
    overrides: new Map(),
    allow: {},
    live: true,
    trusted: true,
    settings: { ...DEFAULT_SETTINGS, previews: false, batch: 2, ...more },
    trainer: DEFAULT_TRAINER,
    nextSeq: () => ++seq,
  });
  documents.onDidChange(({ path, saved }) => session.documentChanged(path, saved));
  session.onDidChange((scores) => seen.push(scores));
  await session.start();
}
const problems: string[] = [];
beforeEach(() => problems.splice(0));

async function until(fits: (scores: FileScores) => boolean): Promise<FileScores> {
  for (let i = 0; i < 400; i++) {
    const found = seen.find(fits);
    if (found) return found;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error(
    `came: ${JSON.stringify(seen.map(({ docVersion, status, functions }) => [docVersion, status, functions.map((f) => [f.status, f.n, f.estimate?.mean])]))} ${problems.join()}`,
  );
}
const fresh = (version: number) => (s: FileScores) => s.docVersion === version && s.status === "fresh";
const type = (version: number, text: string, saved = false): void =>
  documents.set(PATH, { version, text, saved });

/** The score is the number of line breaks in the text that the pass was given: a stale pass would show another one. */
const byText: Script = {
  functions: {
    f_reward: (rows, job) =>
      rows.map(() => (job.overlays[PATH] ?? files.texts.get(PATH) ?? "").split("\n").length),
  },
};

describe("a session", () => {
  it("scores the file on disk, then each text that is typed", async () => {
    await start(byText);
    expect((await until(fresh(-1))).functions[0]?.estimate?.mean).toBe(3);
    type(1, `${TEXT}\n`);
    expect((await until(fresh(1))).functions[0]?.estimate?.mean).toBe(4);
  });

  it("changes that come together are one pass", async () => {
    await start(byText);
    await until(fresh(-1));
    const before = worker.jobs.length;
    for (let v = 1; v <= 5; v++) type(v, `${TEXT}${"\n".repeat(v)}`);
    const now = await until(fresh(5));
    expect(now.functions[0]?.estimate?.mean).toBe(8);
    expect(worker.jobs.slice(before).filter((job) => job.overlays[PATH]?.includes("def")).length).toBe(1);
  });

  it("a newer edit ends the older pass; its numbers are never shown", async () => {
    let release: () => void = () => undefined;
    await start({
      ...byText,
      gate: (job) =>
        job.overlays[PATH]?.endsWith("# slow\n") ? new Promise<void>((done) => (release = done)) : undefined,
    });
    await until(fresh(-1));
    type(1, `${TEXT}# slow\n`);
    while (worker.running === 0) await new Promise((done) => setTimeout(done, 1));
    type(2, `${TEXT}\n\n\n`);
    const now = await until(fresh(2));
    release();
    expect(now.functions[0]?.estimate?.mean).toBe(6);
    expect(worker.ended.some((end) => end.reason === "cancelled")).toBe(true);
    expect(seen.some((s) => s.docVersion === 1 && s.status === "fresh")).toBe(false);
  });

  it("numbers every snapshot higher than the one before", async () => {
    await start(byText);
    await until(fresh(-1));
    for (let v = 1; v < 6; v++) {
      type(v, `${TEXT}${"\n".repeat(v)}`);
      await until(fresh(v));
    }
    const order = seen.map((s) => s.seq);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
  });

  it("an edit while the user's Score runs doesn't end it; what it gives counts as old, and a live pass follows", async () => {
    let release: () => void = () => undefined;
    await start({
      ...byText,
      gate: (job) => (job.guarded ? undefined : new Promise<void>((done) => (release = done))),
    });
    await until(fresh(-1));
    const asked = session.score();
    while (worker.running === 0) await new Promise((done) => setTimeout(done, 1));
    type(1, `${TEXT}\n\n`);
    for (let i = 0; i < 5; i++) {
      release();
      await new Promise((done) => setTimeout(done, 5));
    }
    const result = await asked;
    expect(result.status).not.toBe("fresh");
    expect(result.functions[0]?.status).toBe("old");
    expect((await until(fresh(1))).functions[0]?.estimate?.mean).toBe(5);
  });

  it("live passes are guarded and short, Score is not; Score takes every row", async () => {
    await start(byText, 40, { liveRows: 10 });
    await until((s) => s.functions[0]?.n === 10);
    await until((s) => s.functions[0]?.n === 40);
    expect(
      worker.jobs.every(
        (job) => job.guarded && job.limits.unitSeconds === DEFAULT_SETTINGS.liveTimeoutSeconds,
      ),
    ).toBe(true);
    const before = worker.jobs.length;
    await session.score();
    const [job] = worker.jobs.slice(before);
    expect(job).toMatchObject({ guarded: false, limits: { unitSeconds: DEFAULT_SETTINGS.timeoutSeconds } });
    expect(job?.batches.flat()).toHaveLength(40);
  });

  it("what failed to load keeps the old numbers and their places", async () => {
    await start({
      ...byText,
      load: (job) => (job.overlays[PATH]?.includes("(((") ? { kind: "syntax", line: 4 } : null),
    });
    await until(fresh(-1));
    type(1, `# one\n# two\n${TEXT}(((\n`);
    const old = await until((s) => s.error !== null);
    expect(old).toMatchObject({
      status: "old",
      docVersion: 1,
      error: { code: "SyntaxError", line: 4 },
      versionHash: null,
    });
    expect(old.functions[0]).toMatchObject({ status: "old", line: 2, n: 4, estimate: { mean: 3 } });
    expect(session.rows("f_reward", 0, 10, null).rows.map((row) => row.value)).toEqual([3, 3, 3, 3]);
  });

  it("saving the text that was scored runs nothing anew and makes it the baseline", async () => {
    await start(byText);
    await until((s) => s.functions[0]?.baseline !== null && s.status === "fresh");
    type(1, `${TEXT}\n`);
    const flipped = await until((s) => s.docVersion === 1 && s.functions[0]?.flips !== null);
    expect(flipped.functions[0]?.flips).toMatchObject({ up: 4, down: 0 });
    const before = worker.jobs.length;
    files.texts.set(PATH, `${TEXT}\n`);
    seen.length = 0;
    type(1, `${TEXT}\n`, true);
    const saved = await until((s) => s.functions[0]?.flips?.up === 0);
    expect(saved.functions[0]?.flips).toEqual({ up: 0, down: 0, rows: [] });
    expect(worker.jobs.length).toBe(before);
  });

  it("a baseline is scored once, however often the text changes", async () => {
    await start(byText);
    await until((s) => s.functions[0]?.baseline !== null);
    const before = worker.jobs.length;
    for (let v = 1; v <= 4; v++) {
      type(v, `${TEXT}${"\n".repeat(v)}`);
      await until((s) => s.docVersion === v && s.functions[0]?.flips !== null);
    }
    expect(worker.jobs.length - before).toBe(4);
  });

  it("equal text gives an equal hash, another text another", async () => {
    await start(byText);
    const first = (await until(fresh(-1))).versionHash;
    type(1, `${TEXT}\n`);
    const second = (await until(fresh(1))).versionHash;
    type(2, TEXT);
    const third = (await until(fresh(2))).versionHash;
    expect(first).not.toBeNull();
    expect(second).not.toBe(first);
    expect(third).toBe(first);
  });

  it("a worker that can't be had is a state, not an exception", async () => {
    await start(byText);
    await until(fresh(-1));
    worker.ready = () => Promise.reject(new RewardsmithError("PythonMissing", "no /py"));
    type(1, `${TEXT}\n`);
    const blocked = await until((s) => s.blocked === "no-python");
    expect(blocked).toMatchObject({ status: "old", error: { code: "PythonMissing", message: "no /py" } });
  });

  it("a slow look at the disk never hides what was typed since", async () => {
    await start(byText);
    await until((s) => s.functions[0]?.baseline !== null);
    let answer: () => void = () => undefined;
    const slow = new Promise<void>((done) => (answer = done));
    const read = files.read.bind(files);
    files.read = async (path) => {
      await slow;
      return read(path);
    };
    await session.setBaseline("pin");
    session.pin(1);
    await new Promise((done) => setTimeout(done, 5));
    type(1, `${TEXT}\n`);
    await until(fresh(1));
    answer();
    await new Promise((done) => setTimeout(done, 20));
    expect(session.snapshot().docVersion).toBe(1);
    expect(session.snapshot().functions[0]?.estimate?.mean).toBe(4);
  });

  it("disposed, it says nothing more and runs nothing", async () => {
    await start(byText);
    await until(fresh(-1));
    session.dispose();
    const before = [seen.length, worker.jobs.length];
    type(1, `${TEXT}\n`);
    await new Promise((done) => setTimeout(done, 50));
    expect([seen.length, worker.jobs.length]).toEqual(before);
  });
});
