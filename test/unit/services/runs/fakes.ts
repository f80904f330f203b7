import type { Clock, RunPresence, RunProcessPort, RunStorePort } from "../../../../src/core/ports";
import { RUN_SCHEMA, type RunState, RunStatus } from "../../../../src/schema/run";
import { type NewRun, RunService } from "../../../../src/services/runs/runService";

/** A folder of runs in memory: run → path → text. */
export class MemoryStore implements RunStorePort {
  readonly folder = "/p/.rewardsmith/runs";
  readonly runs = new Map<string, Map<string, string>>();
  /** Names that another process takes just before we do. */
  readonly taken = new Set<string>();

  ids(): Promise<string[]> {
    return Promise.resolve([...this.runs.keys()]);
  }
  claim(id: string): Promise<boolean> {
    if (this.taken.delete(id)) this.runs.set(id, new Map());
    if (this.runs.has(id)) return Promise.resolve(false);
    this.runs.set(id, new Map());
    return Promise.resolve(true);
  }
  read(id: string, path: string): Promise<string | null> {
    return Promise.resolve(this.runs.get(id)?.get(path) ?? null);
  }
  write(id: string, path: string, text: string): Promise<void> {
    this.runs.get(id)!.set(path, text);
    return Promise.resolve();
  }
  copy(from: string, to: string, path: string): Promise<void> {
    for (const [name, text] of this.runs.get(from)!)
      if (name.startsWith(`${path}/`)) this.runs.get(to)!.set(name, text);
    return Promise.resolve();
  }
  slice(id: string, path: string, from: number | null, length: number) {
    const text = this.runs.get(id)?.get(path);
    if (text === undefined) return Promise.resolve(null);
    const all = Buffer.from(text);
    const start = from ?? Math.max(0, all.length - length);
    return Promise.resolve({ bytes: all.subarray(start, start + length), from: start, total: all.length });
  }
  stamp(id: string): Promise<string> {
    return Promise.resolve(JSON.stringify([...(this.runs.get(id) ?? [])]));
  }
  remove(id: string): Promise<void> {
    this.runs.delete(id);
    return Promise.resolve();
  }

  /** As a supervisor would write it. */
  put(id: string, change: Partial<RunStatus> & { state: RunState }): void {
    const old = RunStatus.parse(JSON.parse(this.runs.get(id)!.get("status.json")!));
    this.runs.get(id)!.set("status.json", JSON.stringify({ ...old, ...change }));
  }
}

export class MemoryProcesses implements RunProcessPort {
  readonly started: { folder: string; secrets: Readonly<Record<string, string>> }[] = [];
  readonly requests: { folder: string; kind: "stop" | "kill"; by: string }[] = [];
  readonly ensured: string[] = [];
  presence: (folder: string) => RunPresence = () => "watched";

  start(folder: string, secrets: Readonly<Record<string, string>>): Promise<void> {
    this.started.push({ folder, secrets });
    return Promise.resolve();
  }
  ensure(folder: string): Promise<RunPresence> {
    this.ensured.push(folder);
    return Promise.resolve(this.presence(folder));
  }
  request(folder: string, kind: "stop" | "kill", by: string): Promise<void> {
    this.requests.push({ folder, kind, by });
    return Promise.resolve();
  }
}

/** Time passes only in `delay`. */
export class MemoryClock implements Clock {
  at = 0;
  now = (): number => this.at;
  delay = async (ms: number, signal?: AbortSignal): Promise<void> => {
    this.at += ms;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  };
}

export function bench(): {
  store: MemoryStore;
  processes: MemoryProcesses;
  clock: MemoryClock;
  service: RunService;
} {
  const store = new MemoryStore();
  const processes = new MemoryProcesses();
  const clock = new MemoryClock();
  let now = 1000;
  const service = new RunService({ store, processes, clock, now: () => now++, by: "test" });
  return { store, processes, clock, service };
}

export function newRun(change: Partial<NewRun> = {}): NewRun {
  return {
    name: "My run",
    backend: { name: "local", type: "local" },
    recipe: { id: "custom", check: "ran", framework: null, version: null },
    smoke: false,
    settings: {},
    output: {
      files: [{ path: "launch.py", text: "print(1)" }],
      command: { program: "python", args: ["launch.py"], cwd: "job", env: { A: "1" }, secrets: [] },
      resolved: [],
      telemetry: [],
      rollouts: null,
      checkpoints: "out/checkpoint-*",
    },
    reward: null,
    rewardFiles: [{ path: "reward.py", text: "def f(): ..." }],
    suite: null,
    samples: [],
    resumes: null,
    override: null,
    secrets: {},
    ...change,
  };
}

export const schema = RUN_SCHEMA;
