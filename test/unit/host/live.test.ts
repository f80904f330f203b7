import { beforeEach, describe, expect, test } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import { Emitter } from "../../../src/base/event";
import { Consents } from "../../../src/host/consent";
import { LiveFiles } from "../../../src/host/live";
import type { EngineClient, EngineLink } from "../../../src/host/process/link";
import type { FileScores } from "../../../src/schema/live";
import { fileScores } from "./snapshots";

const PATH = "/work/reward.py";
const consent = {
  files: ["/work/o.jsonl"],
  mapping: null,
  contracts: {},
  allow: {},
  live: true,
  pinned: null,
};

/** An engine that answers at once and notes what it was asked. */
class FakeEngine implements EngineLink {
  readonly calls: string[] = [];
  readonly starts = new Emitter<EngineClient>();
  readonly scores = new Emitter<FileScores>();
  readonly changes = new Emitter<"rewards" | "samples" | "interpreter">();
  readonly onDidStart = this.starts.event;
  readonly onDidEnd = new Emitter<RewardsmithError>().event;
  readonly onScores = this.scores.event;
  readonly onChanged = this.changes.event;
  readonly onFrame = new Emitter<{ view: string; message: unknown }>().event;
  samples: (files: string[]) => unknown = (files) => ({
    set: "s",
    files,
    rows: 200,
    mapping: {},
    columns: [],
  });
  #seq = 1;
  readonly running = new Proxy({} as EngineClient, {
    // Not a promise: whoever awaits it gets it as it is.
    get: (_, method: string) =>
      method === "then"
        ? undefined
        : (params: { path?: string; files?: string[] }) => {
            this.calls.push(method);
            if (method === "openSamples")
              return Promise.resolve().then(() => this.samples(params.files ?? []));
            if (method === "bind") return Promise.resolve(fileScores({ seq: this.#seq++ }));
            return Promise.resolve(null);
          },
  });
  client = (): Promise<EngineClient> => Promise.resolve(this.running);
}

let engine: FakeEngine;
let consents: Consents;
let around: { trusted: boolean; open: boolean };
let live: LiveFiles;

beforeEach(() => {
  engine = new FakeEngine();
  consents = new Consents({ keys: () => [], get: () => undefined, update: () => Promise.resolve() });
  around = { trusted: true, open: true };
  live = new LiveFiles(engine, consents, { isTrusted: () => around.trusted, isOpen: () => around.open });
});

describe("live scoring starts", () => {
  test("only with permission, in a trusted folder, for an open file", async () => {
    await live.ensure(PATH);
    expect(engine.calls).toEqual([]);
    await consents.set(PATH, consent);
    around.trusted = false;
    await live.ensure(PATH);
    around = Object.assign(around, { trusted: true, open: false });
    await live.ensure(PATH);
    expect(engine.calls).toEqual([]);
    around.open = true;
    await live.ensure(PATH);
    expect(engine.calls).toEqual(["openSamples", "bind"]);
    expect(live.scoresOf(PATH)?.functions).toHaveLength(1);
  });

  test("once, however often it is asked for", async () => {
    await consents.set(PATH, consent);
    await Promise.all([live.ensure(PATH), live.ensure(PATH), live.ensure(PATH)]);
    expect(engine.calls.filter((call) => call === "bind")).toHaveLength(1);
  });

  test("and pins the sample that was pinned", async () => {
    await consents.set(PATH, { ...consent, pinned: 5 });
    await live.ensure(PATH);
    expect(engine.calls).toEqual(["openSamples", "bind", "pin"]);
  });

  test("samples that are gone are a problem, which ends when they are back", async () => {
    await consents.set(PATH, consent);
    const there = engine.samples;
    engine.samples = () => {
      throw new RewardsmithError("FileMissing", "gone");
    };
    await live.ensure(PATH);
    expect(live.problemOf(PATH)?.code).toBe("FileMissing");
    expect(live.isBound(PATH)).toBe(false);
    engine.samples = there;
    await live.ensure(PATH);
    expect(live.problemOf(PATH)).toBeUndefined();
    expect(live.isBound(PATH)).toBe(true);
  });
});

describe("snapshots", () => {
  beforeEach(async () => {
    await consents.set(PATH, consent);
    await live.ensure(PATH);
  });

  test("an older one never replaces a newer one", () => {
    engine.scores.fire(fileScores({ seq: 9, docVersion: 20 }));
    engine.scores.fire(fileScores({ seq: 8, docVersion: 19 }));
    expect(live.scoresOf(PATH)?.docVersion).toBe(20);
  });

  test("when the engine starts again its sessions are made again, and the numbers meanwhile are from before", async () => {
    engine.scores.fire(fileScores({ seq: 40 }));
    engine.starts.fire(engine.running);
    expect(live.scoresOf(PATH)?.functions[0]?.status).toBe("old");
    await live.ensure(PATH);
    expect(engine.calls.filter((call) => call === "bind")).toHaveLength(2);
    expect(live.scoresOf(PATH)?.functions[0]?.status).toBe("fresh");
  });

  test("a file that is gone from disk is said to be, until it is back or forgotten", async () => {
    live.setMissing(PATH, true);
    expect(live.problemOf(PATH)).toMatchObject({ code: "FileMissing", detail: { path: PATH, open: true } });
    await live.rebind(PATH);
    expect(live.problemOf(PATH)?.code).toBe("FileMissing");
    live.setMissing(PATH, false);
    expect(live.problemOf(PATH)).toBeUndefined();
    live.setMissing("/other.py", true);
    expect(live.problemOf("/other.py")).toBeUndefined();
  });

  test("changed samples are read again", async () => {
    engine.changes.fire("samples");
    await live.ensure(PATH);
    expect(engine.calls).toEqual(["openSamples", "bind", "openSamples", "bind"]);
  });

  test("a closed file is forgotten, and a late result for it too", async () => {
    await live.unbind(PATH);
    expect(live.scoresOf(PATH)).toBeUndefined();
    expect(engine.calls.at(-1)).toBe("unbind");
    engine.scores.fire(fileScores({ seq: 99 }));
    expect(live.scoresOf(PATH)).toBeUndefined();
  });
});
