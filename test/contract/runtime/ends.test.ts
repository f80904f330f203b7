import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { findLeftovers } from "../../../src/runtime/processes/leftovers";
import { systemPlatform } from "../../../src/runtime/processes/systemPlatform";
import {
  MODES,
  afterwards,
  folder,
  job,
  marked,
  python,
  repository,
  run,
  samples,
  start,
  until,
  workerPath,
  write,
  type Mode,
} from "./harness";

/** Case L03: ignores the polite signal, starts children that nobody waits for, sleeps. */
const STUBBORN = `
import signal, subprocess, sys, time
def reward(completions, **kwargs):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(901)"], start_new_session=True)
    print("children started", flush=True)
    time.sleep(900)
    return [0.0] * len(completions)
`;

/** Stuck in C code that holds the interpreter lock: no Python code of the process runs any more, in no thread. */
const HUNG = `
import re, subprocess, sys
def reward(completions, **kwargs):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(900)"])
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(901)"], start_new_session=True)
    re.match(r"(a+)+$", "a" * 64 + "b")
    return [0.0] * len(completions)
`;

const children = (marker: string): string[] =>
  marked(marker).filter((line) => /time\.sleep\(90\d\)/.test(line));

let host: string;

beforeAll(async () => {
  host = join(repository, "out", "test", "engineHost.mjs");
  await build({
    entryPoints: [join(repository, "test/contract/runtime/engineHost.ts")],
    outfile: host,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
});

interface Host {
  readonly child: ChildProcess;
  readonly marker: string;
  readonly tmp: string;
  /** What the host said so far. */
  readonly said: Record<string, unknown>[];
}

/** Starts a process like the engine, which starts a worker and runs the reward; returns when its children run. */
async function engineRunning(mode: Mode, source: string, ready: (marker: string) => boolean): Promise<Host> {
  const root = folder();
  const path = write(join(root, "reward.py"), source);
  const tmp = join(root, "storage");
  const spec = job(path, ["reward"], [[0]], { limits: { unitSeconds: 600 } });
  const argument = JSON.stringify({
    options: { python, mode, tmp, workerPath, cwd: root },
    completions: ["a"],
    job: spec,
  });
  const child = spawn(process.execPath, [host, argument], { stdio: ["ignore", "pipe", "inherit"] });
  afterwards(() => void child.kill("SIGKILL"));
  const said: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) =>
    said.push(JSON.parse(line) as Record<string, unknown>),
  );
  await until("the worker is ready", () => said.some((message) => message["ready"] === true), 30_000);
  const marker = String(said.find((message) => message["marker"] !== undefined)?.["marker"]);
  afterwards(async () => {
    // A test that failed must not leave what it found.
    for (const line of marked(marker)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
    await until("cleaned up", () => marked(marker).length === 0);
  });
  await until("the reward runs", () => ready(marker), 30_000);
  return { child, marker, tmp, said };
}

const guardians = (marker: string): number[] =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return words.includes(marker) && words.some((word) => word.endsWith("guardian.py"))
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });

describe.runIf(process.platform === "linux").each(MODES)("the end, in %s mode", (mode) => {
  it.each([
    ["ignores the polite signal and has children", STUBBORN],
    ["hangs inside the regular expression engine and has children", HUNG],
  ])("nothing is left within 10 s of the engine being killed while a reward %s", async (_, source) => {
    const { child, marker } = await engineRunning(mode, source, (mark) => children(mark).length === 2);
    expect(guardians(marker)).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("every process is gone", () => marked(marker).length === 0 && guardians(marker).length === 0);
  });

  it("nothing is left of an engine killed while its processes wait", async () => {
    const { child, marker } = await engineRunning(
      mode,
      "def reward(completions, **kwargs):\n    return [1.0]\n",
      () => true,
    );
    expect(marked(marker).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await until("every process is gone", () => marked(marker).length === 0 && guardians(marker).length === 0);
  });

  it("the guardian ends everything even where Python was killed together with the engine", async () => {
    const { child, marker, said } = await engineRunning(
      mode,
      STUBBORN,
      (mark) => children(mark).length === 2,
    );
    const pids = said.findLast((message) => Array.isArray(message["pids"]))?.["pids"] as number[];
    child.kill("SIGKILL");
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await until("every process is gone", () => marked(marker).length === 0 && guardians(marker).length === 0);
  });

  it("what outlived engine, Python and guardian is found at the next start, and ended on request", async () => {
    const { child, marker, tmp, said } = await engineRunning(
      mode,
      STUBBORN,
      (mark) => children(mark).length === 2,
    );
    const platform = systemPlatform();
    expect(await findLeftovers(tmp, platform)).toEqual([]);

    const pids = said.findLast((message) => Array.isArray(message["pids"]))?.["pids"] as number[];
    // All at once: nobody has the time to clean up.
    for (const pid of [...guardians(marker), ...pids]) process.kill(pid, "SIGKILL");
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("only the children are left", () =>
      marked(marker).every((line) => line.includes("time.sleep")),
    );
    const alive = children(marker).map((line) => Number(line.split(" ")[0]));
    expect(alive.length).toBeGreaterThan(0);

    const [leftover, ...others] = await findLeftovers(tmp, platform);
    expect(others).toEqual([]);
    expect(leftover?.marker).toBe(marker);
    expect(leftover?.processes.map(({ pid }) => pid).sort()).toEqual(alive.sort());
    expect(await leftover?.end()).toBe(alive.length);
    expect(marked(marker)).toEqual([]);
    expect(await findLeftovers(tmp, platform)).toEqual([]);
    expect(readdirSync(join(tmp, "sessions"))).toEqual([]);
    expect(readdirSync(tmp)).toEqual(["sessions"]);
  });

  it("a job whose Python is killed ends with the signal; the next one runs", async () => {
    const { worker, root } = start(mode);
    const path = write(
      join(root, "reward.py"),
      STUBBORN.replace(
        "    print(",
        '    if completions[0] != "a":\n        return [1.0] * len(completions)\n    print(',
      ),
    );
    await samples(worker, ["a", "b"]);
    const failures: string[] = [];
    worker.onDidFail((message) => failures.push(message));
    const hanging = run(worker, job(path, ["reward"], [[0]], { limits: { unitSeconds: 600 } }));
    await until("the children run", () => children(worker.marker).length === 2);
    for (const pid of worker.describe().pids) process.kill(pid, "SIGKILL");
    const { end } = await hanging;
    expect(end).toMatchObject({ reason: "signal", signal: "SIGKILL" });
    await until("its children are gone", () => children(worker.marker).length === 0);
    expect((await run(worker, job(path, ["reward"], [[1]]))).values).toEqual([1]);
    if (mode === "fork") expect(failures).toEqual([expect.stringContaining("SIGKILL")]);
    await until("nothing of the job is left", () => children(worker.marker).length === 0);
  });

  it("processes that are killed while nothing runs are replaced without anybody noticing", async () => {
    const { worker, root } = start(mode);
    const path = write(
      join(root, "reward.py"),
      "def reward(completions, **kwargs):\n    return [1.0] * len(completions)\n",
    );
    await samples(worker, ["a"]);
    await worker.ready();
    for (let round = 0; round < 3; round++) {
      for (const pid of worker.describe().pids) process.kill(pid, "SIGKILL");
      await until("they are gone", () => worker.describe().pids.length === 0);
      expect((await run(worker, job(path, ["reward"], [[0]]))).end.reason).toBe("done");
    }
  });

  it("a parent that stops answering is ended, and the job with it", async () => {
    const { worker, root } = start(mode);
    const path = write(
      join(root, "reward.py"),
      "import time\ndef reward(completions, **kwargs):\n    time.sleep(60)\n",
    );
    await samples(worker, ["a"]);
    const controller = new AbortController();
    const { end, ms } = await run(
      worker,
      job(path, ["reward"], [[0]], { limits: { unitSeconds: 100 } }),
      controller.signal,
      (frame) => {
        if (frame.t !== "loaded") return;
        for (const pid of worker.describe().pids) process.kill(pid, "SIGSTOP");
        controller.abort();
      },
    );
    expect(end.reason).toBe("cancelled");
    expect(ms).toBeLessThan(8000);
  });

  it("dispose ends a running job as cancelled and leaves nothing, not even files", async () => {
    const { worker, root } = start(mode);
    const path = write(join(root, "reward.py"), STUBBORN);
    await samples(worker, ["a"]);
    const hanging = run(worker, job(path, ["reward"], [[0]], { limits: { unitSeconds: 600 } }));
    const queued = run(worker, job(path, ["reward"], [[0]])).then(
      () => "ran",
      (error: unknown) => (error as { code: string }).code,
    );
    await until("the children run", () => children(worker.marker).length === 2);
    worker.dispose();
    worker.dispose();
    const began = performance.now();
    expect((await hanging).end.reason).toBe("cancelled");
    expect(await queued).toBe("Disposed");
    await worker.stopped;
    expect(performance.now() - began).toBeLessThan(5000);
    expect(marked(worker.marker)).toEqual([]);
    expect(guardians(worker.marker)).toEqual([]);
    expect(readdirSync(join(root, "storage", "sessions"))).toEqual([]);
    expect(readdirSync(join(root, "storage"))).toEqual(["sessions"]);
    await expect(worker.ready()).rejects.toMatchObject({ code: "Disposed" });
  });

  it("dispose while Python is starting leaves nothing", async () => {
    const { worker } = start(mode);
    const waiting = worker.ready().catch((error: unknown) => (error as { code: string }).code);
    await new Promise((resolve) => setTimeout(resolve, 20));
    worker.dispose();
    expect(await waiting).toBe("Disposed");
    await worker.stopped;
    expect(marked(worker.marker)).toEqual([]);
  });
});
