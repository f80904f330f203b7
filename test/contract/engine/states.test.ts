import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoreReport } from "../../../src/schema/report";
import { EngineUnderTest, fn, jsonl, workspace } from "./engineProcess";

/** One sample for each state that a reward or a user can cause, by what its completion asks for. */
const WANTED = [
  "scored",
  "non-finite",
  "not-applicable",
  "invalid-return",
  "raised",
  "timed-out",
  "crashed",
  "held",
  "cancelled",
];
const TEXT = `import os
import socket
import time


def states_reward(completions, **kwargs):
    scores = []
    for text in completions:
        if text == "non-finite":
            scores.append(float("nan"))
        elif text == "not-applicable":
            scores.append(None)
        elif text == "invalid-return":
            scores.append("a word")
        elif text == "raised":
            raise ValueError("no answer in this one")
        elif text == "timed-out":
            while True:
                pass
        elif text == "crashed":
            os._exit(0)
        elif text == "held":
            socket.create_connection(("127.0.0.1", 9), timeout=0.1)
        elif text == "cancelled":
            time.sleep(600)
        else:
            scores.append(0.0)
    return scores
`;

describe.each(["fork", "spare"] as const)("every state in one sample set, %s processes", (workerMode) => {
  let engine: EngineUnderTest;
  const { folder, path } = workspace({
    "reward.py": TEXT,
    "s.jsonl": jsonl(WANTED.map((completion) => ({ prompt: "p", completion }))),
    "rewardsmith.json":
      '{"schema": 1, "suites": {"all": {"rewards": [{"use": "reward.py:states_reward"}], "trainer": {"batch": 9}}}}',
  });
  const file = path("reward.py");
  beforeAll(async () => {
    engine = await EngineUnderTest.start({
      folder,
      settings: { workerMode, previews: false, liveTimeoutSeconds: 1 },
    });
  });
  afterAll(async () => {
    await engine.stop();
  });

  it("told apart while typing: states, values, means over scored rows alone", async () => {
    const from = engine.scores.length;
    await engine.bind(file, [path("s.jsonl")]);
    // The last one sleeps: live it is a timeout, by the limit.
    const live = await engine.until("all rows", (s) => s.functions[0]?.status === "fresh", from, 30_000);
    const rows = await engine.rows(file, "states_reward");
    expect(rows.map(({ state }) => state)).toEqual([...WANTED.slice(0, 8), "timed-out"]);
    expect(rows.map(({ value }) => value)).toEqual([0, { nonFinite: "nan" }, ...Array<null>(7).fill(null)]);
    expect(fn(live, "states_reward")).toMatchObject({
      n: 9,
      of: 9,
      recovered: 2,
      estimate: { mean: 0, n: 1 },
      states: {
        scored: 1,
        "non-finite": 1,
        "not-applicable": 1,
        "invalid-return": 1,
        raised: 1,
        "timed-out": 2,
        crashed: 1,
        held: 1,
      },
      raised: [{ line: 16, type: "ValueError", message: "no answer in this one", count: 1, rows: [4] }],
      held: [{ effect: "connect", count: 1 }],
    });
    expect(rows.map(({ reason }) => reason?.code ?? null)).toEqual([
      null,
      "nan",
      "none",
      "wrong-type",
      "exception",
      "row-timeout",
      "exit",
      "side-effect",
      "row-timeout",
    ]);
    // The loop has two lines; it hung in either.
    expect([18, 19]).toContain(rows[5]?.reason?.line);
  });

  it("told apart in JSON, CSV and Markdown; cancelled by the user; what TRL would do with each", async () => {
    await engine.client.configure({
      trusted: true,
      folders: [folder],
      settings: { ...engine.settings, timeoutSeconds: 4 },
    });
    const done = engine.client.score({ path: file });
    await engine.until(
      "all but the last row",
      (s) => s.status === "running" && s.functions[0]?.n === 8,
      undefined,
      40_000,
    );
    await engine.client.cancel({ path: file });
    const asked = await done;
    // Asked for, nothing is held: the connection is refused, which raises.
    expect(fn(asked, "states_reward").states).toEqual({
      scored: 1,
      "non-finite": 1,
      "not-applicable": 1,
      "invalid-return": 1,
      raised: 2,
      "timed-out": 1,
      crashed: 1,
      cancelled: 1,
    });
    const text = async (form: "json" | "csv" | "markdown"): Promise<string> =>
      (await engine.client.export({ path: file, form })).text;
    const report = JSON.parse(await text("json")) as ScoreReport;
    expect(report.functions[0]?.mean).toBe(0);
    expect(report.functions[0]?.n).toBe(1);
    expect(report.hypothetical).toBe(true);
    const fates = report.functions[0]!.fates;
    expect(fates["raised"]?.word).toBe("stops");
    expect(fates["not-applicable"]?.word).toBe("ignored");
    const cells = (await text("csv"))
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",").slice(3, 5));
    expect(cells).toEqual([
      ["0", "scored (recovered)"],
      ["nan", "non finite (recovered)"],
      ["", "not applicable"],
      ["", "invalid return"],
      ["", "raised"],
      ["", "timed out"],
      ["", "crashed"],
      ["", "raised"],
      ["", "cancelled"],
    ]);
    const markdown = await text("markdown");
    for (const word of ["not applicable", "invalid return", "timed out", "crashed", "cancelled"])
      expect(markdown).toContain(`| ${word} |`);
  });
});
