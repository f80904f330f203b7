import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RewardsmithError } from "../../../../src/base/errors";
import { Emitter } from "../../../../src/base/event";
import { EngineFrames } from "../../../../src/host/lab/engineFrames";
import type { EngineClient } from "../../../../src/host/process/link";

/** An engine that keeps what it is sent and answers only when told to. */
class FakeEngine {
  readonly starts = new Emitter<EngineClient>();
  readonly ends = new Emitter<RewardsmithError>();
  readonly frames = new Emitter<{ view: string; message: unknown }>();
  readonly onDidStart = this.starts.event;
  readonly onDidEnd = this.ends.event;
  readonly onFrame = this.frames.event;
  readonly calls: string[] = [];
  running: EngineClient | undefined;
  refuses: RewardsmithError | null = null;
  #waiting: ((client: EngineClient) => void)[] = [];

  client(): Promise<EngineClient> {
    if (this.refuses) return Promise.reject(this.refuses);
    if (this.running) return Promise.resolve(this.running);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  start(): void {
    const heard = (call: string) => (params: unknown) => {
      const { id, k } = (params as { message?: { id: number; k: string } }).message ?? {};
      this.calls.push(id === undefined ? call : `${call} ${k === "req" ? "" : `${String(k)} `}${id}`);
      return Promise.resolve(null);
    };
    const client = { openView: heard("open"), closeView: heard("close"), frame: heard("frame") };
    this.running = client as unknown as EngineClient;
    this.starts.fire(this.running);
    for (const resolve of this.#waiting.splice(0)) resolve(this.running);
  }

  end(): void {
    this.running = undefined;
    this.ends.fire(new RewardsmithError("Disposed", "the engine ended (SIGKILL)"));
  }
}

const ask = (id: number) => ({ c: "labData", v: 1, k: "req", id, m: "page", p: {} });
const answer = (id: number) => ({ c: "labData", v: 1, k: "res", id, r: {} });
const turn = () => new Promise((resolve) => setTimeout(resolve));

let engine: FakeEngine;
let frames: EngineFrames;
let posted: unknown[];
beforeEach(() => {
  engine = new FakeEngine();
  posted = [];
  frames = new EngineFrames({
    engine,
    view: "v",
    path: "/w/reward.py",
    post: (message) => posted.push(message),
    report: () => undefined,
  });
});
afterEach(() => frames.dispose());

describe("a view's frames", () => {
  test("questions that come while the engine starts share one opening: a second one would forget the first's", async () => {
    const sent = [1, 2, 3].map((id) => frames.send(ask(id)));
    engine.start();
    await Promise.all(sent);
    expect(engine.calls).toEqual(["open", "frame 1", "frame 2", "frame 3"]);
  });

  test("each open question ends with an error when the engine ends; one that was answered or given up doesn't", async () => {
    engine.start();
    await Promise.all([1, 2, 3, 4].map((id) => frames.send(ask(id))));
    engine.frames.fire({ view: "v", message: answer(2) });
    engine.frames.fire({ view: "other", message: answer(1) });
    await frames.send({ c: "labData", v: 1, k: "cancel", id: 3 });
    engine.end();
    expect(posted).toEqual([
      answer(2),
      expect.objectContaining({ c: "labData", k: "err", id: 1, code: "Disposed" }),
      expect.objectContaining({ c: "labData", k: "err", id: 4, code: "Disposed" }),
    ]);
  });

  test("the next engine is told of the view before anything is asked", async () => {
    engine.start();
    await frames.send(ask(1));
    engine.end();
    engine.calls.length = 0;
    engine.start();
    await frames.send(ask(2));
    expect(engine.calls).toEqual(["open", "frame 2"]);
  });

  test("where no engine starts, the question ends with the reason", async () => {
    engine.refuses = new RewardsmithError("TimedOut", "initialize: no answer");
    await frames.send(ask(1));
    expect(posted).toEqual([expect.objectContaining({ k: "err", id: 1, code: "TimedOut" })]);
  });

  test("a question that was given up while the engine started isn't asked", async () => {
    const sent = [frames.send(ask(1)), frames.send(ask(2))];
    void frames.send({ c: "labData", v: 1, k: "cancel", id: 1 });
    engine.start();
    await Promise.all(sent);
    await turn();
    expect(engine.calls).not.toContain("frame 1");
    expect(engine.calls).toContain("frame 2");
  });
});
