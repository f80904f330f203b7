import { describe, expect, it } from "vitest";
import { runPass, type PassRequest, type PassResult } from "../../../src/services/scoreRunner";
import type { CallPlan } from "../../../src/schema/worker";
import { ScriptedWorker, type Script } from "./scriptedWorker";

const BATCH: CallPlan = {
  unit: "batch",
  arguments: [{ name: "completions", from: "completion" }],
  passing: "keyword",
  returns: "list",
  awaits: "functions",
};

function request(functions: string[], batches: number[][], more: Partial<PassRequest> = {}): PassRequest {
  return {
    target: { path: "/r/reward.py", module: "reward", roots: ["/r"], overlays: {} },
    functions: functions.map((name) => ({ name, plan: BATCH, allow: [] })),
    set: "s",
    n: Math.max(...batches.flat()) + 1,
    batches,
    limits: { unitSeconds: 2, loadSeconds: 5, memoryMb: 100, outputBytes: 1000 },
    guarded: true,
    seed: 0,
    calls: 1,
    trace: null,
    patience: 3,
    searches: true,
    ...more,
  };
}

const clock = { now: () => performance.now() };
const states = (result: PassResult, fn = 0): (string | undefined)[] =>
  result.functions[fn]!.rows.map((row) => row?.state);
const values = (result: PassResult, fn = 0): (number | null | undefined)[] =>
  result.functions[fn]!.rows.map((row) => row?.value);

/** Fails at one row in one way, scores every other row with its own number. */
const bad =
  (row: number, how: { end: "unit-timeout" | "exit" | "signal" | "memory" } | { raise: string }) =>
  (rows: readonly number[]) => (rows.includes(row) ? how : rows.map((r) => r));

async function run(
  script: Script,
  spec: PassRequest,
): Promise<{ result: PassResult; worker: ScriptedWorker }> {
  const worker = new ScriptedWorker(script);
  return { result: await runPass(worker, clock, spec), worker };
}

describe("a pass", () => {
  it("scores every row in one job where nothing fails", async () => {
    const { result, worker } = await run(
      { functions: { f: (rows) => rows.map((r) => r / 2), g: (rows) => rows.map(() => 1) } },
      request(["f", "g"], [[0, 1], [2, 3], [4]]),
    );
    expect(values(result)).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(values(result, 1)).toEqual([1, 1, 1, 1, 1]);
    expect(worker.jobs).toHaveLength(1);
    expect(worker.jobs[0]?.isolated).toBe(false);
    expect(result.functions[0]?.rows.some((row) => row?.recovered)).toBe(false);
  });

  it("leaves rows outside the pass undefined, not cancelled and not zero", async () => {
    const { result } = await run(
      { functions: { f: (rows) => rows.map(() => 1) } },
      request(["f"], [[0], [2]], { n: 4 }),
    );
    expect(states(result)).toEqual(["scored", undefined, "scored", undefined]);
  });

  it.each([
    ["raises", { raise: "ValueError: no" }, "raised"],
    ["hangs", { end: "unit-timeout" }, "timed-out"],
    ["leaves by os._exit", { end: "exit" }, "crashed"],
    ["is killed", { end: "signal" }, "crashed"],
    ["fills memory", { end: "memory" }, "crashed"],
  ] as const)(
    "one row that %s costs one row; the others of its batch are recovered",
    async (_, how, state) => {
      const { result } = await run(
        { functions: { f: bad(1, how), g: (rows) => rows.map(() => 7) } },
        request(
          ["f", "g"],
          [
            [0, 1, 2],
            [3, 4],
          ],
        ),
      );
      expect(states(result)).toEqual(["scored", state, "scored", "scored", "scored"]);
      expect(values(result)).toEqual([0, null, 2, 3, 4]);
      expect(result.functions[0]?.rows.map((row) => row?.recovered)).toEqual([
        true,
        false,
        true,
        false,
        false,
      ]);
      // The function behind it is scored all the same, as the trainer would call it.
      expect(values(result, 1)).toEqual([7, 7, 7, 7, 7]);
      expect(result.functions[1]?.rows.some((row) => row?.recovered)).toBe(false);
      expect(result.functions[0]?.failures).toHaveLength(1);
      expect(result.functions[0]?.failures[0]?.rows).toEqual([0, 1, 2]);
    },
  );

  it("names the line where a hang stood, and the code of an exit", async () => {
    const hang = await run({ functions: { f: bad(0, { end: "unit-timeout" }) } }, request(["f"], [[0, 1]]));
    expect(hang.result.functions[0]?.rows[0]?.reason).toMatchObject({ code: "row-timeout", line: 7 });
    const exit = await run({ functions: { f: bad(0, { end: "exit" }) } }, request(["f"], [[0, 1]]));
    expect(exit.result.functions[0]?.rows[0]?.reason).toMatchObject({ code: "exit", text: "exit code 0" });
  });

  it("a batch of one needs no second look", async () => {
    const { result, worker } = await run(
      { functions: { f: bad(1, { end: "exit" }) } },
      request(["f"], [[0], [1], [2]]),
    );
    expect(states(result)).toEqual(["scored", "crashed", "scored"]);
    expect(worker.jobs.map((job) => job.isolated)).toEqual([false, false]);
    expect(result.functions[0]?.rows[2]?.recovered).toBe(false);
  });

  it.each(["signature", "wrong-count", "not-a-list", "coroutine", "no-tokens"] as const)(
    "%s belongs to the whole call: no row is scored one by one",
    async (code) => {
      const { result, worker } = await run(
        { functions: { f: () => ({ failed: { code, got: 1, expected: 2 } }) } },
        request(["f"], [[0, 1]]),
      );
      const state =
        { signature: "raised", "no-tokens": "not-applicable" }[code as string] ?? "invalid-return";
      expect(states(result)).toEqual([state, state]);
      expect(result.functions[0]?.rows[1]?.reason?.code).toBe(code);
      expect(worker.jobs).toHaveLength(1);
    },
  );

  it("a held batch is taken apart, so that rows without the side effect are scored", async () => {
    const held = { code: "side-effect", effect: "connect", target: "host:443" } as const;
    const { result } = await run(
      { functions: { f: (rows) => (rows.includes(2) ? { failed: held } : rows.map(() => 1)) } },
      request(["f"], [[0, 1, 2]]),
    );
    expect(states(result)).toEqual(["scored", "scored", "held"]);
    expect(result.functions[0]?.rows[2]?.reason).toMatchObject(held);
  });

  it("good rows of a batch with an unusable item are recovered without a second call", async () => {
    const { result, worker } = await run(
      {
        functions: {
          f: () => ({
            frame: {
              values: [1, null],
              states: ["scored", "invalid-return"],
              reasons: { "1": { code: "wrong-type" } },
              spoiled: true,
            },
          }),
        },
      },
      request(["f"], [[0, 1]]),
    );
    expect(result.functions[0]?.rows.map((row) => [row?.state, row?.recovered])).toEqual([
      ["scored", true],
      ["invalid-return", false],
    ]);
    expect(worker.jobs).toHaveLength(1);
  });

  it("a batch that fails only as a batch keeps its failure beside the recovered rows", async () => {
    const { result } = await run(
      { functions: { f: (rows) => (rows.length > 1 ? { raise: "IndexError: batch" } : [1]) } },
      request(["f"], [[0, 1]]),
    );
    expect(states(result)).toEqual(["scored", "scored"]);
    expect(result.functions[0]?.failures[0]).toMatchObject({
      state: "raised",
      reason: { type: "IndexError" },
    });
  });

  it("while live, a reward that hangs everywhere is given up: three calls, three rows, the rest cancelled", async () => {
    const hang = {
      functions: {
        f: () => ({ end: "unit-timeout" }) as const,
        g: (rows: readonly number[]) => rows.map(() => 1),
      },
    };
    const batches = Array.from({ length: 20 }, (_, b) => [b * 2, b * 2 + 1]);
    const { result, worker } = await run(hang, request(["f", "g"], batches));
    const seen = states(result);
    expect(seen.filter((s) => s === "timed-out")).toHaveLength(3);
    expect(seen.filter((s) => s === "cancelled")).toHaveLength(37);
    expect(result.functions[0]?.rows[39]?.reason?.code).toBe("pass-timeout");
    expect(new Set(states(result, 1))).toEqual(new Set(["scored"]));
    expect(worker.ended.filter((end) => end.reason === "unit-timeout")).toHaveLength(6);
  });

  it("one that hangs now and then is not given up", async () => {
    const batches = Array.from({ length: 20 }, (_, b) => [b * 2, b * 2 + 1]);
    const { result } = await run(
      {
        functions: {
          f: (rows) => (rows.some((r) => r % 4 === 0) ? { end: "unit-timeout" } : rows.map(() => 1)),
        },
      },
      request(["f"], batches),
    );
    expect(states(result).filter((s) => s === "timed-out")).toHaveLength(10);
    expect(states(result).filter((s) => s === "scored")).toHaveLength(30);
  });

  it("asked for, it goes through every row", async () => {
    const { result } = await run(
      { functions: { f: () => ({ end: "unit-timeout" }) } },
      request(
        ["f"],
        [
          [0, 1, 2, 3],
          [4, 5, 6, 7],
        ],
        { patience: null },
      ),
    );
    expect(new Set(states(result))).toEqual(new Set(["timed-out"]));
  });

  it("where nobody needs to know which row did it, the first call that hangs is the last", async () => {
    const { result, worker } = await run(
      { functions: { f: () => ({ end: "unit-timeout" }), g: (rows) => rows.map(() => 1) } },
      request(
        ["f", "g"],
        [
          [0, 1],
          [2, 3],
        ],
        { patience: 1, searches: false },
      ),
    );
    expect(worker.ended.filter((end) => end.reason === "unit-timeout")).toHaveLength(1);
    expect(new Set(states(result))).toEqual(new Set(["cancelled"]));
    expect(values(result, 1)).toEqual([1, 1, 1, 1]);
  });

  it("a function called once a sample has no batch to recover from", async () => {
    const plan: CallPlan = { ...BATCH, unit: "sample", returns: "number" };
    const { result } = await run(
      { functions: { f: bad(1, { end: "exit" }) } },
      { ...request(["f"], [[0, 1, 2]]), functions: [{ name: "f", plan, allow: [] }] },
    );
    expect(states(result)).toEqual(["scored", "crashed", "scored"]);
    expect(result.functions[0]?.rows.some((row) => row?.recovered)).toBe(false);
  });

  it("notes rows whose second call gives something else", async () => {
    const { result } = await run(
      { functions: { f: () => ({ frame: { values: [1, 1], again: [1, 0], changed: ["random"] } }) } },
      request(["f"], [[0, 1]], { calls: 2 }),
    );
    expect([...result.functions[0]!.again]).toEqual([[1, 0]]);
    expect([...result.functions[0]!.changed]).toEqual(["random"]);
  });
});

describe("a module that doesn't load", () => {
  it.each([
    [{ kind: "syntax" }, "SyntaxError"],
    [{ kind: "import", module: "numpyy", type: "ModuleNotFoundError" }, "ModuleMissing"],
    [{ kind: "import", module: null, type: "ImportError" }, "ImportFailed"],
    [{ kind: "exception", type: "ZeroDivisionError" }, "ModuleFailed"],
    [{ kind: "missing-file" }, "FileMissing"],
    [{ end: "load-timeout" }, "TimedOut"],
    [{ end: "signal" }, "ModuleFailed"],
  ] as const)("%j is the error %s and gives no rows", async (load, code) => {
    const { result } = await run({ functions: {}, load: () => load }, request(["f"], [[0, 1]]));
    expect(result.failure?.code).toBe(code);
    expect(states(result)).toEqual([undefined, undefined]);
  });

  it.each([
    [113, "", "the code closed or replaced the descriptor"],
    [114, "Traceback:\n  File x\n\nOSError: no space\n", "Rewardsmith's own worker failed"],
  ])("tells the worker's own exit code %d from the module's", async (exitCode, output, words) => {
    const worker = new ScriptedWorker({ functions: {}, load: () => ({ end: "exit" }) });
    const port: Pick<ScriptedWorker, "run"> = {
      run: async (...job) => ({ ...(await worker.run(...job)), exitCode, output }),
    };
    const { failure } = await runPass(port, clock, request(["f"], [[0, 1]]));
    expect(failure?.message).toContain(words);
    expect(failure?.message).toContain(`exit code ${exitCode}`);
    expect(failure?.message).not.toContain("ended its process");
    expect(failure?.message.endsWith("OSError: no space")).toBe(output !== "");
  });

  it("leaves every other exit code to the module", async () => {
    const { result } = await run({ functions: {}, load: () => ({ end: "exit" }) }, request(["f"], [[0, 1]]));
    expect(result.failure?.message).toBe("loading the module ended its process: exit code 0");
  });

  it("that loaded before takes only the rows still to come", async () => {
    let loads = 0;
    const { result } = await run(
      { functions: { f: bad(1, { end: "exit" }) }, load: () => (++loads > 2 ? { kind: "exception" } : null) },
      request(["f"], [[0, 1, 2]]),
    );
    expect(result.failure).toBeNull();
    expect(states(result)).toEqual(["scored", "crashed", "crashed"]);
    expect(result.functions[0]?.rows[2]?.reason?.code).toBe("module");
  });
});

describe("cancelling", () => {
  it("ends the job; rows not reached are cancelled, rows scored stay", async () => {
    const stop = new AbortController();
    const worker = new ScriptedWorker({
      functions: { f: (rows) => rows.map(() => 1) },
      gate: (_, rows) => {
        if (rows[0] !== 2) return undefined;
        stop.abort();
        return new Promise(() => undefined);
      },
    });
    const result = await runPass(
      worker,
      clock,
      request(
        ["f"],
        [
          [0, 1],
          [2, 3],
        ],
      ),
      { signal: stop.signal },
    );
    expect(result.cancelled).toBe(true);
    expect(states(result)).toEqual(["scored", "scored", "cancelled", "cancelled"]);
    expect(result.functions[0]?.rows[3]?.reason?.code).toBe("user-cancelled");
    expect(worker.ended.at(-1)?.reason).toBe("cancelled");
  });

  it("starts no further job afterwards", async () => {
    const stop = new AbortController();
    const worker = new ScriptedWorker({
      functions: {
        f: (rows) => {
          if (rows.length === 1) stop.abort();
          return rows.length > 1 ? { raise: "ValueError: x" } : [1];
        },
      },
    });
    await runPass(worker, clock, request(["f"], [[0, 1, 2]]), { signal: stop.signal });
    expect(worker.jobs).toHaveLength(2);
  });
});

it("tells how far it is after each call", async () => {
  const seen: [number, number][] = [];
  const worker = new ScriptedWorker({
    functions: { f: (rows) => (rows.length > 1 ? { raise: "E: x" } : [1]) },
  });
  await runPass(worker, clock, request(["f"], [[0, 1], [2]]), {
    onProgress: (_, done, total) => seen.push([done, total]),
  });
  expect(seen).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
});
