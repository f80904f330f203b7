import { readFile } from "node:fs/promises";
import { RewardsmithError } from "../base/errors";
import type { IDisposable } from "../base/lifecycle";
import type { EngineContract } from "../protocol/engine.contract";
import type { Channel, Handlers } from "../protocol/rpc";
import { writeFileAtomically } from "../runtime/atomicFile";
import { copyTrajectory } from "../services/trajectories/copy";
import { exportTrajectories } from "../services/trajectories/export";
import { reportTrajectories } from "../services/trajectories/reports";
import type { NowScore, TrajectorySource, TrajectoryStore } from "../services/trajectories/source";
import { TrajectoryView, type TrajectoryViewOptions } from "./trajectoryView";

type Methods = Pick<
  EngineContract["methods"],
  | "trajectorySources"
  | "trajectoryNodes"
  | "trajectoryAt"
  | "trajectoryText"
  | "exportTrajectories"
  | "reportTrajectories"
>;

export interface TrajectoriesOptions {
  readonly store: TrajectoryStore;
  readonly scan: (
    limit: number,
    signal: AbortSignal,
  ) => Promise<ReturnType<Methods["trajectorySources"]["result"]["parse"]>>;
  readonly label: TrajectoryViewOptions["label"];
  /** Reads a source's labels and hands them to it. */
  readonly loadLabels: (source: TrajectorySource) => Promise<void>;
  readonly curves: TrajectoryViewOptions["curves"];
  /** What the rewards that are bound to a source's files say of it now; null: none is. */
  readonly now: (source: TrajectorySource) => Promise<ReadonlyMap<number, NowScore> | null>;
  readonly report: (problem: string) => void;
}

/** Scores come several times a second while somebody types. */
const NOW_MS = 100;

/** Sources that a tree or an act looked at stay open this long, so that the next page of them is at hand. */
const LINGER_MS = 60_000;
/** A tree that is opened waits so long for a source's first trajectories, rather than to show that there are none yet. */
const FIRST_MS = 500;

/** Trajectories for the extension host: views, side panel, acts. Runs nothing of the user's. */
export class Trajectories implements IDisposable {
  readonly #options: TrajectoriesOptions;
  readonly #lingering = new Map<string, ReturnType<typeof setTimeout>>();
  /** Of each open view. */
  readonly #viewed = new Map<object, TrajectorySource>();
  #scoring: ReturnType<typeof setTimeout> | undefined;
  #telling = Promise.resolve();
  readonly #withScores = new WeakSet<TrajectorySource>();

  constructor(options: TrajectoriesOptions) {
    this.#options = options;
  }

  /** The engine's half of one viewer. */
  view(channel: Channel, path: string): IDisposable {
    const { store, label, loadLabels, curves, report } = this.#options;
    let opened = false;
    let heard: IDisposable | null = null;
    const key = {};
    const view = new TrajectoryView(channel, {
      source: async () => {
        const source = await store.open(path);
        if (opened) store.release(path);
        opened = true;
        // Labels that can't be read take nobody's trajectories away.
        await loadLabels(source).catch((error: unknown) => report(`labels: ${String(error)}`));
        this.#viewed.set(key, source);
        heard?.dispose();
        // Positions are others now, or more of them are known.
        heard = source.onDidChange((what) => {
          if (what === "reset" || what === "info" || what === "rows") this.scoresChanged();
        });
        this.scoresChanged();
        return source;
      },
      label,
      curves,
      report,
    });
    return {
      dispose: () => {
        heard?.dispose();
        this.#viewed.delete(key);
        view.dispose();
        if (opened) store.release(path);
      },
    };
  }

  /** Sessions have new scores, or are others: open sources hear of it soon, in order. */
  scoresChanged(): void {
    this.#scoring ??= setTimeout(() => {
      this.#scoring = undefined;
      this.#telling = this.#telling.then(() => this.#tellScores());
    }, NOW_MS).unref();
  }

  async #tellScores(): Promise<void> {
    for (const source of new Set(this.#viewed.values())) {
      try {
        const scores = await this.#options.now(source);
        if (scores !== null || this.#withScores.has(source)) source.setNow(scores);
        if (scores === null) this.#withScores.delete(source);
        else this.#withScores.add(source);
      } catch (error) {
        this.#options.report(`scores of ${source.path}: ${String(error)}`);
      }
    }
  }

  /** A source for a short use: open already, or opened and kept a while. */
  async #source(path: string): Promise<TrajectorySource> {
    const source = await this.#options.store.open(path);
    const timer = this.#lingering.get(path);
    if (timer) {
      clearTimeout(timer);
      this.#options.store.release(path);
    }
    const release = (): void => {
      this.#lingering.delete(path);
      this.#options.store.release(path);
    };
    this.#lingering.set(path, setTimeout(release, LINGER_MS).unref());
    return source;
  }

  handlers(): Handlers<Methods> {
    return {
      trajectorySources: ({ limit }, signal) => this.#options.scan(limit, signal),
      trajectoryNodes: async ({ path, level, filter, group, from, count }) => {
        const source = await this.#source(path);
        await firstRows(source);
        const { run } = source.info();
        const { complete, problems } = source.progress();
        const nothing = { complete, problems, steps: [], groups: [], rows: [] };
        if (group !== null) {
          const members = source.groupOf(group);
          const rows = await source.rows(members.slice(from, from + count));
          return { ...nothing, level: "trajectory", total: members.length, rows };
        }
        const steps = run?.steps ?? [];
        if ((level === null && steps.length > 1) || level === "step")
          return { ...nothing, level: "step", total: steps.length, steps: steps.slice(from, from + count) };
        if (level !== "trajectory") {
          const order = { filter, order: "first", descending: false } as const;
          const { total, groups } = await source.groups({ ...order, from, count });
          if (level === "group" || groups.some(({ n }) => n > 1))
            return { ...nothing, level: "group", total, groups };
        }
        const page = await source.page({ filter, sort: "index", descending: false }, from, count);
        return { ...nothing, level: "trajectory", total: page.total, rows: page.rows };
      },
      trajectoryAt: async ({ path, index }) => (await this.#source(path)).place(index),
      trajectoryText: async ({ path, index }) => {
        const source = await this.#source(path);
        const { id } = await source.row(index);
        return { text: copyTrajectory(await source.get(index), 0), title: id };
      },
      exportTrajectories: async ({ path, to, append, ...ask }, signal) => {
        const source = await this.#source(path);
        const { texts, written, leftOut } = await exportTrajectories(source, ask, signal);
        const files: string[] = [];
        for (const [part, text] of texts) {
          const file = part === "" ? to : withPart(to, part);
          if (file === path)
            throw new RewardsmithError("BadArguments", `${file} is the source itself.`, { path });
          await writeFileAtomically(file, append ? await appended(file, text) : text);
          files.push(file);
        }
        return { written, files, leftOut: [...leftOut] };
      },
      reportTrajectories: async ({ path, kind, filter, against }, signal) => {
        const source = await this.#source(path);
        const other = against === null ? null : await this.#source(against);
        return { markdown: await reportTrajectories(source, { kind, filter, against: other }, signal) };
      },
    };
  }

  dispose(): void {
    clearTimeout(this.#scoring);
    this.#options.store.dispose();
    for (const timer of this.#lingering.values()) clearTimeout(timer);
    this.#lingering.clear();
  }
}

/** Resolves when something is known of the source, when there is nothing, or after a while. */
async function firstRows(source: TrajectorySource): Promise<void> {
  const there = (): boolean => {
    const { known, complete } = source.progress();
    return known > 0 || complete;
  };
  if (there()) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(late);
      heard.dispose();
      resolve();
    };
    const late = setTimeout(done, FIRST_MS);
    const heard = source.onDidChange(() => {
      if (there()) done();
    });
  });
}

/** `out.jsonl` → `out.train.jsonl`. */
function withPart(path: string, part: string): string {
  return /\.[^./\\]+$/.test(path) ? path.replace(/(\.[^./\\]+)$/, `.${part}$1`) : `${path}.${part}.jsonl`;
}

async function appended(file: string, text: string): Promise<string> {
  const old = await readFile(file, "utf8").catch(() => "");
  return old === "" || old.endsWith("\n") ? old + text : `${old}\n${text}`;
}
