import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MODES, job, marked, run, samples, start, until, write, type Bench } from "./harness";

const LENGTHS = `
def reward(completions, **kwargs):
    return [float(len(c)) for c in completions]
`;

const ROWS = ["a", "bb", "ccc", "dddd"];
const ALL = [
  [0, 1],
  [2, 3],
];

async function withReward(
  mode: (typeof MODES)[number],
  source: string,
  rows: unknown[] = ROWS,
): Promise<Bench & { path: string }> {
  const bench = start(mode);
  const path = write(join(bench.root, "reward.py"), source);
  await samples(bench.worker, rows);
  return { ...bench, path };
}

describe.each(MODES)("jobs in %s mode", (mode) => {
  it("says hello: what the interpreter is, and which mode is in use", async () => {
    const { worker } = start(mode, { packages: ["pip", "no-such-distribution"] });
    expect(worker.mode).toBe("none");
    const ready = await worker.ready();
    expect(ready.python.version[0]).toBe(3);
    expect(ready.python.version[1]).toBeGreaterThanOrEqual(9);
    expect(ready.packages["no-such-distribution"]).toBeNull();
    expect(worker.mode).toBe(mode);
    expect(await worker.ready()).toEqual(ready);
  });

  it("runs a job: loaded, units in order, end", async () => {
    const { worker, path } = await withReward(mode, LENGTHS);
    const { frames, units, values, end, loaded } = await run(worker, job(path, ["reward", "reward"], ALL));
    expect(frames.map(({ t }) => t)).toEqual(["loaded", "unit", "unit", "unit", "unit"]);
    expect(units.map(({ fn, batch }) => [fn, batch])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(values).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
    expect(loaded?.functions[0]).toMatchObject({ name: "reward", found: true, callable: true, line: 2 });
    expect(end).toMatchObject({ reason: "done", killed: 0 });
  });

  it("loads reward and helpers anew for each job, unsaved text before the disk", async () => {
    const { worker, root, path } = await withReward(
      mode,
      "import helper\ndef reward(completions, **kwargs):\n    return [helper.X] * len(completions)\n",
    );
    const helper = write(join(root, "helper.py"), "X = 1.0\n");
    expect((await run(worker, job(path, ["reward"], [[0]]))).values).toEqual([1]);
    write(helper, "X = 2.0\n");
    expect((await run(worker, job(path, ["reward"], [[0]]))).values).toEqual([2]);
    const overlays = { [helper]: "X = 3.0  # \ud835 unsaved\n".replace("\ud835", "é") };
    expect((await run(worker, job(path, ["reward"], [[0]], { overlays }))).values).toEqual([3]);
  });

  it("takes half characters to Python and back", async () => {
    const source = `
def reward(completions, **kwargs):
    if any("\\ud835" in c and not c.startswith("half") for c in completions):
        raise ValueError("got " + completions[0])
    return [float(ord(c[-1])) for c in completions]
`;
    const rows = ["half \ud835", "whole \ud835\udc00", "café 東京 😀", "\ud835 raises"];
    const { worker, path } = await withReward(mode, source, rows);
    const { values, units, end } = await run(worker, job(path, ["reward"], [[0], [1], [2], [3]]));
    expect(values).toEqual([0xd835, 0x1d400, 0x1f600, null]);
    expect(units[3]?.failed).toMatchObject({ code: "exception", type: "ValueError" });
    expect(units[3]?.failed?.text).toContain("got \ud835 raises");
    expect(end.reason).toBe("done");
  });

  it("knows every set that was loaded, drops the dropped, and loads an equal set once", async () => {
    const { worker, path } = await withReward(mode, LENGTHS);
    await samples(worker, ["xxxxx"], {}, "other");
    await worker.load("other", () => expect.fail("the set is known"));
    expect((await run(worker, job(path, ["reward"], [[0]], { set: "other" }))).values).toEqual([5]);
    worker.drop("other");
    const { end } = await run(worker, job(path, ["reward"], [[0]], { set: "other" }));
    expect(end.reason).toBe("exit");
    await samples(worker, ["xxxxxx"], {}, "other");
    expect((await run(worker, job(path, ["reward"], [[0]], { set: "other" }))).values).toEqual([6]);
  });

  it("takes large sets in parts while jobs wait behind them", async () => {
    const { worker, path } = await withReward(mode, LENGTHS);
    function* parts(): Generator<string> {
      for (let from = 0; from < 20_000; from += 1000)
        yield JSON.stringify({
          set: "big",
          from,
          count: 1000,
          total: 20_000,
          prompt: null,
          completion: new Array(1000).fill("x".repeat(500)),
          completionIds: null,
          columns: {},
        });
    }
    await worker.ready();
    void worker.load("big", parts);
    const { values, end } = await run(worker, job(path, ["reward"], [[0, 19_999]], { set: "big" }));
    expect(values).toEqual([500, 500]);
    expect(end.reason).toBe("done");
  });

  it("runs jobs one after another; a cancelled one leaves the queue at once", async () => {
    const slow = `import time\ndef reward(completions, **kwargs):\n    time.sleep(0.6)\n    return [1.0] * len(completions)\n`;
    const { worker, path } = await withReward(mode, slow);
    await worker.ready();
    const order: string[] = [];
    const first = run(worker, job(path, ["reward"], [[0]])).then((ran) => (order.push("first"), ran));
    const controller = new AbortController();
    const second = run(worker, job(path, ["reward"], [[0]]), controller.signal).then(
      (ran) => (order.push("second"), ran),
    );
    const third = run(worker, job(path, ["reward"], [[0]])).then((ran) => (order.push("third"), ran));
    controller.abort();
    expect((await second).end.reason).toBe("cancelled");
    expect((await first).end.reason).toBe("done");
    expect((await third).end.reason).toBe("done");
    expect(order).toEqual(["second", "first", "third"]);
    const late = await run(worker, job(path, ["reward"], [[0]]), AbortSignal.abort());
    expect(late.end.reason).toBe("cancelled");
    expect(late.frames).toEqual([]);
  });

  it("ends a job that is cancelled, and runs the next", async () => {
    const { worker, path } = await withReward(
      mode,
      "def reward(completions, **kwargs):\n    while completions[0] == 'a':\n        pass\n    return [1.0]\n",
    );
    const controller = new AbortController();
    let cancelledAt = 0;
    const { end } = await run(worker, job(path, ["reward"], [[0]]), controller.signal, (frame) => {
      if (frame.t !== "loaded") return;
      cancelledAt = performance.now();
      controller.abort();
    });
    expect(end.reason).toBe("cancelled");
    expect(performance.now() - cancelledAt).toBeLessThan(1500);
    expect((await run(worker, job(path, ["reward"], [[1]]))).values).toEqual([1]);
  });

  it("ends a call at its limit and names the line where it stood", async () => {
    const source = `
def helper():
    while True:
        pass

def reward(completions, **kwargs):
    if completions[0] == "bb":
        helper()
    return [1.0]
`;
    const { worker, path } = await withReward(mode, source);
    const { end, values, ms } = await run(
      worker,
      job(path, ["reward"], [[0], [1], [2]], { limits: { unitSeconds: 1 } }),
    );
    expect(values).toEqual([1]);
    expect(end).toMatchObject({ reason: "unit-timeout" });
    expect([3, 4]).toContain(end.hangLine);
    expect(["while True:", "pass"]).toContain(end.hangText);
    expect(ms).toBeLessThan(8000);
  });

  it("ends a call that hangs inside the regular expression engine, which lets nothing else run", async () => {
    const source = `import re\ndef reward(completions, **kwargs):\n    re.match(r"(a+)+$", "a" * 64 + "b")\n    return [1.0]\n`;
    const { worker, path } = await withReward(mode, source);
    const { end, ms } = await run(worker, job(path, ["reward"], [[0]], { limits: { unitSeconds: 1 } }));
    expect(end).toMatchObject({ reason: "unit-timeout", hangLine: 3 });
    expect(end.hangText).toContain("re.match");
    expect(ms).toBeLessThan(8000);
  });

  it("gives each call its own time", async () => {
    const { worker, path } = await withReward(
      mode,
      "import time\ndef reward(completions, **kwargs):\n    time.sleep(0.5)\n    return [1.0]\n",
    );
    const { end, values } = await run(
      worker,
      job(path, ["reward"], [[0], [1], [2], [3]], { limits: { unitSeconds: 1.5 } }),
    );
    expect(end.reason).toBe("done");
    expect(values).toHaveLength(4);
  });

  it("ends a module that never finishes loading", async () => {
    const { worker, path } = await withReward(mode, "while True:\n    pass\n");
    const { end, frames } = await run(worker, job(path, ["reward"], [[0]], { limits: { loadSeconds: 1 } }));
    expect(end.reason).toBe("load-timeout");
    expect(frames).toEqual([]);
  });

  it("says why a module didn't load", async () => {
    const { worker, path } = await withReward(mode, "def reward(:\n");
    const { end, frames } = await run(worker, job(path, ["reward"], [[0]]));
    expect(end.reason).toBe("load-failed");
    expect(frames[0]).toMatchObject({ t: "loadFailed", kind: "syntax", path, line: 1 });
  });

  it("ends a call that fills memory", async () => {
    const source = `
def reward(completions, **kwargs):
    hoard = []
    while True:
        hoard.append(bytearray(8 << 20))
`;
    const { worker, path } = await withReward(mode, source);
    const { end } = await run(
      worker,
      job(path, ["reward"], [[0]], { limits: { memoryMb: 400, unitSeconds: 20 } }),
    );
    expect(end.reason).toBe("memory");
    expect(end.peakMb).toBeGreaterThan(400);
  });

  it.each([
    ["os._exit(0)", { reason: "exit", exitCode: 0, signal: null }],
    ["os._exit(7)", { reason: "exit", exitCode: 7, signal: null }],
    ["os.kill(os.getpid(), signal.SIGKILL)", { reason: "signal", signal: "SIGKILL" }],
    ["os.killpg(os.getpgrp(), signal.SIGKILL)", { reason: "signal", signal: "SIGKILL" }],
    ["ctypes.string_at(0)", { reason: "signal", signal: "SIGSEGV", hangLine: 5 }],
  ])("tells how the process ended: %s", async (statement, expected) => {
    const source = `import ctypes, os, signal, sys
def reward(completions, **kwargs):
    print("before the end", flush=True)
    if completions[0] == "bb":
        ${statement}
    return [1.0]
`;
    const { worker, path } = await withReward(mode, source);
    const { end, values } = await run(worker, job(path, ["reward"], [[0], [1], [2]]));
    expect(values).toEqual([1]);
    expect(end).toMatchObject(expected);
    // A spare process reads its own output in a thread: the last words before os._exit or SIGKILL may go with it.
    if (mode === "fork") expect(end.output).toBe("before the end\n");
    expect((await run(worker, job(path, ["reward"], [[0]]))).end.reason).toBe("done");
  });

  it("bounds what is printed, and counts it", async () => {
    const source = `
import sys
def reward(completions, **kwargs):
    for _ in range(50):
        sys.stdout.write("x" * (1 << 20))
    return [1.0] * len(completions)
`;
    const { worker, path } = await withReward(mode, source);
    const { end, units } = await run(
      worker,
      job(path, ["reward"], [[0], [1]], { limits: { unitSeconds: 20 } }),
    );
    expect(end.reason).toBe("done");
    for (const unit of units) {
      expect(unit.outputBytes).toBe(50 << 20);
      expect(unit.output?.length).toBeLessThanOrEqual(20_000);
      expect(unit.output?.length).toBeGreaterThan(1000);
    }
  });

  it("keeps its frames apart from garbage on every descriptor", async () => {
    const source = `
import os
def reward(completions, **kwargs):
    for name in os.listdir("/proc/self/fd" if os.path.exists("/proc/self/fd") else "/dev/fd"):
        for text in (b"garbage without end", b"\\n{\\"t\\":\\"end\\",\\"job\\":1}\\n", b"\\n0123 {\\"t\\":\\"end\\"}\\n", b"\\xff\\x00\\xfe"):
            try:
                os.write(int(name), text)
            except OSError:
                pass
    return [1.0] * len(completions)
`;
    const { worker, path } = await withReward(mode, source);
    const { end, values } = await run(worker, job(path, ["reward"], [[0], [1], [2, 3]]));
    expect(end.reason).toBe("done");
    expect(values).toEqual([1, 1, 1, 1]);
  });

  it("leaves nothing of a reward that starts children and ignores the polite signal", async () => {
    const source = `
import signal, subprocess, sys, time
def reward(completions, **kwargs):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"], start_new_session=True)
    if completions[0] == "a":
        time.sleep(900)
    return [1.0] * len(completions)
`;
    const { worker, path } = await withReward(mode, source);
    const sleeping = (): string[] => marked(worker.marker).filter((line) => line.includes("time.sleep(900)"));
    const controller = new AbortController();
    const cancelled = run(
      worker,
      job(path, ["reward"], [[0]], { limits: { unitSeconds: 60 } }),
      controller.signal,
    );
    await until("both children run", () => sleeping().length === 2);
    controller.abort();
    const { end } = await cancelled;
    expect(end.reason).toBe("cancelled");
    expect(sleeping()).toEqual([]);
    expect(end.killed).toBeGreaterThanOrEqual(1);

    const scored = await run(worker, job(path, ["reward"], [[1]]));
    expect(scored.end.reason).toBe("done");
    expect(scored.end.killed).toBe(2);
    expect(sleeping()).toEqual([]);
  });

  it("runs a batch's second call, and announces each unit when asked to", async () => {
    const source = `N = 0\ndef reward(completions, **kwargs):\n    global N\n    N += 1\n    return [float(N)] * len(completions)\n`;
    const { worker, path } = await withReward(mode, source);
    const { frames, units } = await run(
      worker,
      job(path, ["reward"], [[0], [1]], { calls: 2, isolated: true }),
    );
    expect(frames.map(({ t }) => t)).toEqual(["loaded", "start", "unit", "start", "unit"]);
    expect(units[0]).toMatchObject({ values: [1], again: [2] });
  });
});
