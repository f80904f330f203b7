import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect } from "vitest";
import type { JobFrame } from "../../../src/core/ports";
import {
  createWorker,
  type PythonWorker,
  type WorkerOptions,
} from "../../../src/runtime/worker/pythonWorker";
import type { EndFrame, Job, LoadedFrame, UnitFrame } from "../../../src/schema/worker";

const here = dirname(fileURLToPath(import.meta.url));
export const repository = resolve(here, "../../..");
export const workerPath = join(repository, "python", "rewardsmith_worker");
/** By its real file: the shims of version managers are scripts that take longer to start than Python itself. */
export const python = execFileSync(
  process.env["REWARDSMITH_PYTHON"] ?? "python3",
  ["-c", "import sys; print(sys.executable)"],
  { encoding: "utf8" },
).trim();

export const MODES = process.platform === "linux" ? (["fork", "spare"] as const) : (["spare"] as const);
export type Mode = (typeof MODES)[number];

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs when the test has ended, last one first. */
export function afterwards(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

/** A fresh folder with a name that breaks careless quoting. */
export function folder(): string {
  const parent = mkdtempSync(join(tmpdir(), "rewardsmith-"));
  const path = join(parent, "my runs (v2) & co");
  mkdirSync(path);
  afterwards(() => rmSync(parent, { recursive: true, force: true }));
  return path;
}

export function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export interface Bench {
  readonly worker: PythonWorker;
  readonly root: string;
  readonly log: string[];
}

/** A worker that is ended, and must have left nothing, when the test ends. */
export function start(mode: WorkerOptions["mode"], options: Partial<WorkerOptions> = {}): Bench {
  const root = folder();
  const log: string[] = [];
  const note = (text: string): void => void log.push(text);
  const logger = { debug: () => undefined, info: note, warn: note, error: note };
  const worker = createWorker({
    python,
    mode,
    tmp: join(root, "storage"),
    workerPath,
    cwd: root,
    logger,
    ...options,
  });
  afterwards(async () => {
    worker.dispose();
    await worker.stopped;
    expect(marked(worker.marker)).toEqual([]);
  });
  return { worker, root, log };
}

/** Loads completions (and columns) as one set. */
export async function samples(
  worker: PythonWorker,
  completions: readonly unknown[],
  columns: Record<string, readonly unknown[]> = {},
  set = "s",
): Promise<void> {
  const part = {
    set,
    from: 0,
    count: completions.length,
    total: completions.length,
    prompt: null,
    completion: completions,
    completionIds: null,
    columns,
  };
  await worker.load(set, () => [JSON.stringify(part)]);
}

/** A job over the rows of set `s`: every function in batches of the given rows. */
export function job(
  path: string,
  functions: readonly string[],
  batches: number[][],
  more: Partial<Omit<Job, "job" | "limits">> & { limits?: Partial<Job["limits"]> } = {},
): Omit<Job, "job"> {
  const { limits, ...rest } = more;
  return {
    path,
    module: "reward",
    roots: [dirname(path)],
    overlays: {},
    functions: functions.map((name) => ({
      name,
      plan: {
        unit: "batch",
        arguments: [{ name: "completions", from: "completion" }, { from: "columns" }],
        passing: "keyword",
        returns: "list",
        awaits: "functions",
      },
      allow: [],
    })),
    set: "s",
    batches,
    isolated: false,
    limits: { unitSeconds: 5, loadSeconds: 10, memoryMb: 2048, outputBytes: 20_000, ...limits },
    guarded: false,
    seed: 0,
    calls: 1,
    trace: null,
    ...rest,
  };
}

export interface Ran {
  readonly frames: JobFrame[];
  readonly loaded: LoadedFrame | undefined;
  readonly units: UnitFrame[];
  readonly values: UnitFrame["values"];
  readonly end: EndFrame;
  readonly ms: number;
}

export async function run(
  worker: PythonWorker,
  spec: Omit<Job, "job">,
  signal?: AbortSignal,
  onFrame?: (frame: JobFrame) => void,
): Promise<Ran> {
  const frames: JobFrame[] = [];
  const began = performance.now();
  const hear = (frame: JobFrame): void => {
    frames.push(frame);
    onFrame?.(frame);
  };
  const end = await worker.run(spec, hear, signal);
  const units = frames.filter((frame): frame is UnitFrame => frame.t === "unit");
  return {
    frames,
    loaded: frames.find((frame): frame is LoadedFrame => frame.t === "loaded"),
    units,
    values: units.flatMap(({ values }) => values),
    end,
    ms: performance.now() - began,
  };
}

/** Asked of the process table, by means of its own: processes whose environment holds the mark of a worker. */
export function marked(marker: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const variables = readFileSync(`/proc/${name}/environ`, "utf8").split("\0");
      if (!variables.some((variable) => variable.startsWith(`REWARDSMITH_WORKER=${marker}`))) return [];
      return [`${name} ${readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`];
    } catch {
      return [];
    }
  });
}

export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 10_000,
): Promise<number> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > ms) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
  return performance.now() - began;
}
