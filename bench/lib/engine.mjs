// @ts-check
// The product's engine process, started and asked as the extension host does it (src/host/process/engineProcess.ts),
// with a meter in its main thread. Frames of a view are what the viewer's page would send.
import { fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../scripts/lib/paths.mjs";

const METER = fileURLToPath(new URL("meter.mjs", import.meta.url));
const CALL_MS = 150_000;

/** @typedef {{ at: number, ms: number }} Block A main thread that was kept from its timer: when it ended (Unix milliseconds), how long. */
/** @typedef {import("../../src/schema/trajectory").SourceProgress} Progress */

/** Calls in one contract's envelope over something that carries messages. */
class Calls {
  #contract;
  #post;
  #next = 1;
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #pending = new Map();
  /** @type {(method: string, payload: any) => void} */
  onEvent = () => undefined;

  /** @param {string} contract @param {(message: object) => void} post */
  constructor(contract, post) {
    this.#contract = contract;
    this.#post = post;
  }

  /** @param {string} method @param {object} params @returns {Promise<any>} */
  call(method, params) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${method}: no answer in ${CALL_MS} ms`)), CALL_MS);
      const settled = (/** @type {(value: any) => void} */ done) => (/** @type {any} */ value) => {
        clearTimeout(late);
        done(value);
      };
      this.#pending.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.#post({ c: this.#contract, v: 1, k: "req", id, m: method, p: params });
    });
  }

  /** @param {Error} error */
  fail(error) {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }

  /** @param {any} message */
  take(message) {
    if (message?.c !== this.#contract) return;
    if (message.k === "evt") return this.onEvent(message.m, message.p);
    const waiting = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.k === "res") waiting?.resolve(message.r);
    else waiting?.reject(new Error(`${message.code}: ${message.message}`));
  }
}

/** A program with the meter in it. @param {import("node:child_process").ChildProcess} child */
function metered(child) {
  /** @type {Block[]} */
  const blocks = [];
  let rest = "";
  child.stdio[4]?.on("data", (/** @type {Buffer} */ data) => {
    const lines = (rest + data.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [at = 0, ms = 0] = line.split(" ").map(Number);
      blocks.push({ at, ms });
    }
  });
  return blocks;
}

/** The longest of what ended in [from, to), in milliseconds; 0: none that was told. @param {readonly Block[]} blocks @param {number} from @param {number} to */
export function longest(blocks, from, to) {
  return Math.max(0, ...blocks.filter(({ at }) => at >= from && at < to + 50).map(({ ms }) => ms));
}

export class Engine {
  #child;
  #calls;
  /** @type {Map<string, View>} */
  #views = new Map();
  #viewCount = 0;
  /** @type {readonly Block[]} */
  blocks;
  stderr = "";

  /** @param {string} program */
  constructor(program) {
    this.#child = fork(program, [], {
      stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
      execArgv: ["--import", METER],
      serialization: "json",
    });
    this.#child.stderr?.on("data", (data) => (this.stderr += String(data)));
    this.blocks = metered(this.#child);
    this.#calls = new Calls("engine", (message) => this.#child.send(message));
    this.#calls.onEvent = (method, payload) => {
      if (method === "frame") this.#views.get(payload.view)?.calls.take(payload.message);
    };
    this.#child.on("message", (message) => this.#calls.take(message));
    this.#child.once("exit", (code) => {
      const ended = new Error(`the engine ended with ${code}: ${this.stderr.slice(-500)}`);
      this.#calls.fail(ended);
      for (const { calls } of this.#views.values()) calls.fail(ended);
    });
  }

  /** @param {string} folder Where it may keep what it likes. @param {string} [program] */
  static async start(folder, program = path.join(root, "dist/node/engine.js")) {
    const engine = new Engine(program);
    await engine.call("initialize", {
      version: "0.0.0-bench",
      trusted: true,
      folders: [folder],
      storage: folder,
      settings: {
        python: null,
        env: {},
        liveMode: "manual",
        workerMode: "auto",
        liveTimeoutSeconds: 2,
        timeoutSeconds: 10,
        memoryMb: 2048,
        outputBytes: 20_000,
        liveRows: 1000,
        traceRows: 200,
        previews: true,
        batch: 32,
        baseline: "saved",
        labeller: "",
      },
    });
    return engine;
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  /** @param {string} method @param {object} params */
  call(method, params) {
    return this.#calls.call(method, params);
  }

  /** As a viewer's page begins: it can ask from the first moment on. @param {string} file */
  async open(file) {
    const id = `view-${++this.#viewCount}`;
    const view = new View((message) => void this.call("frame", { view: id, message }).catch(() => undefined));
    this.#views.set(id, view);
    await this.call("openView", { view: id, kind: "trajectories", path: file });
    return { view, close: () => this.call("closeView", { view: id }) };
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    if (this.#child.connected) this.#child.disconnect();
    await ended;
  }
}

/** A page of the viewer, without a screen. */
export class View {
  calls;
  /** @type {{ at: number, progress: Progress }[]} */
  told = [];
  #changed = () => undefined;

  /** @param {(message: object) => void} post */
  constructor(post) {
    this.calls = new Calls("trajectoryData", post);
    this.calls.onEvent = (method, payload) => {
      if (method === "progress") this.told.push({ at: performance.now(), progress: payload });
      if (method === "changed") this.#changed();
    };
  }

  /** @param {string} method @param {object} params */
  ask(method, params) {
    return this.calls.call(method, params);
  }

  /** @param {number} from @param {number} count @param {object} [query] */
  page(from, count, query = {}) {
    return this.ask("page", {
      query: { filter: "", sort: "index", descending: false, ...query },
      from,
      count,
    });
  }

  /** As the page does: asks, and asks again when it is told of more, until there are rows. @returns {Promise<any>} */
  async firstRows() {
    await this.ask("info", {});
    for (;;) {
      const changed = this.changed(1000);
      const page = await this.page(0, 60);
      if (page.rows.length > 0) return page;
      if (page.progress.complete) {
        const { problems } = await this.ask("problems", { from: 0, count: 1 });
        throw new Error(`no rows: ${problems[0]?.message ?? "and nothing says why"}`);
      }
      await changed;
    }
  }

  /** @param {number} atMost Milliseconds. @returns {Promise<void>} */
  changed(atMost) {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, atMost);
      this.#changed = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }

  /** Until all is read, asking for what is on screen as the page does. @returns {Promise<Progress>} */
  async complete() {
    for (;;) {
      const changed = this.changed(500);
      const { progress } = await this.page(0, 60);
      if (progress.complete) return progress;
      await changed;
    }
  }
}

/** A process that does nothing, metered: what the machine alone keeps a timer waiting. */
export function idleProcess() {
  const child = spawn(process.execPath, ["--import", METER, "-e", "setInterval(() => {}, 1e6)"], {
    stdio: ["ignore", "ignore", "ignore", "ignore", "pipe"],
  });
  return { blocks: metered(child), stop: () => void child.kill() };
}

/** Memory of a process in MB; null where the system doesn't tell. @param {number} pid */
export function residentMB(pid) {
  try {
    const kB = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kB === undefined ? null : (Number(kB) * 1024) / 1e6;
  } catch {
    return null;
  }
}

/** Processor time of a process with all its threads, seconds; null where the system doesn't tell. @param {number} pid */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    // Linux counts in hundredths (proc(5): utime and stime, fields 14 and 15).
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return null;
  }
}

/** Looks at a process's memory until told to stop. @param {number} pid @param {number} [everyMs] */
export function watchMemory(pid, everyMs = 50) {
  let most = residentMB(pid) ?? 0;
  const timer = setInterval(() => (most = Math.max(most, residentMB(pid) ?? 0)), everyMs);
  return () => {
    clearInterval(timer);
    return most;
  };
}
