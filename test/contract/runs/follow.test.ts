import { spawn } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TelemetryReader } from "../../../src/core/runs/telemetry";
import { READERS } from "../../../src/core/runs/readers/registry";
import { systemPlatform } from "../../../src/runtime/processes/systemPlatform";
import { Followers } from "../../../src/runtime/runs/followers";
import { type RunClock, StatusBook, firstStatus, systemRunClock } from "../../../src/runtime/runs/statusBook";
import { watchRun } from "../../../src/runtime/runs/watch";
import { MetricRow, RunRecord } from "../../../src/schema/run";
import { Bench, alive, python, until } from "./harness";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const rows = (folder: string): MetricRow[] =>
  readFileSync(join(folder, "metrics.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => MetricRow.parse(JSON.parse(line)));

/** Logs `count` steps, one each 50 ms, with a checkpoint each ten. */
const LOGGING = `
import json, os, sys, time
out = os.environ["REWARDSMITH_OUT"]
for step in range(1, int(sys.argv[1]) + 1):
    with open(os.path.join(out, "metrics.jsonl"), "a") as file:
        text = json.dumps({"step": step, "at": None, "values": {"reward": step / 10, "loss": {"nonFinite": "nan"}}}) + "\\n"
        file.write(text[:10]); file.flush(); time.sleep(.02)
        file.write(text[10:]); file.flush(); time.sleep(.03)
    if step % 10 == 0:
        os.makedirs(os.path.join(out, f"checkpoint-{step}"))
`;

describe("numbers", () => {
  it("come while the job runs, once each, also when a supervisor is killed in between", async () => {
    const file = join(bench.home, "logging.py");
    writeFileSync(file, LOGGING);
    const { record, status } = await bench.start([python, file, "100"], ["--name", "logging"]);
    const folder = bench.folder(record.id);
    await until(() => (bench.status(record.id).step ?? 0) >= 20, 15_000, "steps in the status");
    process.kill(status.supervisor!.pid, "SIGKILL");
    await until(() => !alive(status.supervisor!.pid), 2000, "the supervisor to be gone");
    await bench.show(record.id);
    await until(() => bench.status(record.id).state === "finished", 20_000, "the end");
    const found = rows(folder);
    expect([...new Set(found.map(({ step }) => step))]).toEqual(
      Array.from({ length: 100 }, (_, at) => at + 1),
    );
    // What was read between the last note of the place and the kill may be there twice, saying the same.
    expect(found.length).toBeLessThan(160);
    for (const { step, values, from } of found) {
      expect(from).toBe("rewardsmith-log");
      expect(values).toEqual({ reward: step / 10, loss: { nonFinite: "nan" } });
    }
    const after = bench.status(record.id);
    expect(after.step).toBe(100);
    expect(after.checkpoints).toEqual(
      Array.from({ length: 10 }, (_, at) => ({ name: `checkpoint-${(at + 1) * 10}`, step: (at + 1) * 10 })),
    );
    expect(after.reward?.at(-1)).toBe(10);
    expect(after.reward?.length).toBeLessThanOrEqual(40);
    const listed = (await bench.service().list()).find(({ id }) => id === record.id);
    expect(listed?.reward.at(0)).toBe(0.1);
  });
});

describe("a clock that jumps", () => {
  it("changes no state, and no time that is counted", async () => {
    const service = bench.service();
    const { record } = await bench.start([python, "-c", "import time; time.sleep(0.2)"], ["--name", "model"]);
    const created = await service.create({
      name: "jump",
      backend: record.backend,
      recipe: record.recipe,
      smoke: false,
      settings: {},
      output: {
        files: [],
        command: {
          program: python,
          args: ["-c", "import time; time.sleep(4)"],
          cwd: ".",
          env: {},
          secrets: [],
        },
        resolved: [],
        telemetry: [],
        rollouts: null,
        checkpoints: null,
      },
      reward: null,
      rewardFiles: [],
      suite: null,
      samples: [],
      resumes: null,
      override: null,
      secrets: {},
    });
    const year = 365 * 24 * 3600 * 1000;
    let jump = 0;
    const clock: RunClock = { wall: () => Date.now() + jump, monotonic: () => performance.now() };
    const watched = watchRun(
      {
        folder: created.folder,
        platform: systemPlatform(),
        readers: [],
        clock,
        env: {},
        keeper: (mode, env) =>
          spawn(process.execPath, [bench.program, mode, created.folder], {
            env: { ...process.env, ...env },
            stdio: ["ignore", "pipe", "pipe"],
          }),
      },
      "start",
    );
    const seen: string[] = [];
    for (const years of [10, -10, 0]) {
      await until(() => bench.status(created.id).state === "running", 5000, "the job");
      jump = years * year;
      await new Promise((resolve) => setTimeout(resolve, 700));
      seen.push((await service.get(created.id)).status.state);
    }
    expect(seen).toEqual(["running", "running", "running"]);
    jump = 10 * year;
    expect(await watched).toBe("done");
    const { status } = await service.get(created.id);
    expect(status).toMatchObject({ state: "finished", exit: { code: 0 } });
    expect(status.elapsedS).toBeGreaterThan(3.9);
    expect(status.elapsedS).toBeLessThan(10);
    // The wall clock is for people; it says what it said.
    expect(status.ended! - status.started!).toBeGreaterThan(9 * year);
  });
});

describe("a file of 2 GB", () => {
  it("is followed by offset, in pieces, from where an earlier supervisor stood", async () => {
    const folder = join(bench.home, "large");
    mkdirSync(join(folder, "out"), { recursive: true });
    mkdirSync(join(folder, "process"));
    const size = 2 * 1024 ** 3;
    const file = openSync(join(folder, "out", "metrics.jsonl"), "w");
    ftruncateSync(file, size);
    const line = (step: number): string => `\n${JSON.stringify({ step, at: 5, values: { reward: step } })}\n`;
    writeSync(file, line(1), size - 1000);
    writeSync(file, line(2), size - 60);
    closeSync(file);
    let longest = 0;
    const readers: TelemetryReader[] = READERS.map((reader) => ({
      ...reader,
      open() {
        const reading = reader.open();
        return {
          push(text) {
            longest = Math.max(longest, text.length);
            return reading.push(text);
          },
          end: () => reading.end(),
        };
      },
    }));
    const model = await bench.service().list();
    const record = RunRecord.parse({
      ...JSON.parse(readFileSync(join(bench.folder(model[0]!.id), "run.json"), "utf8")),
      telemetry: [{ reader: "rewardsmith-log", path: "out/metrics.jsonl" }],
    });
    const open = (): { book: StatusBook; followers: Followers } => {
      const book = new StatusBook(folder, firstStatus(0, null), systemRunClock, (text) => text);
      return {
        book,
        followers: new Followers(folder, record, readers, systemRunClock, book, (text) => text),
      };
    };
    // Where somebody before had read all but the last 3 MB.
    const { ino } = await import("node:fs").then(({ statSync }) =>
      statSync(join(folder, "out", "metrics.jsonl")),
    );
    writeFileSync(
      join(folder, "process", "followed.json"),
      JSON.stringify({
        sources: [
          {
            reader: "rewardsmith-log",
            path: "out/metrics.jsonl",
            file: ino,
            offset: size - 3_000_000,
            changed: 0,
          },
        ],
      }),
    );
    const memory = process.memoryUsage().rss;
    const { book, followers } = open();
    await followers.resume();
    await followers.end();
    await book.close();
    expect(rows(folder).map(({ step }) => step)).toEqual([1, 2]);
    expect(longest).toBeLessThanOrEqual(1024 * 1024);
    expect(process.memoryUsage().rss - memory).toBeLessThan(200e6);

    // Read from its beginning, a round gives way to what else there is to do.
    rmSync(join(folder, "metrics.jsonl"));
    rmSync(join(folder, "process", "followed.json"));
    const second = open();
    const before = performance.now();
    await second.followers.follow();
    expect(performance.now() - before).toBeLessThan(2000);
    await second.book.close();
  });
});
