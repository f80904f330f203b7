import { build } from "esbuild";
import { fork, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll } from "vitest";
import { Emitter } from "../../../src/base/event";
import { engineContract, type EngineContract } from "../../../src/protocol/engine.contract";
import { createClient, type Channel, type Client } from "../../../src/protocol/rpc";
import type { FileScores, FunctionScores } from "../../../src/schema/live";
import type { RowScore } from "../../../src/schema/score";
import { DEFAULT_SETTINGS, type EngineSettings } from "../../../src/schema/settings";

export const CASES = resolve(import.meta.dirname, "../../fixtures/cases");
const ROOT = resolve(import.meta.dirname, "../../..");

let bundled: Promise<string> | undefined;
const temporary: string[] = [];
// Registered first, so it runs after the files' own hooks have stopped their engines.
afterAll(() => {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The engine as it is shipped: bundled, its thread's program and the Python package beside it. One build a test file. */
function bundle(): Promise<string> {
  bundled ??= (async () => {
    const dist = mkdtempSync(join(tmpdir(), "rewardsmith-engine-"));
    temporary.push(dist);
    await build({
      entryPoints: {
        engine: join(ROOT, "src/engine/main.ts"),
        trajectoryThread: join(ROOT, "src/runtime/trajectories/thread.ts"),
      },
      outdir: join(dist, "node"),
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      splitting: true,
      mainFields: ["module", "main"],
      logLevel: "warning",
      banner: {
        js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
      },
    });
    writeFileSync(join(dist, "package.json"), '{ "type": "module" }');
    cpSync(join(ROOT, "python/rewardsmith_worker"), join(dist, "python/rewardsmith_worker"), {
      recursive: true,
      filter: (path) => !path.includes("__pycache__"),
    });
    return join(dist, "node", "engine.js");
  })();
  return bundled;
}

export interface EngineOptions {
  readonly folder: string;
  readonly settings?: Partial<EngineSettings>;
  readonly trusted?: boolean;
  readonly env?: Record<string, string>;
}

/** A running engine process and what it said. */
export class EngineUnderTest {
  readonly child: ChildProcess;
  readonly client: Client<EngineContract["methods"]>;
  readonly scores: FileScores[] = [];
  readonly logs: string[] = [];
  readonly changed: string[] = [];
  readonly storage: string;
  readonly settings: EngineSettings;
  readonly #heard = new Emitter<FileScores>();
  readonly #closed = new Emitter<void>();
  readonly exited: Promise<number | null>;

  private constructor(program: string, options: EngineOptions) {
    this.storage = mkdtempSync(join(tmpdir(), "rewardsmith-storage-"));
    this.settings = { ...DEFAULT_SETTINGS, python: pythonPath(), ...options.settings };
    this.child = fork(program, [], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      execArgv: [],
      serialization: "json",
      env: { ...process.env, ...options.env },
    });
    this.child.stderr?.on("data", (data) => this.logs.push(`stderr: ${String(data)}`));
    this.child.stdout?.on("data", (data) => this.logs.push(`stdout: ${String(data)}`));
    const messages = new Emitter<unknown>();
    this.child.on("message", (message) => messages.fire(message));
    this.exited = new Promise((done) => this.child.once("exit", (code) => done(code)));
    void this.exited.then(() => this.#closed.fire());
    const channel: Channel = {
      post: (message) => {
        if (this.child.connected) this.child.send(message as object);
      },
      onMessage: messages.event,
      onClose: this.#closed.event,
    };
    this.client = createClient(
      engineContract,
      channel,
      {
        scores: (scores) => {
          this.scores.push(scores);
          this.#heard.fire(scores);
        },
        changed: ({ what }) => void this.changed.push(what),
        log: ({ level, text }) => void this.logs.push(`${level}: ${text}`),
      },
      (problem) => void this.logs.push(`rpc: ${problem}`),
    ).client;
  }

  static async start(options: EngineOptions): Promise<EngineUnderTest> {
    const engine = new EngineUnderTest(await bundle(), options);
    await engine.client.initialize({
      version: "0.0.0-test",
      trusted: options.trusted ?? true,
      folders: [options.folder],
      storage: engine.storage,
      settings: engine.settings,
    });
    return engine;
  }

  /** Waits for a snapshot that fits; earlier ones don't count unless `from` says so. Fails with what came instead. */
  async until(
    what: string,
    fits: (scores: FileScores) => boolean,
    from = this.scores.length,
    ms = 20_000,
  ): Promise<FileScores> {
    const known = this.scores.slice(from).find(fits);
    if (known) return known;
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        heard.dispose();
        const seen = this.scores.slice(from).map(brief).join("\n");
        fail(
          new Error(
            `no snapshot with ${what} in ${ms} ms; came:\n${seen}\nlog:\n${this.logs.slice(-20).join("\n")}`,
          ),
        );
      }, ms);
      const heard = this.#heard.event((scores) => {
        if (!fits(scores)) return;
        clearTimeout(timer);
        heard.dispose();
        done(scores);
      });
    });
  }

  async bind(
    path: string,
    files: string[],
    more: { live?: boolean; allow?: Record<string, ("connect" | "process" | "write" | "remove")[]> } = {},
  ): Promise<FileScores> {
    const info = await this.client.openSamples({ files, mapping: null });
    return this.client.bind({
      path,
      set: info.set,
      contracts: {},
      allow: more.allow ?? {},
      live: more.live ?? true,
    });
  }

  /** Types: the whole new text, as the host sends it. */
  async type(path: string, version: number, text: string, saved = false): Promise<void> {
    await this.client.document({ path, version, text, saved });
  }

  async rows(path: string, name: string): Promise<RowScore[]> {
    return (await this.client.rows({ path, function: name, from: 0, count: 1000, states: null })).rows;
  }

  async values(path: string, name: string): Promise<(number | string | null)[]> {
    return (await this.rows(path, name)).map(({ value }) =>
      value === null || typeof value === "number" ? value : value.nonFinite,
    );
  }

  async states(path: string, name: string): Promise<string[]> {
    return (await this.rows(path, name)).map(({ state }) => state);
  }

  /** Processes of this engine's worker that are alive, by the mark in their environment. */
  processes(): { pid: number; command: string }[] {
    return workerProcesses(this.storage);
  }

  async stop(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    await this.exited;
    rmSync(this.storage, { recursive: true, force: true });
  }
}

export function pythonPath(): string {
  return process.env["REWARDSMITH_TEST_PYTHON"] ?? "python3";
}

export function fn(scores: FileScores, name: string): FunctionScores {
  const found = scores.functions.find((one) => one.name === name);
  if (!found) throw new Error(`no ${name} in ${brief(scores)}`);
  return found;
}

export function brief(scores: FileScores): string {
  const functions = scores.functions.map(
    (f) =>
      `${f.name}@${f.line} ${f.status} ${f.n}/${f.of} ${JSON.stringify(f.states)} ${JSON.stringify(f.estimate?.mean)}`,
  );
  return `#${scores.seq} v${scores.docVersion} ${scores.status} ${scores.blocked ?? ""} ${scores.error?.code ?? ""} ${scores.error?.message ?? ""} | ${functions.join("; ")}`;
}

/** All living processes whose environment bears our mark and names this storage folder. Linux. */
export function workerProcesses(storage: string): { pid: number; command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, "latin1");
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      if (!environment.includes("REWARDSMITH_WORKER=") || !environment.includes(storage)) continue;
      if (/\) [ZX] /.test(stat)) continue;
      found.push({
        pid: Number(name),
        command: readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " "),
      });
    } catch {
      // Gone meanwhile, or not ours to read.
    }
  }
  return found;
}

export async function eventually(what: string, holds: () => boolean, ms = 10_000): Promise<void> {
  const end = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not in ${ms} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** Reward text and samples in a folder of their own. */
export function workspace(files: Record<string, string>): { folder: string; path: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), "rewardsmith-ws-"));
  temporary.push(folder);
  for (const [name, text] of Object.entries(files)) writeInto(folder, name, text);
  return { folder, path: (name) => join(folder, name) };
}

function writeInto(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export function jsonl(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
