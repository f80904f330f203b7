import { RewardsmithError } from "../base/errors";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import { BUCKETS, bucketsOf } from "../core/trajectories/buckets";
import { createServer, type Channel, type Handlers } from "../protocol/rpc";
import { trajectoryDataContract, type TrajectoryDataContract } from "../protocol/trajectoryData.contract";
import type { Trajectory } from "../schema/trajectory";
import { compareTrajectories } from "../services/trajectories/compare";
import { copyRows, copyTrajectory } from "../services/trajectories/copy";
import { headOf } from "../services/trajectories/head";
import { imageBytes, safeImage } from "../services/trajectories/images";
import { outlineOf, placed, safeCut, textAt, wayOf } from "../services/trajectories/slices";
import type { TrajectorySource } from "../services/trajectories/source";

type Methods = TrajectoryDataContract["methods"];
type Events = TrajectoryDataContract["events"];

export interface TrajectoryViewOptions {
  /** Opens the source where that isn't done yet. */
  readonly source: () => Promise<TrajectorySource>;
  readonly label: (
    source: TrajectorySource,
    acts: readonly {
      index: number;
      value: "good" | "bad" | number | null;
      stream: "random" | "hunting" | "chosen";
    }[],
  ) => Promise<number>;
  readonly curves: (
    source: TrajectorySource,
  ) => Promise<{ name: string; file: string; points: [number, number | null][] }[]>;
  readonly report: (problem: string) => void;
}

/** Progress is told this often at most. */
const TELL_MS = 150;
/** Trajectories whose buckets are looked at in one answer. */
const MOST_BUCKETED = 2000;
/** The last few that were read: paging through messages asks for the same one again and again. */
const KEPT = 4;

/** The engine's half of a trajectory viewer: answers about one source. Runs nothing of the user's. */
export class TrajectoryView implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #options: TrajectoryViewOptions;
  readonly #server;
  readonly #kept = new Map<number, Promise<Trajectory>>();
  #source: Promise<TrajectorySource> | null = null;
  #seq = Date.now();
  #told: ReturnType<typeof setTimeout> | undefined;

  constructor(channel: Channel, options: TrajectoryViewOptions) {
    this.#options = options;
    this.#server = this.#store.add(
      createServer<Methods, Events>(trajectoryDataContract, channel, this.#handlers(), options.report),
    );
    this.#store.add({ dispose: () => clearTimeout(this.#told) });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #open(): Promise<TrajectorySource> {
    this.#source ??= this.#options.source().then(
      (source) => {
        this.#store.add(
          source.onDidChange((what) => {
            if (what === "reset") this.#kept.clear();
            if (what === "rows") this.#tellSoon(source);
            else {
              this.#seq += 1;
              this.#server.emit("changed", { seq: this.#seq, what });
            }
          }),
        );
        return source;
      },
      (error: unknown) => {
        // Another try may find the file.
        this.#source = null;
        throw error;
      },
    );
    return this.#source;
  }

  #tellSoon(source: TrajectorySource): void {
    this.#told ??= setTimeout(() => {
      this.#told = undefined;
      this.#seq += 1;
      this.#server.emit("progress", source.progress());
      this.#server.emit("changed", { seq: this.#seq, what: "rows" });
    }, TELL_MS);
  }

  async #trajectory(index: number): Promise<Trajectory> {
    const source = await this.#open();
    const known = this.#kept.get(index);
    const reading = known ?? source.get(index);
    this.#kept.delete(index);
    this.#kept.set(index, reading);
    for (const old of [...this.#kept.keys()].slice(0, -KEPT)) this.#kept.delete(old);
    // The one that still grows, and one that failed, is read again.
    reading.then(
      ({ outcome }) => outcome.kind === "running" && this.#kept.delete(index),
      () => this.#kept.delete(index),
    );
    return reading;
  }

  async #way(index: number, branch: number) {
    return wayOf(await this.#trajectory(index), branch);
  }

  #handlers(): Handlers<Methods> {
    return {
      info: async () => {
        const source = await this.#open();
        return { info: source.info(), progress: source.progress() };
      },
      page: async ({ query, from, count }) => (await this.#open()).page(query, from, count),
      find: async ({ query, index }) => ({ at: await (await this.#open()).find(query, index) }),
      failing: async ({ query, index, forward }) => (await this.#open()).failing(query, index, forward),
      head: async ({ index, maxText }) =>
        headOf(await this.#open(), index, await this.#trajectory(index), maxText),
      outline: async ({ index, branch, from, count }) => {
        const way = await this.#way(index, branch);
        return { total: way.length, entries: outlineOf(way, from, count) };
      },
      messages: async ({ index, branch, from, count, maxText }) => {
        const way = await this.#way(index, branch);
        const messages = way.slice(from, from + count).map((one, at) => placed(one, from + at, maxText));
        return { total: way.length, messages };
      },
      text: async ({ place, from, length }) => {
        const text =
          place.message === null
            ? await (await this.#open()).raw(place.index)
            : textAt(await this.#way(place.index, place.branch), place);
        if (text === null)
          throw new RewardsmithError("BadArguments", "There is no such text in the trajectory.", {});
        return { text: safeCut(text.slice(from), length), total: text.length };
      },
      image: async ({ index, branch, message, part }) => {
        const found = (await this.#way(index, branch))[message]?.message.parts[part];
        if (found?.type !== "image" || found.data === null) return { mime: null, data: null, bytes: 0 };
        const bytes = imageBytes(found.data);
        const mime = safeImage(found.data);
        return { mime, data: mime === null || bytes > 1_000_000 ? null : found.data, bytes };
      },
      search: async (ask, signal) => (await this.#open()).search(ask, signal),
      groups: async (ask) => (await this.#open()).groups(ask),
      compare: async (ask, signal) => compareTrajectories(await this.#open(), ask, signal),
      curves: async () => ({ curves: await this.#options.curves(await this.#open()) }),
      buckets: async ({ filter }, signal) => {
        const source = await this.#open();
        const { indexes } = await source.matching(filter);
        const counts = new Map(
          BUCKETS.map(({ id }) => [id, { n: 0, unsure: 0, examples: new Array<number>() }]),
        );
        const looked = indexes.subarray(0, MOST_BUCKETED);
        for (const index of looked) {
          signal.throwIfAborted();
          for (const [id, verdict] of bucketsOf(await source.get(index, signal))) {
            const count = counts.get(id);
            if (!count) continue;
            count.n++;
            if (verdict === "unsure") count.unsure++;
            if (count.examples.length < 5) count.examples.push(index);
          }
        }
        return {
          of: looked.length,
          buckets: [...counts].map(([bucket, count]) => ({ bucket, ...count })).filter(({ n }) => n > 0),
        };
      },
      problems: async ({ from, count }) => (await this.#open()).problems(from, count),
      label: async ({ acts }) => ({ labelled: await this.#options.label(await this.#open(), acts) }),
      follow: async ({ on }) => (await this.#open()).follow(on),
      copy: async ({ query, form, limit }) => copyRows(await this.#open(), query, form, limit),
      copyOne: async ({ index, branch }) => ({
        text: copyTrajectory(await this.#trajectory(index), branch),
      }),
    };
  }
}
