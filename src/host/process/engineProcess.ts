import { type ChildProcess, fork } from "node:child_process";
import { RewardsmithError } from "../../base/errors";
import { Emitter } from "../../base/event";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import { type EngineContract, engineContract } from "../../protocol/engine.contract";
import { type Channel, createClient } from "../../protocol/rpc";
import type { FileScores } from "../../schema/live";
import type { EngineSettings } from "../../schema/settings";
import type { EngineClient, EngineLink } from "./link";
import { RestartPolicy } from "./restarts";

export type EngineState =
  | { readonly at: "stopped" }
  | { readonly at: "starting" }
  | { readonly at: "ready"; readonly pid: number }
  /** Ended by itself; starts again by itself where `retrying`. */
  | { readonly at: "failed"; readonly message: string; readonly retrying: boolean };

export interface EngineSetup {
  readonly version: string;
  readonly trusted: boolean;
  readonly folders: string[];
  readonly storage: string;
  readonly settings: EngineSettings;
}

export interface EngineLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

const START_TIMEOUT_MS = 20_000;
const END_TIMEOUT_MS = 3000;
const STDERR_TAIL = 4000;

interface Running {
  readonly child: ChildProcess;
  readonly store: DisposableStore;
  readonly client: EngineClient;
  readonly exited: Promise<void>;
}

/**
 * The engine as a child process: started when first asked for, started again (with increasing waits) when it ends by
 * itself, ended with its tree when the extension ends. Only one lives at a time.
 */
export class EngineProcess implements EngineLink, IDisposable {
  readonly #program: string;
  readonly #setup: () => EngineSetup | Promise<EngineSetup>;
  readonly #log: EngineLog;
  readonly #restarts = new RestartPolicy();
  readonly #onState = new Emitter<EngineState>();
  readonly #onReady = new Emitter<EngineClient>();
  readonly #onEnd = new Emitter<RewardsmithError>();
  readonly #onScores = new Emitter<FileScores>();
  readonly #onChanged = new Emitter<"rewards" | "samples" | "trajectories" | "interpreter">();
  readonly #onFrame = new Emitter<{ readonly view: string; readonly message: unknown }>();
  #state: EngineState = { at: "stopped" };
  #running: Running | undefined;
  #starting: Promise<EngineClient> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #disposed = false;

  readonly onDidChangeState = this.#onState.event;
  readonly onDidStart = this.#onReady.event;
  readonly onDidEnd = this.#onEnd.event;
  readonly onScores = this.#onScores.event;
  readonly onChanged = this.#onChanged.event;
  readonly onFrame = this.#onFrame.event;

  constructor(program: string, setup: () => EngineSetup | Promise<EngineSetup>, log: EngineLog) {
    this.#program = program;
    this.#setup = setup;
    this.#log = log;
  }

  get state(): EngineState {
    return this.#state;
  }

  get running(): EngineClient | undefined {
    return this.#state.at === "ready" ? this.#running?.client : undefined;
  }

  /** Rejects with `Disposed`, `TimedOut`, or whatever the setup failed with. */
  client(): Promise<EngineClient> {
    if (this.#disposed) return Promise.reject(new RewardsmithError("Disposed", "the extension has ended"));
    if (this.#state.at === "ready" && this.#running) return Promise.resolve(this.#running.client);
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  /** By the user's wish: forgets earlier crashes. */
  async restart(): Promise<void> {
    this.#restarts.reset();
    await this.#end();
    await this.client();
  }

  /** Resolves when the child has gone. */
  async stop(): Promise<void> {
    this.#disposed = true;
    await this.#end();
    this.#to({ at: "stopped" });
  }

  dispose(): void {
    void this.stop();
    for (const emitter of [
      this.#onState,
      this.#onReady,
      this.#onEnd,
      this.#onScores,
      this.#onChanged,
      this.#onFrame,
    ])
      emitter.dispose();
  }

  async #start(): Promise<EngineClient> {
    clearTimeout(this.#retry);
    this.#to({ at: "starting" });
    const began = performance.now();
    const setup = await this.#setup();
    const child = fork(this.#program, [], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // The editor's own debug flags aren't ours.
      execArgv: [],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
      serialization: "json",
    });
    let stderr = "";
    child.stdout
      ?.setEncoding("utf8")
      .on("data", (text: string) => this.#log.debug(`engine: ${text.trimEnd()}`));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL);
      this.#log.warn(`engine: ${text.trimEnd()}`);
    });
    const store = new DisposableStore();
    const channel = channelOf(child, store);
    const link = createClient<EngineContract["methods"], EngineContract["events"]>(
      engineContract,
      channel,
      {
        scores: (scores) => this.#onScores.fire(scores),
        changed: ({ what }) => this.#onChanged.fire(what),
        frame: ({ view, message }) => this.#onFrame.fire({ view, message }),
        log: ({ level, text }) => this.#log[level](text),
      },
      (problem) => this.#log.warn(problem),
    );
    store.add(link);
    const { client } = link;
    const exited = new Promise<void>((resolve) => {
      child.once("error", (error) => {
        stderr ||= error.message;
        if (child.pid === undefined) resolve();
      });
      child.once("exit", () => resolve());
    });
    const running: Running = { child, store, client, exited };
    this.#running = running;
    void exited.then(() => this.#gone(running, child, () => stderr));
    try {
      const { pid, node } = await client.initialize(setup, { timeoutMs: START_TIMEOUT_MS });
      this.#log.info(
        `engine ${pid} on Node ${node} ready in ${Math.round(performance.now() - began)} ms (trusted: ${setup.trusted})`,
      );
      this.#to({ at: "ready", pid });
      this.#onReady.fire(client);
      return client;
    } catch (error) {
      child.kill();
      throw error;
    }
  }

  #gone(running: Running, child: ChildProcess, stderr: () => string): void {
    running.store.dispose();
    if (this.#running !== running) return;
    this.#running = undefined;
    if (this.#disposed) return;
    const how = child.signalCode ?? `exit code ${child.exitCode ?? "unknown"}`;
    const wait = this.#restarts.ended(Date.now());
    const tail = stderr().trim().split("\n").at(-1) ?? "";
    const message = tail === "" ? how : `${how}: ${tail}`;
    this.#log.error(`engine ended by itself (${message})`);
    this.#to({ at: "failed", message, retrying: wait !== null });
    this.#onEnd.fire(new RewardsmithError("Disposed", `the engine ended (${message})`));
    if (wait === null) return;
    this.#retry = setTimeout(() => {
      this.client().catch((error: unknown) =>
        this.#log.error(`engine did not start again: ${String(error)}`),
      );
    }, wait);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#retry);
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    running.store.dispose();
    this.#onEnd.fire(new RewardsmithError("Disposed", "the engine was ended"));
    // The engine ends its tree when the channel closes; force only what doesn't.
    if (running.child.connected) running.child.disconnect();
    const timer = setTimeout(() => running.child.kill("SIGKILL"), END_TIMEOUT_MS);
    await running.exited;
    clearTimeout(timer);
  }

  #to(state: EngineState): void {
    this.#state = state;
    this.#onState.fire(state);
  }
}

function channelOf(child: ChildProcess, store: DisposableStore): Channel {
  const messages = store.add(new Emitter<unknown>());
  const closed = store.add(new Emitter<void>());
  child.on("message", (message: unknown) => messages.fire(message));
  child.once("exit", () => closed.fire());
  child.once("error", () => closed.fire());
  return {
    // A send into a channel that is closing fails by callback; `onClose` tells the callers.
    post: (message) => {
      if (child.connected && typeof message === "object" && message !== null)
        child.send(message, () => undefined);
    },
    onMessage: messages.event,
    onClose: closed.event,
  };
}
