import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { debugJob, type DebugJob } from "../../../src/engine/debugJob";
import { lab, never, type LabBench } from "./bench";

function run({ python, module, args, cwd, env }: DebugJob): {
  status: number | null;
  out: string;
  err: string;
} {
  const { status, stdout, stderr } = spawnSync(python, [module, ...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

const job = ({ session, graph }: LabBench, name: string, row = 0): Promise<DebugJob> =>
  debugJob(session, graph, { row, function: name }, never());

describe("one sample's call as a program", () => {
  it("B05: prints the score that the worker gives, in one process, without a trace", async () => {
    const bench = await lab("B05_reward.py", "B05_samples.jsonl");
    await bench.session.score();
    const scores = bench.session.rows("boxed_reward", 0, 5, null).rows.map(({ value }) => value);
    for (const [row, score] of scores.entries()) {
      const { status, out, err } = run(await job(bench, "boxed_reward", row));
      expect([status, err]).toEqual([0, ""]);
      expect(out).toBe(`rewardsmith: boxed_reward, row ${row + 1}: ${Number(score).toFixed(1)}\n`);
    }
    appendFileSync(
      bench.path,
      "\nimport os, sys\nPID = os.getpid()\ndef self_reward(completions, **kwargs):\n",
    );
    appendFileSync(
      bench.path,
      "    print(sys.gettrace(), os.getpid() == PID, __name__, __file__)\n    return [2]\n",
    );
    expect(run(await job(bench, "self_reward")).out).toBe(
      `None True reward ${bench.path}\nrewardsmith: self_reward, row 1: 2.0\n`,
    );
  });

  it("values that JSON has no form for arrive; random draws are the worker's", async () => {
    const bench = await lab(
      [
        "import random",
        "def odd_reward(completions, big, low, **kwargs):",
        "    print(big, low, len(completions), sorted(kwargs))",
        "    return [random.random()]",
        "",
      ].join("\n"),
      [{ prompt: "p", completion: "c" }],
    );
    const { session, folder } = bench;
    const data = `${folder}/odd.jsonl`;
    writeFileSync(
      data,
      '{"prompt": "p", "completion": "c😀", "big": 123456789012345678901234567890, "low": NaN}\n',
    );
    session.setSamples(await bench.graph.samples.open([data], null));
    await session.score();
    const [first] = session.rows("odd_reward", 0, 1, null).rows;
    const { out } = run(await job(bench, "odd_reward"));
    expect(out).toContain("[123456789012345678901234567890] [nan] 1 ");
    expect(out).toContain(`row 1: ${JSON.stringify(first?.value)}\n`);
    expect(first?.state).toBe("scored");
  });

  it("the file on disk runs; what it raises comes through; no score says why", async () => {
    const bench = await lab(
      "def raising_reward(completions, **kwargs):\n    return [1 / 0]\ndef none_reward(completions, **kwargs):\n    return [None]\n" +
        "async def soon_reward(completions, **kwargs):\n    return [0.25]\n",
      [{ prompt: "p", completion: "c" }],
    );
    const raised = run(await job(bench, "raising_reward"));
    expect(raised.status).toBe(1);
    expect(raised.err).toContain("ZeroDivisionError: division by zero");
    expect(raised.err).toContain('reward.py", line 2, in raising_reward');
    expect(run(await job(bench, "none_reward")).out).toContain("row 1: not-applicable");
    expect(run(await job(bench, "soon_reward")).out).toContain("row 1: 0.25");
    bench.type("def raising_reward(completions, **kwargs):\n    return [1.0]\n");
    expect(run(await job(bench, "raising_reward")).status).toBe(1);
    await expect(job(bench, "gone_reward")).rejects.toMatchObject({ code: "NoFunction" });
  });

  it("env and folder are those of the worker; a second job of a function takes the first one's file", async () => {
    const bench = await lab("B05_reward.py", "B05_samples.jsonl", {
      settings: { env: { REWARD_MODE: "strict", PATH: "/opt/first" } },
    });
    const first = await job(bench, "boxed_reward", 0);
    expect(first.env).toMatchObject({ REWARD_MODE: "strict", PATH: `/opt/first:${process.env["PATH"]}` });
    expect(first.cwd).toBe(bench.folder);
    const second = await job(bench, "boxed_reward", 1);
    expect(second.args).toEqual(first.args);
    expect(readFileSync(second.args[0] ?? "", "utf8")).toContain('"row":1');
  });
});
