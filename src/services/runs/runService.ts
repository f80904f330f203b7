import { RewardsmithError } from "../../base/errors";
import { Emitter, type Event } from "../../base/event";
import type { IDisposable } from "../../base/lifecycle";
import type { Clock, RunProcessPort, RunStorePort } from "../../core/ports";
import type { RecipeInput, RecipeOutput } from "../../core/runs/recipe";
import { recipeOf } from "../../core/runs/recipes/registry";
import { hideConfig, hider, hideShaped } from "../../core/runs/secrets";
import { isLive } from "../../core/runs/stateMachine";
import { Json } from "../../schema/json";
import {
  RUN_SCHEMA,
  RunEvent,
  RunId,
  RunRecord,
  RunStatus,
  type RunReward,
  type RunSettings,
} from "../../schema/run";
import type { LogSlice, RunSummary } from "../../schema/runView";
import { RecipeFile, recipeFileOf, recipeInput } from "./recipeFile";
import { slugOf } from "./runId";
import { textSlice } from "./logSlice";
import { refuseShort, refuseWritten, withoutSecrets } from "./launchSecrets";

/** All that a new run is made of. */
export interface NewRun {
  /** In the user's words; the id is made of it. */
  readonly name: string;
  readonly backend: RunRecord["backend"];
  readonly recipe: RunRecord["recipe"];
  readonly smoke: boolean;
  readonly settings: RunSettings;
  /** Files, command, telemetry: of the recipe. */
  readonly output: Omit<RecipeOutput, "unsupported" | "problems">;
  readonly reward: RunReward | null;
  /** Snapshot of the reward and its helpers, below `reward/`. */
  readonly rewardFiles: readonly { readonly path: string; readonly text: string }[];
  readonly suite: string | null;
  readonly samples: readonly string[];
  readonly resumes: RunRecord["resumes"];
  readonly override: string | null;
  /**
   * Values by variable. They reach the job by environment and are never written: `create` refuses a run whose command,
   * settings or files hold one.
   */
  readonly secrets: Readonly<Record<string, string>>;
  /** What the recipe was given; kept, so that the run can be resumed. Left out: it can't be. */
  readonly input?: RecipeInput;
}

/** A run as it is on disk. */
export interface RunDetail {
  readonly id: RunId;
  /** Absolute path. */
  readonly folder: string;
  readonly record: RunRecord;
  readonly status: RunStatus;
}

export interface RunServiceOptions {
  readonly store: RunStorePort;
  readonly processes: RunProcessPort;
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Who asks, for the run's events: `editor` or `command line`. */
  readonly by: string;
}

const MOST_RECORD = 16 * 1024 * 1024;
const MOST_STATUS = 4 * 1024 * 1024;
const POLL_MS = 1000;
const AT_ONCE = 32;

/**
 * The runs of one project, on ports: nothing here knows of processes or files. Several of these (windows, command line)
 * may look at the same runs; what they write goes through the store's exclusive acts, and a run's status is its
 * supervisor's alone.
 *
 * Errors: `FileMissing` no such run; `BadArguments` what was asked for can't be done in the run's state, with a
 * sentence that says what can.
 */
export class RunService implements IDisposable {
  readonly #store: RunStorePort;
  readonly #processes: RunProcessPort;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #by: string;
  readonly #changed = new Emitter<{ readonly run: RunId }>();
  /** By id, as long as nothing of it changed. */
  readonly #cache = new Map<string, { readonly stamp: string; readonly detail: RunDetail }>();
  /** Of runs created here and not started yet: values that stood among their plain variables. */
  readonly #moved = new Map<string, Readonly<Record<string, string>>>();
  #polling: AbortController | null = null;

  constructor(options: RunServiceOptions) {
    this.#store = options.store;
    this.#processes = options.processes;
    this.#clock = options.clock;
    this.#now = options.now;
    this.#by = options.by;
  }

  /** Absolute path of the folder with the runs' folders. */
  get folder(): string {
    return this.#store.folder;
  }

  folderOf(id: RunId): string {
    return `${this.#store.folder}/${id}`;
  }

  /**
   * Makes the run's folder with all its files; nothing is started. The id is `<name>-<number>`; two processes that do
   * this at the same moment get different ones. Values of secrets among the command's plain variables become secrets
   * (their values wait here for `start`). Rejects with `BadArguments` where one is in the command, the settings or a file,
   * or is too short to be hidden.
   */
  async create(run: NewRun): Promise<RunDetail> {
    const { env, secrets } = withoutSecrets(run.output.command?.env ?? {}, run.secrets);
    refuseShort(secrets);
    const hide = hider(Object.values(secrets));
    refuseWritten(run, env, hide);
    const { command } = run.output;
    const created = this.#now();
    const id = await this.#claim(run.name);
    const record: RunRecord = {
      schema: RUN_SCHEMA,
      id,
      name: run.name,
      created,
      backend: run.backend,
      recipe: run.recipe,
      smoke: run.smoke,
      reward: run.reward,
      suite: run.suite,
      samples: [...run.samples],
      settings: run.settings,
      resolved: [...run.output.resolved],
      command: command && {
        ...command,
        env,
        secrets: [...new Set([...command.secrets, ...Object.keys(secrets)])],
      },
      telemetry: [...run.output.telemetry],
      rollouts: run.output.rollouts,
      checkpoints: run.output.checkpoints,
      resumes: run.resumes,
      override: run.override,
    };
    for (const { path, text } of run.output.files) await this.#store.write(id, `job/${path}`, text);
    if (run.input)
      await this.#store.write(id, "recipe.json", `${JSON.stringify(recipeFileOf(run.input), null, 1)}\n`);
    for (const { path, text } of run.rewardFiles) await this.#store.write(id, `reward/${path}`, text);
    const status = createdStatus(created, run.settings.steps ?? null);
    await this.#store.write(id, "status.json", `${JSON.stringify(status, null, 1)}\n`);
    // Last: a folder without it isn't a run yet, and nobody shows or starts it.
    const shown = {
      ...record,
      resolved: hideConfig(Json.parse(record.resolved), hide),
      override: record.override === null ? null : hideShaped(hide(record.override)),
    };
    await this.#store.write(id, "run.json", `${JSON.stringify(shown, null, 1)}\n`);
    this.#moved.set(id, secrets);
    return { id, folder: this.folderOf(id), record, status };
  }

  /**
   * Starts the job of a run that was created and never started. `secrets` as in `create`. Resolves when a supervisor
   * has taken it; whether the job itself could be started is in its state.
   */
  async start(id: RunId, secrets: Readonly<Record<string, string>>): Promise<void> {
    const { record, status } = await this.get(id);
    if (status.state !== "created")
      throw refused(id, `is ${status.state}: it can be started only once. Resume it, or launch it again.`);
    if (record.command === null)
      throw refused(id, "has nothing to start on this machine: its files are what was asked for.");
    const values = { ...this.#moved.get(id), ...secrets };
    const missing = record.command.secrets.filter((name) => !(name in values));
    if (missing.length > 0)
      throw refused(id, `needs the secrets ${missing.join(", ")}, which are kept nowhere: launch it again.`);
    await this.#processes.start(this.folderOf(id), values);
    this.#moved.delete(id);
    this.#changed.fire({ run: id });
  }

  /**
   * Makes a run that goes on from a checkpoint of this one (null: its last), with the same recipe, settings and reward;
   * nothing is started. `secrets` as in `create`. Rejects with `BadArguments` where the run is live, has no such
   * checkpoint, or can't be resumed.
   */
  async resume(
    id: RunId,
    checkpoint: string | null,
    secrets: Readonly<Record<string, string>>,
  ): Promise<RunDetail> {
    const { record, status, folder } = await this.get(id);
    if (isLive(status.state)) throw refused(id, `is ${status.state}. Stop it first.`);
    const from =
      checkpoint === null
        ? status.checkpoints.at(-1)
        : status.checkpoints.find(({ name }) => name === checkpoint);
    if (!from || record.checkpoints === null)
      throw refused(
        id,
        checkpoint === null
          ? "has no checkpoint to go on from. Launch it again."
          : `has no checkpoint ${checkpoint}.`,
      );
    const file = RecipeFile.safeParse(jsonOrNull(await this.#store.read(id, "recipe.json", MOST_RECORD)));
    const recipe = recipeOf(record.recipe.id);
    if (!file.success || !recipe)
      throw refused(id, "doesn't say what its recipe was given. Launch it again.");
    const input = recipeInput(
      file.data,
      `${folder}/${record.checkpoints.split("/").slice(0, -1).join("/")}/${from.name}`,
    );
    const output = recipe.prepare(input);
    const problem = output.problems.find(({ severity }) => severity === "error");
    if (problem) throw refused(id, `can't be resumed: ${problem.text}`);
    const made = await this.create({
      name: record.name,
      backend: record.backend,
      recipe: record.recipe,
      smoke: record.smoke,
      settings: record.settings,
      output,
      reward: record.reward,
      rewardFiles: [],
      suite: record.suite,
      samples: record.samples,
      resumes: { run: id, checkpoint: from.name },
      override: record.override,
      secrets,
      input,
    });
    await this.#store.copy(id, made.id, "reward");
    return made;
  }

  /** All runs, the newest first. Runs whose supervisor is gone are looked after on the way. */
  async list(): Promise<RunSummary[]> {
    const details = await this.#details(await this.#store.ids());
    return details.map(summaryOf).sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  }

  /** Rejects with `FileMissing` where there is no such run, `FormatUnknown` where its record can't be read. */
  async get(id: RunId): Promise<RunDetail> {
    const detail = await this.#read(id);
    if (detail) return detail;
    if ((await this.#store.read(id, "run.json", MOST_RECORD)) !== null)
      throw new RewardsmithError(
        "FormatUnknown",
        `${this.folderOf(id)}/run.json can't be read as a run's record.`,
        {
          path: `${this.folderOf(id)}/run.json`,
        },
      );
    throw new RewardsmithError("FileMissing", `There is no run ${id} in ${this.#store.folder}.`, {
      path: this.folderOf(id),
    });
  }

  /**
   * A slice of what the job printed. `from` in bytes, null: the end. A slice starts and ends between characters: it may
   * be up to three bytes shorter on each side. A log that isn't there yet is empty.
   */
  async log(id: RunId, from: number | null, length: number): Promise<LogSlice> {
    const slice = await this.#store.slice(id, "console.log", from, length);
    return textSlice(slice ?? { bytes: new Uint8Array(), from: 0, total: 0 });
  }

  /** The last `most` events, oldest first. */
  async events(id: RunId, most: number): Promise<RunEvent[]> {
    const slice = await this.#store.slice(id, "events.jsonl", null, 512 * 1024);
    if (!slice) return [];
    const { text } = textSlice(slice);
    return text
      .split("\n")
      .flatMap((line) => {
        const parsed = RunEvent.safeParse(jsonOrNull(line));
        return parsed.success ? [parsed.data] : [];
      })
      .slice(-most);
  }

  /** Asks for the end: INT, then TERM, then KILL; over within ten seconds. Resolves when it was asked. */
  async stop(id: RunId): Promise<void> {
    await this.#request(id, "stop");
  }

  /** As `stop`, without the polite part. */
  async kill(id: RunId): Promise<void> {
    await this.#request(id, "kill");
  }

  /** Waits until a run is over, or for `withinMs`; its status then. */
  ended(id: RunId, withinMs: number, signal?: AbortSignal): Promise<RunStatus> {
    return this.#when(id, (state) => !isLive(state), withinMs, signal);
  }

  /** Waits until a job runs or couldn't be started, or for `withinMs`; its status then. */
  begun(id: RunId, withinMs: number, signal?: AbortSignal): Promise<RunStatus> {
    return this.#when(id, (state) => state !== "starting", withinMs, signal);
  }

  /** Removes a run that isn't live, folder and all. */
  async delete(id: RunId): Promise<void> {
    const { status } = await this.get(id);
    if (isLive(status.state)) throw refused(id, `is ${status.state}. Stop it first.`);
    await this.#store.remove(id);
    this.#cache.delete(id);
    this.#changed.fire({ run: id });
  }

  /**
   * Retention: removes the oldest runs beyond the newest `keep`. Never one that is live or hasn't been started, nor one
   * of `promoted`, nor one that a kept run resumes. Returns the ids of those removed.
   */
  async prune(keep: number, promoted: ReadonlySet<string>): Promise<RunId[]> {
    const details = (await this.#details(await this.#store.ids())).sort(
      (a, b) => b.record.created - a.record.created,
    );
    const removable = ({ id, status }: RunDetail): boolean =>
      !isLive(status.state) && status.state !== "created" && !promoted.has(id);
    const kept = details.filter((detail, at) => at < keep || !removable(detail));
    const needed = new Set(kept.flatMap(({ record }) => record.resumes?.run ?? []));
    const removed: RunId[] = [];
    for (const { id } of details.filter((detail) => !kept.includes(detail) && !needed.has(detail.id))) {
      await this.#store.remove(id);
      this.#cache.delete(id);
      removed.push(id);
      this.#changed.fire({ run: id });
    }
    return removed;
  }

  /** A run appeared, went, or something of it is another. Polled once a second while somebody listens. */
  readonly onDidChange: Event<{ readonly run: RunId }> = (listener) => {
    const subscription = this.#changed.event(listener);
    this.#listeners++;
    this.#startPolling();
    let done = false;
    return {
      dispose: () => {
        if (done) return;
        done = true;
        subscription.dispose();
        if (--this.#listeners === 0) this.#stopPolling();
      },
    };
  };
  #listeners = 0;

  /** Stops looking. Runs go on: they have supervisors of their own. */
  dispose(): void {
    this.#stopPolling();
    this.#changed.dispose();
  }

  async #when(
    id: RunId,
    enough: (state: RunStatus["state"]) => boolean,
    withinMs: number,
    signal: AbortSignal | undefined,
  ): Promise<RunStatus> {
    const until = this.#clock.now() + withinMs;
    for (;;) {
      const { status } = await this.get(id);
      if (enough(status.state) || this.#clock.now() >= until) return status;
      await this.#clock.delay(50, signal);
    }
  }

  async #claim(name: string): Promise<RunId> {
    const slug = slugOf(name);
    const pattern = new RegExp(`^${slug}-(\\d+)$`);
    const numbers = (await this.#store.ids()).map((id) => Number(pattern.exec(id)?.[1] ?? 0));
    for (let number = Math.max(0, ...numbers) + 1; ; number++) {
      const id = RunId.parse(`${slug}-${number}`);
      if (await this.#store.claim(id)) return id;
    }
  }

  async #request(id: RunId, kind: "stop" | "kill"): Promise<void> {
    const { status } = await this.get(id);
    if (!isLive(status.state)) throw refused(id, `is ${status.state}: there is nothing to stop.`);
    await this.#processes.request(this.folderOf(id), kind, this.#by);
  }

  async #details(ids: readonly string[]): Promise<RunDetail[]> {
    const found: RunDetail[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const some = await Promise.all(ids.slice(at, at + AT_ONCE).map((id) => this.#read(RunId.parse(id))));
      found.push(...some.filter((detail) => detail !== null));
    }
    return found;
  }

  /** Null: no such run, or one that can't be read. */
  async #read(id: RunId): Promise<RunDetail | null> {
    const detail = await this.#fromDisk(id);
    if (!detail || !isLive(detail.status.state)) return detail;
    const presence = await this.#processes.ensure(detail.folder);
    return presence === "settled" ? this.#fromDisk(id) : detail;
  }

  async #fromDisk(id: RunId): Promise<RunDetail | null> {
    const stamp = await this.#store.stamp(id);
    const cached = this.#cache.get(id);
    if (cached?.stamp === stamp) return cached.detail;
    const [recordText, statusText] = await Promise.all([
      this.#store.read(id, "run.json", MOST_RECORD),
      this.#store.read(id, "status.json", MOST_STATUS),
    ]);
    const record = RunRecord.safeParse(jsonOrNull(recordText)).data;
    const status = RunStatus.safeParse(jsonOrNull(statusText)).data ?? cached?.detail.status;
    if (!record) return null;
    const detail = {
      id,
      folder: this.folderOf(id),
      record,
      status: status ?? createdStatus(record.created, record.settings.steps ?? null),
    };
    this.#cache.set(id, { stamp, detail });
    return detail;
  }

  #startPolling(): void {
    if (this.#polling) return;
    this.#polling = new AbortController();
    void this.#poll(this.#polling.signal);
  }

  #stopPolling(): void {
    this.#polling?.abort();
    this.#polling = null;
  }

  async #poll(signal: AbortSignal): Promise<void> {
    let known: Map<string, string> | null = null;
    while (!signal.aborted) {
      try {
        const stamps = await this.#stamps();
        if (known)
          for (const id of new Set([...known.keys(), ...stamps.keys()]))
            if (known.get(id) !== stamps.get(id)) this.#changed.fire({ run: RunId.parse(id) });
        known = stamps;
        await this.#clock.delay(POLL_MS, signal);
      } catch (error) {
        // Cancelled; or the folder can't be read just now.
        if (error instanceof RewardsmithError && error.code === "Cancelled") return;
        await this.#clock.delay(POLL_MS, signal).catch(() => undefined);
      }
    }
  }

  /** Of live runs by what they write; of the others it is enough that they are there. */
  async #stamps(): Promise<Map<string, string>> {
    const stamps = new Map<string, string>();
    for (const detail of await this.#details(await this.#store.ids()))
      stamps.set(
        detail.id,
        isLive(detail.status.state) ? await this.#store.stamp(detail.id) : detail.status.state,
      );
    return stamps;
  }
}

function createdStatus(at: number, steps: number | null): RunStatus {
  return {
    schema: RUN_SCHEMA,
    state: "created",
    reason: null,
    exit: null,
    supervisor: null,
    job: null,
    heartbeat: at,
    started: null,
    ended: null,
    elapsedS: 0,
    step: null,
    steps,
    checkpoints: [],
    problems: [],
  };
}

export function summaryOf({ id, folder, record, status }: RunDetail): RunSummary {
  return {
    id,
    name: record.name,
    folder,
    created: record.created,
    backend: record.backend.name,
    recipe: record.recipe.id,
    state: status.state,
    reason: status.reason?.code ?? null,
    step: status.step,
    steps: status.steps,
    elapsedS: status.elapsedS,
    reward: status.reward ?? [],
  };
}

function refused(id: RunId, why: string): RewardsmithError {
  return new RewardsmithError("BadArguments", `The run ${id} ${why}`, { run: id });
}

function jsonOrNull(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
