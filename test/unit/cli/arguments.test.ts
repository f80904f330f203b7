import { describe, expect, it } from "vitest";
import { readArguments, readMapping, readRows, readTarget } from "../../../src/cli/arguments";
import { exitFor } from "../../../src/cli/exit";
import { HELP } from "../../../src/cli/help";
import { scoreRequest } from "../../../src/cli/scoreRequest";

const request = (line: string) => scoreRequest(readArguments(line.split(" ")), "/w", 1);

describe("arguments", () => {
  it("takes every word after --samples for a sample file, wherever the reward stands", () => {
    for (const line of [
      "score reward.py --samples a.jsonl b.csv --json",
      "score --samples a.jsonl b.csv --json reward.py",
      "score --samples a.jsonl --samples b.csv reward.py",
      "score --samples a.jsonl b.csv reward.py",
    ])
      expect(request(line).options, line).toMatchObject({
        file: "/w/reward.py",
        functions: null,
        files: ["/w/a.jsonl", "/w/b.csv"],
      });
  });

  it("reads everything that a scoring can be asked for", () => {
    const { options, settings, hints } = request(
      "score src/r.py:f,g --samples x.parquet --contract trl --weights f=1,g=-0.5 --group-by 8 --advantages none " +
        "--aggregation normalize_then_sum --batch 16 --timeout 2.5 --python ./venv/bin/python --mode spare " +
        "--baseline head --columns completion=output,gold=answer",
    );
    expect(options).toEqual({
      file: "/w/src/r.py",
      functions: ["f", "g"],
      files: ["/w/x.parquet"],
      mapping: null,
      contract: "trl",
      weights: { f: 1, g: -0.5 },
      groupBy: 8,
      advantages: "none",
      aggregation: "normalize_then_sum",
      batch: 16,
      timeoutSeconds: 2.5,
      baselineRef: "HEAD",
      calls: 1,
    });
    expect(settings).toEqual({ python: "/w/venv/bin/python", workerMode: "spare" });
    expect(hints).toEqual({ completion: "output", columns: { gold: "answer" } });
  });

  it.each([
    ["frobnicate", "no command"],
    ["score", "needs a Python file"],
    ["score a.py b.py --samples x.jsonl", "b.py"],
    ["score a.txt --samples x.jsonl", "a.txt"],
    ["score a.py --samples x --batch 0", "--batch"],
    ["score a.py --samples x --batch 1.5", "--batch"],
    ["score a.py --samples x --timeout -1", "--timeout"],
    ["score a.py --samples x --weights f", "--weights"],
    ["score a.py --samples x --weights f=much", "--weights"],
    ["score a.py --samples x --advantages huge", "group, batch, none"],
    ["score a.py --samples x --fail-on error", "--fail-on"],
    ["score a.py --samples x --contract verl", "trl, plain"],
    ["read a.jsonl --python p", "--python"],
    ["score a.py --nonsense", "--nonsense"],
    ["score a.py --samples", "--samples"],
  ])("refuses %j and names what is wrong", (line, words) => {
    let failure: unknown;
    try {
      request(line);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: "BadArguments" });
    expect(String(failure)).toContain(words);
  });

  it.each([
    ["reward.py", "reward.py", null],
    ["a/b.py:f", "a/b.py", ["f"]],
    ["a.py:f,g", "a.py", ["f", "g"]],
    ["a.py:f:g", "a.py", ["f", "g"]],
    ["C:\\w\\a.py:f", "C:\\w\\a.py", ["f"]],
    ["a.py:", "a.py", null],
  ])("reads the target %s", (text, file, functions) => {
    expect(readTarget(text)).toEqual({ file, functions });
  });

  it.each([
    ["1:10", 0, 10],
    ["5:5", 4, 1],
    [":3", 0, 3],
    ["3:", 2, Infinity],
    ["7", 6, 1],
  ])("counts rows %s from 1, both ends included", (text, from, count) => {
    expect(readRows(text)).toEqual({ from, count });
  });

  it.each(["0:3", "5:2", "a:b", "1-3", ""])("refuses rows %j", (text) => {
    expect(() => readRows(text)).toThrow("--rows");
  });

  it.each([
    ["prompt", { by: "prompt" }],
    ["4", { by: "size", size: 4 }],
    ["task_id", { by: "column", column: "task_id" }],
  ])("groups by %s", (text, group) => {
    expect(readMapping(readArguments(["read", "x", "--group-by", text])).group).toEqual(group);
  });

  it("leaves the words after -- of a run as they are", () => {
    const args = readArguments([
      "run",
      "start",
      "--env",
      "A=1",
      "--env",
      "B=2",
      "--json",
      "--",
      "x",
      "--json",
      "--",
      "-f",
      "",
    ]);
    expect(args).toMatchObject({ command: "run", positionals: ["start"], json: true });
    expect(args.rest).toEqual(["x", "--json", "--", "-f", ""]);
    expect(args.texts("env")).toEqual(["A=1", "B=2"]);
    expect([args.flag("follow"), args.flag("now")]).toEqual([false, false]);
    expect(readArguments(["run", "logs", "a-1", "-f"]).flag("follow")).toBe(true);
    expect(() => readArguments(["run", "list", "--samples", "x"])).toThrow(/no option --samples/);
    expect(() => readArguments(["read", "x", "--follow"])).toThrow(/no option --follow/);
  });

  it("has help for each command, naming each of its options", () => {
    for (const command of ["score", "check", "read", "run", "init"]) expect(HELP[command]).toContain(command);
    for (const option of [
      "samples",
      "columns",
      "group-by",
      "weights",
      "batch",
      "timeout",
      "python",
      "mode",
      "baseline",
      "json",
    ])
      expect(HELP["score"]).toContain(`--${option}`);
    expect(HELP["check"]).toContain("--fail-on");
    expect(HELP["read"]).toContain("--rows");
  });
});

describe("exit codes", () => {
  it("blames the reward, the caller or ourselves", () => {
    expect(exitFor("SyntaxError")).toBe(1);
    expect(exitFor("FileMissing")).toBe(2);
    expect(exitFor("BadArguments")).toBe(2);
    expect(exitFor("Internal")).toBe(3);
    expect(exitFor("WorkerCrashed")).toBe(3);
  });
});
