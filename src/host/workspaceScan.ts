import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { SampleSetInfo } from "../schema/sample";
import type { EngineClient, EngineLink } from "./process/link";

export type Scan = Awaited<ReturnType<EngineClient["scan"]>>;
export type TrajectoryScan = Awaited<ReturnType<EngineClient["trajectorySources"]>>;

const MOST_FILES = 2000;
const MOST_SOURCES = 500;

/** Reward and sample files below the folders, read when a view or a question needs them. Runs nothing. */
export class Workspace implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<void>());
  readonly #engine: EngineLink;
  readonly #sets = new Map<string, Promise<SampleSetInfo>>();
  #scan: Promise<Scan> | undefined;
  #trajectories: Promise<TrajectoryScan> | undefined;

  readonly onDidChange = this.#onChange.event;

  constructor(engine: EngineLink) {
    this.#engine = engine;
    this.#store.add(
      engine.onChanged((what) => {
        if (what !== "interpreter") this.invalidate();
      }),
    );
  }

  /** The scan in memory, or a new one. */
  read(): Promise<Scan> {
    if (!this.#scan) {
      const scan = this.#engine.client().then((client) => client.scan({ limit: MOST_FILES }));
      scan.catch(() => {
        if (this.#scan === scan) this.#scan = undefined;
      });
      this.#scan = scan;
    }
    return this.#scan;
  }

  /** Files and run folders with trajectories, in memory or looked for anew. */
  trajectories(): Promise<TrajectoryScan> {
    if (!this.#trajectories) {
      const scan = this.#engine.client().then((client) => client.trajectorySources({ limit: MOST_SOURCES }));
      scan.catch(() => {
        if (this.#trajectories === scan) this.#trajectories = undefined;
      });
      this.#trajectories = scan;
    }
    return this.#trajectories;
  }

  /** A sample file as the engine reads it with a guessed mapping. */
  open(path: string): Promise<SampleSetInfo> {
    let set = this.#sets.get(path);
    if (!set) {
      set = this.#engine.client().then((client) => client.openSamples({ files: [path], mapping: null }));
      set.catch(() => this.#sets.delete(path));
      this.#sets.set(path, set);
    }
    return set;
  }

  invalidate(): void {
    this.#scan = undefined;
    this.#trajectories = undefined;
    this.#sets.clear();
    this.#onChange.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
