import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineUnderTest, brief, eventually, fn, jsonl, workspace, workerProcesses } from "./engineProcess";

/** Row 1 does it, the other three are scored by their length. */
const rows = (what: string): object[] =>
  ["a", what, "ccc", "dddd"].map((completion) => ({ prompt: "p", completion }));
const reward = (name: string, body: string, top = ""): string =>
  `import os, signal, subprocess, sys, threading, time, socket, builtins\n${top}\n
def ${name}(completions, **kwargs):
    scores = []
    for text in completions:
        if text == "BAD":
${body
  .split("\n")
  .map((line) => `            ${line}`)
  .join("\n")}
        scores.append(float(len(text)))
    return scores
`;

interface Hostile {
  readonly what: string;
  readonly body: string;
  /** State of row 1 while typing. */
  readonly live: string;
  /** … and when asked for without the guard; null = as while typing. */
  readonly asked: string | null;
  readonly top?: string;
  /** Ends at the time limit, which is short then; everything else has time, however busy the machine. */
  readonly hangs?: true;
}

const CASES: readonly Hostile[] = [
  { what: "loops for ever", body: "while True:\n    pass", live: "timed-out", asked: null, hangs: true },
  {
    what: "loops for ever and swallows every exception",
    body: "while True:\n    try:\n        time.sleep(60)\n    except BaseException:\n        pass",
    live: "timed-out",
    asked: null,
    hangs: true,
  },
  { what: "forks", body: "if os.fork() == 0:\n    time.sleep(600)", live: "held", asked: "scored" },
  {
    what: "forks in its own session",
    body: "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(600)\n    os._exit(0)",
    live: "held",
    asked: "scored",
  },
  {
    what: "starts a process that stays",
    body: "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])",
    live: "held",
    asked: "scored",
  },
  {
    what: "fills memory",
    body: "data = []\nwhile True:\n    data.append(bytearray(20_000_000))",
    live: "crashed",
    asked: null,
  },
  {
    what: "prints 50 MB",
    body: "for _ in range(500):\n    print('x' * 100_000)",
    live: "scored",
    asked: null,
  },
  {
    what: "writes to every open descriptor",
    body: 'for fd in range(3, 256):\n    try:\n        os.write(fd, b\'{"t": "unit"}\\n\' * 3)\n    except OSError:\n        pass',
    live: "scored|crashed",
    asked: null,
  },
  { what: "closes every descriptor", body: "os.closerange(0, 256)", live: "crashed|scored", asked: null },
  { what: "leaves by os._exit(0)", body: "os._exit(0)", live: "crashed", asked: null },
  { what: "leaves by sys.exit", body: "sys.exit(3)", live: "raised|crashed", asked: null },
  { what: "kills its group", body: "os.killpg(0, signal.SIGKILL)", live: "crashed|held", asked: "crashed" },
  {
    what: "kills itself",
    body: "os.kill(os.getpid(), signal.SIGKILL)",
    live: "crashed|held",
    asked: "crashed",
  },
  {
    what: "installs signal handlers and hangs",
    body: "for number in range(1, 32):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\ntime.sleep(600)",
    live: "timed-out",
    asked: null,
    hangs: true,
  },
  {
    what: "starts threads that never end",
    body: "for _ in range(20):\n    threading.Thread(target=time.sleep, args=(600,)).start()",
    live: "scored",
    asked: null,
  },
  {
    what: "replaces builtins",
    body: "builtins.len = lambda _: 7\nbuiltins.print = None\nbuiltins.open = None\nbuiltins.__import__ = None",
    live: "scored",
    asked: null,
  },
];

describe.each(["fork", "spare"] as const)("hostile rewards, %s processes", (workerMode) => {
  let engine: EngineUnderTest;
  beforeAll(async () => {
    engine = await EngineUnderTest.start({
      folder: workspace({}).folder,
      settings: { workerMode, memoryMb: 400, previews: false },
    });
  });
  const limit = (seconds: number): Promise<null> =>
    engine.client.configure({
      trusted: true,
      folders: [],
      settings: { ...engine.settings, liveTimeoutSeconds: seconds, timeoutSeconds: seconds },
    });
  afterAll(async () => {
    await engine.stop();
  });

  it.each(CASES)("$what", async ({ body, live, asked, top, hangs }) => {
    await limit(hangs ? 1 : 20);
    const { path } = workspace({
      "reward.py": reward("odd_reward", body, top),
      "s.jsonl": jsonl(rows("BAD")),
    });
    const file = path("reward.py");
    const from = engine.scores.length;
    await engine.bind(file, [path("s.jsonl")]);
    const check = async (state: string): Promise<void> => {
      const states = await engine.states(file, "odd_reward");
      expect(states[1]).toMatch(new RegExp(`^(${state})$`));
      expect([states[0], states[2], states[3]]).toEqual(["scored", "scored", "scored"]);
      const values = await engine.values(file, "odd_reward");
      // Rows before the bad one are never touched by it; those behind it only where it goes on in its own process.
      expect(values[0]).toBe(1);
      if (states[1] !== "scored") expect(values).toEqual([1, null, 3, 4]);
    };
    await engine.until(
      "numbers",
      (s) => s.path === file && s.functions[0]?.status === "fresh" && s.functions[0].n === 4,
      from,
    );
    await check(live);
    await engine.client.score({ path: file });
    await check(asked ?? live);
    await engine.client.unbind({ path: file });
    const left = (): { pid: number; command: string }[] =>
      engine.processes().filter(({ command }) => command.includes("600"));
    await eventually("nothing of the reward is left", () => left().length === 0);
  });

  it("and the engine is as usable as before", async () => {
    const { path } = workspace({
      "reward.py": reward("plain_reward", "pass"),
      "s.jsonl": jsonl(rows("BAD")),
    });
    await engine.bind(path("reward.py"), [path("s.jsonl")], { live: false });
    const scores = await engine.client.score({ path: path("reward.py") });
    expect(fn(scores, "plain_reward").states).toEqual({ scored: 4 });
    expect(await engine.values(path("reward.py"), "plain_reward")).toEqual([1, 3, 3, 4]);
  });

  it("output is kept for its sample, bounded", async () => {
    await limit(20);
    const { path } = workspace({
      "reward.py": reward("loud_reward", "print('x' * 50_000_000)"),
      "s.jsonl": jsonl(rows("BAD")),
    });
    await engine.bind(path("reward.py"), [path("s.jsonl")], { live: false });
    await engine.client.score({ path: path("reward.py") });
    const row = (await engine.rows(path("reward.py"), "loud_reward"))[1];
    expect(row?.output).toMatch(/^x{1000}/);
    expect(row?.output?.length).toBeLessThan(engine.settings.outputBytes + 500);
  });

  it("a file is not deleted or written while typing; asked for, it is", async () => {
    const { path } = workspace({ "s.jsonl": jsonl(rows("BAD")), "precious.txt": "keep" });
    const precious = path("precious.txt");
    for (const [name, body] of [
      ["remove_reward", `os.remove(${JSON.stringify(precious)})`],
      ["write_reward", `open(${JSON.stringify(precious)}, "w").write("gone")`],
    ] as const) {
      writeFileSync(path("reward.py"), reward(name, body));
      const from = engine.scores.length;
      await engine.bind(path("reward.py"), [path("s.jsonl")]);
      const live = await engine.until(
        "held",
        (s) => s.functions[0]?.name === name && s.functions[0].status === "fresh",
        from,
      );
      expect(live.functions[0]?.states, brief(live)).toEqual({ scored: 3, held: 1 });
      expect(live.functions[0]?.held).toEqual([
        { effect: name === "remove_reward" ? "remove" : "write", target: precious, count: 1 },
      ]);
      expect(readFileSync(precious, "utf8")).toBe("keep");
    }
    const asked = await engine.client.score({ path: path("reward.py") });
    expect(asked.functions[0]?.states).toEqual({ scored: 4 });
    expect(readFileSync(precious, "utf8")).toBe("gone");
    await engine.client.unbind({ path: path("reward.py") });
    expect(existsSync(precious)).toBe(true);
  });

  it("one that hangs on every row is given up while live", async () => {
    await limit(1);
    const { path } = workspace({
      "reward.py": "def stuck_reward(completions, **kwargs):\n    while True:\n        pass\n",
      "s.jsonl": jsonl(Array.from({ length: 100 }, (_, i) => ({ prompt: `p${i}`, completion: "x" }))),
    });
    const from = engine.scores.length;
    const started = Date.now();
    await engine.bind(path("reward.py"), [path("s.jsonl")]);
    const scores = await engine.until("the end", (s) => s.functions[0]?.status === "fresh", from, 30_000);
    expect(Date.now() - started).toBeLessThan(15_000);
    expect(scores.functions[0]?.states).toEqual({ "timed-out": 3, cancelled: 97 });
    expect(scores.functions[0]?.estimate).toBeNull();
    await engine.client.unbind({ path: path("reward.py") });
  });

  it("Score can be cancelled: rows not reached say so", async () => {
    const { path } = workspace({
      "reward.py":
        "import time\ndef slow_reward(completions, **kwargs):\n    time.sleep(0.4)\n    return [1.0] * len(completions)\n",
      "s.jsonl": jsonl(Array.from({ length: 400 }, (_, i) => ({ prompt: `p${i}`, completion: "x" }))),
    });
    const file = path("reward.py");
    await engine.bind(file, [path("s.jsonl")], { live: false });
    const from = engine.scores.length;
    const done = engine.client.score({ path: file });
    const partial = await engine.until(
      "a part",
      (s) => s.path === file && (s.functions[0]?.n ?? 0) > 0,
      from,
    );
    expect(partial).toMatchObject({ status: "running" });
    expect(partial.functions[0]).toMatchObject({ status: "running", of: 400 });
    await engine.client.cancel({ path: file });
    const end = await done;
    const { scored = 0, cancelled = 0 } = end.functions[0]?.states ?? {};
    expect(scored).toBeGreaterThan(0);
    expect(cancelled).toBeGreaterThan(0);
    expect(scored + cancelled).toBe(400);
    expect(end.functions[0]?.estimate?.n).toBe(scored);
  });
});

it("nothing is left when the host goes, in the middle of a pass that ignores signals", async () => {
  const engine = await EngineUnderTest.start({
    folder: workspace({}).folder,
    settings: { liveTimeoutSeconds: 60 },
  });
  const body =
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(900)'])\ntime.sleep(900)";
  const { path } = workspace({ "reward.py": reward("stubborn_reward", body), "s.jsonl": jsonl(rows("BAD")) });
  await engine.bind(path("reward.py"), [path("s.jsonl")], { live: false });
  void engine.client.score({ path: path("reward.py") }).catch(() => undefined);
  await eventually("the child runs", () => engine.processes().some(({ command }) => command.includes("900")));
  engine.child.kill("SIGKILL");
  await engine.exited;
  await eventually("no process is left", () => workerProcesses(engine.storage).length === 0);
});

describe("a reward like a judge", () => {
  let server: Server;
  let calls = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      calls += 1;
      response.end("0.5");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  });
  afterAll(async () => {
    await new Promise((done) => server.close(done));
  });

  it.each(["fork", "spare"] as const)(
    "typing 50 characters makes no call until it is allowed, %s",
    async (workerMode) => {
      const { port } = server.address() as AddressInfo;
      const text = `from urllib.request import urlopen

def judge_reward(completions, **kwargs):
    scores = []
    for text in completions:
        with urlopen("http://127.0.0.1:${port}/judge?text=" + text) as reply:
            scores.append(float(reply.read()))
    return scores
`;
      const engine = await EngineUnderTest.start({ folder: workspace({}).folder, settings: { workerMode } });
      try {
        const { path } = workspace({ "reward.py": text, "s.jsonl": jsonl(rows("BAD")) });
        const file = path("reward.py");
        let from = engine.scores.length;
        await engine.bind(file, [path("s.jsonl")]);
        const first = await engine.until("held", (s) => s.functions[0]?.states.held === 4, from);
        expect(first.functions[0]?.held).toEqual([
          { effect: "connect", target: expect.stringContaining(String(port)) as string, count: 4 },
        ]);
        expect(first.functions[0]?.estimate).toBeNull();
        const before = calls;
        const typed = "# fifty characters of a comment, one after another";
        expect(typed).toHaveLength(50);
        for (let i = 1; i <= typed.length; i++) {
          await engine.type(file, i, `${text}${typed.slice(0, i)}`);
          await new Promise((done) => setTimeout(done, 30));
        }
        await engine.until(
          "the last text",
          (s) => s.docVersion === 50 && s.functions[0]?.states.held === 4,
          from,
        );
        expect(calls).toBe(before);
        from = engine.scores.length;
        await engine.client.allow({ path: file, function: "judge_reward", effects: ["connect"] });
        await engine.until("scores", (s) => s.functions[0]?.states.scored === 4, from);
        expect(calls).toBeGreaterThanOrEqual(before + 4);
        expect(await engine.values(file, "judge_reward")).toEqual([0.5, 0.5, 0.5, 0.5]);
      } finally {
        await engine.stop();
      }
    },
  );
});
