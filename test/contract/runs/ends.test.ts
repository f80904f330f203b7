import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunStatus } from "../../../src/schema/run";
import { Bench, alive, fixtures, processesWith, python, until } from "./harness";

/** Hard ends of everything that takes part in a run: afterwards its state is true, and nothing of its output is lost. */
let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const counting = (count: number, code = 0): string[] => [
  python,
  join(fixtures, "counting_job.py"),
  String(count),
  String(code),
];

const lines = (count: number): string =>
  `${Array.from({ length: count }, (_, at) => `line ${String(at).padStart(5, "0")}`).join("\n")}\nLAST LINE before the end\n`;

const keeperOf = (id: string): number =>
  (
    JSON.parse(readFileSync(join(bench.folder(id), "process", "job.json"), "utf8")) as {
      keeper: { pid: number };
    }
  ).keeper.pid;

const over = (id: string, ms = 20_000): Promise<void> =>
  until(
    async () => !["starting", "running", "stopping"].includes((await bench.show(id)).status.state),
    ms,
    `the end of ${id}`,
  );

const supervisorOf = ({ supervisor }: RunStatus): number => supervisor!.pid;

describe("kill -9", () => {
  it("of the command line that follows: the job goes on to its end", async () => {
    const child = spawn(
      process.execPath,
      [bench.cli, "run", "start", "--follow", "--name", "cli", "--", ...counting(100)],
      {
        cwd: bench.project,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let seen = "";
    child.stdout.on("data", (chunk: Buffer) => (seen += chunk.toString()));
    await until(() => seen.includes("line 00005"), 15_000, "followed lines");
    child.kill("SIGKILL");
    await over("cli-1");
    expect(bench.status("cli-1")).toMatchObject({
      state: "finished",
      reason: null,
      exit: { code: 0, signal: null },
    });
    expect(bench.log("cli-1")).toBe(lines(100));
  });

  it("of the supervisor: another takes over, the end is seen, no line is missing", async () => {
    const { record, status } = await bench.start(counting(250, 3), ["--name", "supervisor"]);
    await until(() => bench.log(record.id).includes("line 00010"), 5000, "lines");
    process.kill(supervisorOf(status), "SIGKILL");
    await until(() => !alive(supervisorOf(status)), 2000, "the supervisor to be gone");
    expect((await bench.show(record.id)).status.state).toBe("running");
    await until(() => supervisorOf(bench.status(record.id)) !== supervisorOf(status), 10_000, "an adopter");
    expect(bench.events(record.id).map(({ kind }) => kind)).toContain("adopted");
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({
      state: "failed",
      reason: { code: "exit-code", text: "LAST LINE before the end" },
      exit: { code: 3, signal: null },
    });
    expect(bench.log(record.id)).toBe(lines(250));
  });

  it("of the supervisor, and nobody looks until the job is over: its end was noted", async () => {
    const { record, status } = await bench.start(counting(60), ["--name", "unseen"]);
    process.kill(supervisorOf(status), "SIGKILL");
    await until(() => !alive(status.job!.pid), 10_000, "the job's end");
    await until(() => !alive(keeperOf(record.id)), 5000, "the keeper's end");
    expect((await bench.show(record.id)).status).toMatchObject({ state: "finished", exit: { code: 0 } });
    expect(bench.log(record.id)).toBe(lines(60));
  });

  it("of the job's parent: its output is read on, and that nobody saw its end is said", async () => {
    const { record } = await bench.start(counting(150), ["--name", "keeper"]);
    await until(() => bench.log(record.id).includes("line 00010"), 5000, "lines");
    process.kill(keeperOf(record.id), "SIGKILL");
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({
      state: "lost",
      reason: { code: "supervisor-gone" },
      exit: null,
    });
    expect(bench.log(record.id)).toBe(lines(150));
  });

  it("of both: the job lives, an adopter reads what it printed meanwhile", async () => {
    const { record, status } = await bench.start(counting(200), ["--name", "both"]);
    await until(() => bench.log(record.id).includes("line 00010"), 5000, "lines");
    process.kill(supervisorOf(status), "SIGKILL");
    process.kill(keeperOf(record.id), "SIGKILL");
    await until(() => !alive(supervisorOf(status)), 2000, "the supervisor to be gone");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(alive(status.job!.pid)).toBe(true);
    expect((await bench.show(record.id)).status.state).toBe("running");
    await over(record.id);
    expect(bench.status(record.id)).toMatchObject({ state: "lost", reason: { code: "supervisor-gone" } });
    expect(bench.log(record.id)).toBe(lines(200));
  });

  it("of the job: killed by signal 9, not failed", async () => {
    const { record, status } = await bench.start(counting(1000), ["--name", "job"]);
    await until(() => bench.log(record.id).includes("line 00003"), 5000, "lines");
    process.kill(status.job!.pid, "SIGKILL");
    await over(record.id);
    const after = await bench.show(record.id);
    expect(after.status).toMatchObject({
      state: "killed",
      reason: { code: "signal" },
      exit: { code: null, signal: 9 },
    });
    expect(after.sentence).toContain("signal 9");
  });

  it("of all at once: lost, and nothing is left", async () => {
    const { record, status } = await bench.start(counting(1000), ["--name", "all"]);
    for (const pid of [supervisorOf(status), keeperOf(record.id), status.job!.pid])
      process.kill(pid, "SIGKILL");
    await until(() => !alive(status.job!.pid), 2000, "the job to be gone");
    expect(bench.status(record.id).state).toBe("running");
    expect((await bench.show(record.id)).status).toMatchObject({
      state: "lost",
      reason: { code: "supervisor-gone" },
      exit: null,
    });
    expect(processesWith(bench.folder(record.id))).toEqual([]);
  });
});

describe("numbers that are used again", () => {
  const mend = (id: string, change: (status: RunStatus) => RunStatus): void =>
    writeFileSync(join(bench.folder(id), "status.json"), JSON.stringify(change(bench.status(id))));

  it("a process with the job's or the supervisor's number is neither", async () => {
    const { record, status } = await bench.start(counting(1000), ["--name", "reused"]);
    const victims = [supervisorOf(status), keeperOf(record.id), status.job!.pid];
    for (const pid of victims) process.kill(pid, "SIGKILL");
    await until(() => victims.every((pid) => !alive(pid)), 2000, "all to be gone");
    // This test's own process stands for the ones that got the numbers: alive, and started at another time.
    const forged = <T extends object>(mark: T): T => ({ ...mark, pid: process.pid });
    mend(record.id, (old) => ({ ...old, job: forged(old.job!), supervisor: forged(old.supervisor!) }));
    for (const name of ["job.json", "supervisor-1.json"]) {
      const file = join(bench.folder(record.id), "process", name);
      const old = JSON.parse(readFileSync(file, "utf8")) as { mark?: object; keeper?: object };
      writeFileSync(
        file,
        JSON.stringify(
          name === "job.json"
            ? { ...old, mark: forged(old.mark!), keeper: forged(old.keeper!) }
            : forged(old),
        ),
      );
    }
    expect((await bench.show(record.id)).status).toMatchObject({
      state: "lost",
      reason: { code: "supervisor-gone" },
    });
    expect(alive(process.pid)).toBe(true);
  });

  it("another boot of the machine says so", async () => {
    const { record, status } = await bench.start(counting(1000), ["--name", "boot"]);
    for (const pid of [supervisorOf(status), keeperOf(record.id), status.job!.pid])
      process.kill(pid, "SIGKILL");
    await until(() => !alive(status.job!.pid), 2000, "the job to be gone");
    mend(record.id, (old) => ({ ...old, job: { ...old.job!, boot: "an-earlier-boot" } }));
    const job = join(bench.folder(record.id), "process", "job.json");
    writeFileSync(job, readFileSync(job, "utf8").replaceAll(status.job!.boot, "an-earlier-boot"));
    const after = await bench.show(record.id);
    expect(after.status).toMatchObject({ state: "lost", reason: { code: "machine-restarted" } });
    expect(after.sentence).toMatch(/restarted/);
  });
});
