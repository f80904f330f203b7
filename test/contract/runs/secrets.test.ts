import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench, alive, fixtures, python, until } from "./harness";

/** A secret given to a run is in nothing that we write, show or start, also when everything around the job dies. */
const CANARY = 'canary/7f3a "ü" 91c2';
const FORMS = [
  CANARY,
  "canary/7f3a",
  JSON.stringify(CANARY).slice(1, -1),
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString("base64").replace(/=+$/, ""),
];

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

/** Regular files below a folder whose bytes hold the canary; what the job itself writes (`out`) is its own. */
function tellers(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "out" ? [] : tellers(path);
    // Nothing in a run's folder may hang or feed who reads all of its files.
    expect(entry.isFile() && statSync(path).isFile(), path).toBe(true);
    const text = readFileSync(path, "utf8");
    return FORMS.some((form) => text.includes(form)) ? [path] : [];
  });
}

function inArguments(): string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return FORMS.some((form) => text.includes(form)) ? [text] : [];
    } catch {
      return [];
    }
  });
}

const start = (name: string, go: string) =>
  bench.start([python, join(fixtures, "telling_job.py"), go], ["--name", name, "--secret", "CANARY_KEY"], {
    CANARY_KEY: CANARY,
  });

describe("a secret", () => {
  it("reaches the job, and is in no file, argument, answer or frame", async () => {
    const go = join(bench.home, "go-1");
    const { record } = await start("canary", go);
    await until(() => /^20 /m.test(bench.log(record.id)), 10_000, "lines");
    expect(record.command?.secrets).toEqual(["CANARY_KEY"]);
    expect(inArguments()).toEqual([]);
    writeFileSync(go, "");
    await until(() => bench.status(record.id).state === "failed", 10_000, "the end");
    const log = bench.log(record.id);
    const told = log.split("\n");
    expect(told[0]).toBe("plain [hidden]");
    expect(told[1]).toBe("[hidden]");
    expect(told[2]).toBe('json {"key": "[hidden]"}');
    expect(told[3]).toBe("url [hidden]");
    expect(told[4]).toMatch(/^base64 \[hidden\]=*$/);
    expect(told[5]).toBe("error [hidden]");
    const status = bench.status(record.id);
    expect(status.reason?.text).toBe("RuntimeError: the key [hidden] was refused");
    expect(status.checkpoints).toEqual([{ name: "checkpoint-1", step: 1 }]);
    const metrics = readFileSync(join(bench.folder(record.id), "metrics.jsonl"), "utf8");
    expect(JSON.parse(metrics)).toEqual({
      step: 1,
      at: 1000,
      from: "rewardsmith-log",
      values: { reward: 0.5, "name [hidden]": 1 },
    });
    expect(tellers(join(bench.project, ".rewardsmith"))).toEqual([]);
    for (const command of [
      ["list"],
      ["list", "--json"],
      ["show", record.id],
      ["show", record.id, "--json"],
      ["logs", record.id],
    ]) {
      const { out, err } = await bench.run(command);
      for (const form of FORMS) expect(out + err).not.toContain(form);
    }
  });

  it("stays hidden when supervisor and keeper are killed and somebody without it looks; no line is missing", async () => {
    const go = join(bench.home, "go-2");
    const { record, status } = await start("killed", go);
    await until(() => /^10 /m.test(bench.log(record.id)), 10_000, "lines");
    const { keeper } = JSON.parse(
      readFileSync(join(bench.folder(record.id), "process", "job.json"), "utf8"),
    ) as {
      keeper: { pid: number };
    };
    process.kill(status.supervisor!.pid, "SIGKILL");
    process.kill(keeper.pid, "SIGKILL");
    await until(() => !alive(keeper.pid) && !alive(status.supervisor!.pid), 2000, "both to be gone");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await bench.show(record.id)).status.state).toBe("running");
    await until(() => /^80 /m.test(bench.log(record.id)), 10_000, "more lines");
    writeFileSync(go, "");
    await until(() => bench.status(record.id).state === "lost", 10_000, "the end");
    expect(tellers(join(bench.project, ".rewardsmith"))).toEqual([]);
    expect(inArguments()).toEqual([]);
    const numbers = [...bench.log(record.id).matchAll(/^(\d+) \[hidden\]$/gm)].map((match) =>
      Number(match[1]),
    );
    expect(numbers.length).toBeGreaterThan(80);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    expect(bench.log(record.id)).toContain("RuntimeError: the key [hidden] was refused");
  });

  it("leaves no pipe behind", () => {
    const folder = join(process.env["XDG_RUNTIME_DIR"] ?? tmpdir(), `rewardsmith-${process.getuid?.() ?? 0}`);
    const mine = readdirSync(join(bench.project, ".rewardsmith", "runs"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(
        ({ name }) =>
          JSON.parse(readFileSync(join(bench.folder(name), "process", "job.json"), "utf8")) as {
            token: string;
          },
      );
    expect(mine).toHaveLength(2);
    for (const { token } of mine) expect(readdirSync(folder)).not.toContain(`${token}.out`);
  });
});

describe("refused before anything is written", () => {
  it.each([
    ["in the command", ["--secret", "CANARY_KEY", "--", "echo", `key=${CANARY}`], /the command/],
    ["by its form", ["--", "echo", "sk-abcdefghijklmnop1234"], /words\[1\]/],
    ["by its option", ["--", "train", "--api-key", "abc"], /words\[2\]/],
    ["too short", ["--secret", "SHORT", "--", "echo"], /fewer than 4/],
    ["not there", ["--secret", "NOWHERE", "--", "echo"], /no such variable/],
    ["given by value", ["--secret", "X=abc", "--", "echo"], /not its value/],
  ])("a secret %s", async (_, args, why) => {
    const { code, err } = await bench.run(["start", "--name", "refused", ...args], {
      CANARY_KEY: CANARY,
      SHORT: "abc",
    });
    expect(code).toBe(2);
    expect(err).toMatch(why);
    expect(err).not.toContain(CANARY);
    expect(
      readdirSync(join(bench.project, ".rewardsmith", "runs")).filter((name) => name.startsWith("refused")),
    ).toEqual([]);
  });

  it("a plain variable that is a secret by its name becomes one", async () => {
    const { record } = await bench.start(
      [python, "-c", "import os; print(len(os.environ['WANDB_API_KEY']), os.environ['WANDB_API_KEY'])"],
      ["--name", "moved", "--env", "WANDB_API_KEY=0123456789abcdef", "--env", "PLAIN=1"],
    );
    await until(() => bench.status(record.id).state === "finished", 10_000, "the end");
    expect(record.command).toMatchObject({ secrets: ["WANDB_API_KEY"], env: { PLAIN: "1" } });
    expect(bench.log(record.id)).toBe("16 [hidden]\n");
    expect(JSON.stringify(record)).not.toContain("0123456789abcdef");
  });
});
