import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunListReport, RunLogReport, RunShowReport } from "../../../src/schema/runReport";
import { Bench, alive, fixtures, python, until } from "./harness";

/** What a job prints, is given and leaves behind. */
let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const noisy = (...args: string[]): string[] => [python, join(fixtures, "noisy_job.py"), ...args];
const NOISE = `${Array.from({ length: 3000 }, (_, at) => `${String(at + 1).padStart(5, "0")} ${"x".repeat(94)}`).join("\n")}\nLAST LINE before the end\n`;

const over = (id: string, ms = 20_000): Promise<void> =>
  until(() => !["starting", "running", "stopping"].includes(bench.status(id).state), ms, `the end of ${id}`);

describe("the log", () => {
  it("is whole when nobody reads, and the job isn't held up", async () => {
    const { record } = await bench.start(noisy());
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({ state: "finished", exit: { code: 0 } });
    expect(bench.log(record.id)).toBe(NOISE);
  });

  it("has the last line of a job that is killed while it prints", async () => {
    const { record } = await bench.start(noisy("--die"));
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({
      state: "killed",
      reason: { code: "signal" },
      exit: { signal: 9 },
    });
    expect(bench.log(record.id)).toBe(NOISE);
    const service = bench.service();
    const tail = await service.log(record.id, null, 1000);
    expect(tail.text.endsWith("LAST LINE before the end\n")).toBe(true);
    expect(tail.total).toBe(NOISE.length);
    // Two views, each scrolling back from its own place: slices join without a gap, and neither takes from the other.
    const other = await bench.service().log(record.id, 0, 5000);
    const back = await service.log(record.id, tail.from - 1000, 1000);
    expect(back.text + tail.text).toBe(NOISE.slice(-2000));
    expect(other.text).toBe(NOISE.slice(0, 5000));
    expect((await service.log(record.id, 0, 5000)).text).toBe(other.text);
  });

  it("of a job that closes its output: it works on, and ends as it ends", async () => {
    const { record } = await bench.start([python, join(fixtures, "closing_job.py")]);
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({ state: "finished", exit: { code: 0 } });
    expect(bench.log(record.id)).toBe("before\n");
    expect(bench.status(record.id).elapsedS).toBeGreaterThan(1.4);
  });

  it("of 2 GB shows its end at once, and is read by offset", async () => {
    const { record } = await bench.start([python, "-c", "print('x')"], ["--name", "big"]);
    await over(record.id);
    const size = 2 * 1024 ** 3;
    const file = openSync(join(bench.folder(record.id), "console.log"), "r+");
    ftruncateSync(file, size);
    writeSync(file, "the end\n", size - 8);
    closeSync(file);
    const service = bench.service();
    const before = { at: performance.now(), memory: process.memoryUsage().rss };
    const tail = await service.log(record.id, null, 1000);
    expect(tail).toMatchObject({ from: size - 1000, to: size, total: size });
    expect(tail.text.endsWith("the end\n")).toBe(true);
    expect((await service.log(record.id, 0, 2)).text).toBe("x\n");
    console.log(`tail of 2 GB: ${(performance.now() - before.at).toFixed(1)} ms`);
    expect(process.memoryUsage().rss - before.memory).toBeLessThan(100e6);
    const shown = RunLogReport.parse(
      JSON.parse((await bench.run(["logs", record.id, "--json", "--bytes", "8"])).out),
    );
    expect(shown.log.text).toBe("the end\n");
  });

  it("is followed until the run is over", async () => {
    const { code, out } = await bench.run([
      "start",
      "--follow",
      "--",
      python,
      "-c",
      "import time\nfor i in range(5): print(i); time.sleep(.1)\nraise SystemExit(4)",
    ]);
    expect(code).toBe(1);
    expect(out.startsWith("0\n1\n2\n3\n4\n")).toBe(true);
    expect(out).toContain("exit code 4");
  });
});

describe("the command", () => {
  it("gets its arguments as they are, without a shell", async () => {
    interface Command {
      readonly shell: string;
      readonly argv: readonly string[];
    }
    const cases: Command[] = [
      { shell: "none (direct spawn)", argv: ["-m", "train", "--note", "a & b; $HOME `x`"] },
      {
        shell: "none (more)",
        argv: ["", " ", "--json", "--", "*", "\"'\\", "ä\n\t|", "%PATH%", "-- follow"],
      },
    ];
    for (const { argv } of cases) {
      const { record } = await bench.start([
        python,
        "-c",
        "import json, sys; print(json.dumps(sys.argv[1:]))",
        ...argv,
      ]);
      await over(record.id);
      expect(JSON.parse(bench.log(record.id))).toEqual(argv);
    }
  });

  it("starts in the project's folder, with its own variables, unbuffered, signals as they are by default", async () => {
    const script =
      "import json, os, signal\n" +
      "print(json.dumps([os.getcwd(), os.environ.get('MINE'), os.environ.get('PYTHONUNBUFFERED'), " +
      "signal.getsignal(signal.SIGINT) is signal.default_int_handler, os.getsid(0) == os.getpid() == os.getpgid(0), " +
      "'ELECTRON_RUN_AS_NODE' in os.environ]))";
    // A shell's background job ignores SIGINT, and so do its children.
    const out = spawnSync(
      "sh",
      [
        "-c",
        'trap "" INT; exec "$@"',
        "sh",
        process.execPath,
        bench.cli,
        "run",
        "start",
        "--json",
        "--env",
        "MINE=a b",
        "--",
        python,
        "-c",
        script,
      ],
      {
        cwd: bench.project,
        env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
      },
    );
    const { record } = RunShowReport.parse(JSON.parse(out.stdout.toString()));
    await over(record.id);
    expect(JSON.parse(bench.log(record.id))).toEqual([bench.project, "a b", "1", true, true, false]);
  });

  it("that isn't there, and one that may not be run, are told apart", async () => {
    const missing = await bench.start(["no-such-program-anywhere"]);
    await over(missing.record.id);
    const shown = await bench.show(missing.record.id);
    expect(shown.status).toMatchObject({ state: "failed", reason: { code: "program-missing" } });
    expect(shown.sentence).toMatch(/isn't there.*no-such-program-anywhere/);
    const file = join(bench.home, "not-runnable");
    writeFileSync(file, "x");
    const refused = await bench.start([file]);
    await over(refused.record.id);
    expect(bench.status(refused.record.id)).toMatchObject({
      state: "failed",
      reason: { code: "cannot-start" },
    });
    const python = await bench.start(["x"], ["--python", join(bench.home, "gone", "python")]);
    await over(python.record.id);
    expect(bench.status(python.record.id)).toMatchObject({
      state: "failed",
      reason: { code: "program-missing" },
      job: null,
    });
  });
});

describe("stop", () => {
  it("leaves nothing of a job that ignores it and has children elsewhere, within ten seconds", async () => {
    const { record, status } = await bench.start([python, join(fixtures, "stubborn_job.py")]);
    await until(() => bench.log(record.id).includes("STRIPPED"), 5000, "its children");
    const children = [...bench.log(record.id).matchAll(/(?:CHILD|STRIPPED) (\d+)/g)].map((match) =>
      Number(match[1]),
    );
    expect(children).toHaveLength(2);
    expect(children.every(alive)).toBe(true);
    const before = performance.now();
    const { code } = await bench.run(["stop", record.id, "--json"]);
    const took = performance.now() - before;
    console.log(`stop of a stubborn job: ${(took / 1000).toFixed(1)} s`);
    expect(code).toBe(0);
    expect(took).toBeLessThan(10_000);
    expect([status.job!.pid, ...children].filter(alive)).toEqual([]);
    expect(bench.status(record.id)).toMatchObject({ state: "stopped", reason: { code: "stop-forced" } });
  });

  it("by force is at once; a run that is over can't be stopped, a live one not deleted", async () => {
    const { record } = await bench.start([python, join(fixtures, "stubborn_job.py")]);
    const refusedDelete = await bench.run(["delete", record.id]);
    expect(refusedDelete).toMatchObject({ code: 2 });
    expect(refusedDelete.err).toMatch(/Stop it first/);
    const before = performance.now();
    await bench.run(["stop", record.id, "--now"]);
    expect(performance.now() - before).toBeLessThan(4000);
    expect(bench.status(record.id).state).toBe("stopped");
    const again = await bench.run(["stop", record.id]);
    expect(again.code).toBe(2);
    expect(again.err).toMatch(/nothing to stop/);
  });

  it("what a job leaves running is ended with it", async () => {
    const { record } = await bench.start([
      python,
      "-c",
      "import subprocess, sys\nc = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nprint(c.pid)\nsys.exit(5)",
    ]);
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({ state: "failed", exit: { code: 5 } });
    expect(alive(Number(bench.log(record.id)))).toBe(false);
  });
});

describe("several at once", () => {
  it("two launches of one name from two processes never share a folder", async () => {
    const launched = await Promise.all(
      Array.from({ length: 4 }, () => bench.start([python, "-c", "print('one')"], ["--name", "same"])),
    );
    const ids = launched.map(({ record }) => record.id);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) {
      await over(id);
      expect(bench.log(id)).toBe("one\n");
      expect(
        readdirSync(join(bench.folder(id), "process")).filter((name) => name.startsWith("supervisor-")),
      ).toEqual(["supervisor-1.json"]);
    }
  });

  it("a second supervisor finds the first alive, and leaves", async () => {
    const { record, status } = await bench.start([python, "-c", "import time; time.sleep(60)"]);
    for (const mode of ["watch-adopt", "watch-start"]) {
      const { status: code } = spawnSync(process.execPath, [bench.program, mode, bench.folder(record.id)], {
        timeout: 10_000,
      });
      expect(code).toBe(0);
    }
    expect(bench.status(record.id).supervisor).toEqual(status.supervisor);
    await bench.run(["stop", record.id, "--now"]);
  });

  it("two that look at a run whose supervisor is gone start one, not two", async () => {
    const { record, status } = await bench.start(
      [python, "-c", "import time; time.sleep(60)"],
      ["--name", "looked"],
    );
    process.kill(status.supervisor!.pid, "SIGKILL");
    await until(() => !alive(status.supervisor!.pid), 2000, "the supervisor to be gone");
    await Promise.all([bench.show(record.id), bench.show(record.id), bench.run(["list"])]);
    await until(
      () => bench.status(record.id).supervisor!.pid !== status.supervisor!.pid,
      10_000,
      "an adopter",
    );
    expect(bench.events(record.id).filter(({ kind }) => kind === "adopted")).toHaveLength(1);
    await bench.run(["stop", record.id, "--now"]);
    expect(bench.status(record.id).state).toBe("stopped");
  });

  it("500 runs are listed at once", async () => {
    const project = join(bench.home, "many");
    const service = bench.service(project);
    const { record } = await bench.start([python, "-c", "print(1)"], ["--name", "model"]);
    await over(record.id);
    const status = readFileSync(join(bench.folder(record.id), "status.json"), "utf8");
    for (let at = 1; at <= 500; at++) {
      const folder = join(project, ".rewardsmith", "runs", `r-${at}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "run.json"), JSON.stringify({ ...record, id: `r-${at}`, created: at }));
      writeFileSync(join(folder, "status.json"), status);
    }
    const before = performance.now();
    const listed = await service.list();
    const first = performance.now() - before;
    await service.list();
    console.log(
      `500 runs: ${first.toFixed(0)} ms, again ${(performance.now() - before - first).toFixed(0)} ms`,
    );
    expect(listed).toHaveLength(500);
    expect(listed[0]).toMatchObject({ id: "r-500", state: "finished" });
    const report = await bench.run(["list", "--json"], {}, project);
    expect(RunListReport.parse(JSON.parse(report.out)).runs).toHaveLength(500);
  });
});

describe("a full disk", () => {
  const root = process.getuid?.() === 0 && process.platform === "linux";

  it.skipIf(!root)(
    "(needs root for a small file system) ends neither job nor supervisor, and is told",
    async () => {
      const project = join(bench.home, "small");
      mkdirSync(project);
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", project]);
      if (mounted.status !== 0) {
        console.log(
          `skipped: no small file system can be mounted here (${mounted.stderr.toString().trim()})`,
        );
        return;
      }
      try {
        const go = join(bench.home, "go-on");
        const script = `
import os, sys, time
for i in range(80000):
    print("y" * 99)
while not os.path.exists(${JSON.stringify(go)}):
    time.sleep(.05)
print("AFTER")
sys.exit(7)`;
        const file = join(bench.home, "fill.py");
        writeFileSync(file, script);
        const { out } = await bench.run(
          ["start", "--name", "full", "--json", "--", python, file],
          {},
          project,
        );
        const { status: started } = RunShowReport.parse(JSON.parse(out));
        const folder = join(project, ".rewardsmith", "runs", "full-1");
        const free = (): number =>
          Number(spawnSync("df", ["--output=avail", project]).stdout.toString().split("\n")[1]);
        await until(() => free() === 0, 20_000, "the disk to be full");
        await new Promise((resolve) => setTimeout(resolve, 2000));
        expect(alive(started.job!.pid)).toBe(true);
        expect(alive(started.supervisor!.pid)).toBe(true);
        // Room again: the log loses its first half, as somebody would do by hand.
        spawnSync("truncate", ["-s", "0", join(folder, "console.log")]);
        await until(
          () => readFileSync(join(folder, "status.json"), "utf8").includes("disk-full"),
          10_000,
          "the status to say so",
        );
        writeFileSync(go, "");
        await until(
          async () => (await bench.service(project).get("full-1")).status.state === "failed",
          15_000,
          "the end",
        );
        const { status } = await bench.service(project).get("full-1");
        expect(status).toMatchObject({ state: "failed", exit: { code: 7 } });
        expect(status.problems.map(({ code }) => code)).toContain("disk-full");
        const log = readFileSync(join(folder, "console.log"), "utf8");
        expect(log.endsWith("AFTER\n")).toBe(true);
        expect(log.match(/bytes of output are missing here, the disk was full/g)).toHaveLength(1);
        expect(
          existsSync(join(folder, "status.json")) && statSync(join(folder, "status.json")).size > 0,
        ).toBe(true);
      } finally {
        spawnSync("umount", ["-l", project]);
      }
    },
  );
});

describe("who is looking", () => {
  it("a following command that is interrupted leaves the run running", async () => {
    const child = spawn(
      process.execPath,
      [
        bench.cli,
        "run",
        "start",
        "--follow",
        "--name",
        "ctrl",
        "--",
        python,
        "-c",
        "import time; print('up'); time.sleep(60)",
      ],
      {
        cwd: bench.project,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const code = new Promise((resolve) => child.on("close", resolve));
    await until(() => out.includes("up"), 15_000, "its line");
    child.kill("SIGINT");
    expect(await code).toBe(130);
    expect(bench.status("ctrl-1").state).toBe("running");
    await bench.run(["stop", "ctrl-1"]);
    expect(bench.status("ctrl-1").state).toBe("stopped");
  });
});
