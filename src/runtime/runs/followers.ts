import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { type Hide, hideIn } from "../../core/runs/secrets";
import { RunSeries } from "../../core/runs/series";
import type { TelemetryReader } from "../../core/runs/telemetry";
import { meaningOf } from "../../core/runs/vocabulary";
import { Json } from "../../schema/json";
import { MetricRow, type RunRecord, type RunStatus } from "../../schema/run";
import { writeFileAtomically } from "../atomicFile";
import { errorText } from "../systemErrors";
import { AppendFile } from "./appendFile";
import { DocumentFollower, type FileFollower, LinesFollower, type Place, type Row } from "./followFile";
import { matches } from "./glob";
import { paths } from "./layout";
import type { RunClock, StatusBook } from "./statusBook";
import { tailOf } from "./tail";

const FOLLOW_EVERY_MS = 400;
/** In one round; requests are looked at in between. */
const ROUND_MS = 60;
const PLACES_EVERY_MS = 2000;
/** Waiting for room on the disk; until it is there nothing more is read, so nothing is lost. */
const EARLIER_BYTES = 8 * 1024 * 1024;
const MOST_WAITING = 16 * 1024 * 1024;

const Places = z.object({
  sources: z.array(
    z.object({
      reader: z.string(),
      path: z.string(),
      file: z.number(),
      offset: z.int().nonnegative(),
      changed: z.number(),
    }),
  ),
});

/** Follows what a run writes: numbers into `metrics.jsonl`, step and checkpoints into its status. */
export class Followers {
  readonly #folder: string;
  readonly #record: RunRecord;
  readonly #readers: readonly TelemetryReader[];
  readonly #clock: RunClock;
  readonly #book: StatusBook;
  readonly #hide: Hide;
  readonly #metrics: AppendFile;
  readonly #open = new Map<string, FileFollower>();
  readonly #known = new Map<string, Set<string>>();
  /** The total reward alone: what a list of runs shows. */
  readonly #reward = new RunSeries();
  #places: readonly Place[] = [];
  /** The run's first supervisor: every file is read from its beginning as it grows. */
  #fromStart = true;
  #lastRound = Number.NEGATIVE_INFINITY;
  #lastPlaces = Number.NEGATIVE_INFINITY;
  #moved = false;

  constructor(
    folder: string,
    record: RunRecord,
    readers: readonly TelemetryReader[],
    clock: RunClock,
    book: StatusBook,
    hide: Hide,
  ) {
    this.#folder = folder;
    this.#record = record;
    this.#readers = readers;
    this.#clock = clock;
    this.#book = book;
    this.#hide = hide;
    this.#metrics = new AppendFile(paths.metrics(folder), () => "\n", MOST_WAITING);
  }

  /** Goes on where an earlier supervisor stood. */
  async resume(): Promise<void> {
    this.#fromStart = false;
    try {
      this.#places = Places.parse(JSON.parse(await readFile(paths.followed(this.#folder), "utf8"))).sources;
    } catch {
      // None yet: from the beginning. A row that comes twice says the same twice.
    }
    await this.#earlierRewards();
  }

  /** Of what was written before, its last part: a list shows the shape of the curve, a full one needn't be read again. */
  async #earlierRewards(): Promise<void> {
    for (const line of (await tailOf(paths.metrics(this.#folder), EARLIER_BYTES)).split("\n")) {
      try {
        this.#addReward(MetricRow.parse(JSON.parse(line)));
      } catch {
        // The first line is cut, the last one may be.
      }
    }
  }

  /** A round, if it is time for one. */
  async follow(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#lastRound < FOLLOW_EVERY_MS) return;
    this.#lastRound = now;
    await this.#find();
    await this.#round(now + ROUND_MS);
    if (this.#moved && now - this.#lastPlaces >= PLACES_EVERY_MS) await this.#savePlaces(now);
    await this.#checkpoints();
  }

  /** All that is left, when the job is over. */
  async end(): Promise<void> {
    await this.#find();
    await this.#round(Number.POSITIVE_INFINITY);
    for (const follower of this.#open.values()) this.#take(follower.place, follower.end(), this.#fromStart);
    await this.#flush();
    await this.#savePlaces(this.#clock.monotonic());
    await this.#checkpoints();
    await this.#metrics.close();
  }

  async #find(): Promise<void> {
    for (const { reader: id, path: pattern } of this.#record.telemetry) {
      const reader = this.#readers.find((one) => one.id === id);
      if (!reader) {
        this.#book.problem("unreadable-log", `${pattern}: ${id}`);
        continue;
      }
      for (const { path } of await matches(this.#folder, pattern)) {
        const key = `${id} ${path}`;
        if (this.#open.has(key)) continue;
        const from = this.#places.find((place) => place.reader === id && place.path === path) ?? null;
        const known = this.#known.get(`${id} ${pattern}`) ?? new Set<string>();
        this.#known.set(`${id} ${pattern}`, known);
        const file = join(this.#folder, path);
        this.#open.set(
          key,
          reader.shape === "lines"
            ? new LinesFollower(file, path, reader, from, this.#fromStart)
            : new DocumentFollower(file, path, reader, from, known),
        );
      }
    }
  }

  async #round(until: number): Promise<void> {
    for (const follower of this.#open.values()) {
      try {
        for (let more = true; more && (await this.#flush());) {
          const step = await follower.step();
          this.#take(follower.place, step.rows, step.live);
          if (step.rows.length > 0 || step.more) this.#moved = true;
          more = step.more && this.#clock.monotonic() < until;
        }
      } catch (error) {
        this.#book.problem("unreadable-log", `${follower.place.path}: ${errorText(error)}`);
      }
    }
    await this.#flush();
  }

  /** False: the disk is full, and what was read already has to be written first. */
  async #flush(): Promise<boolean> {
    if (this.#metrics.waiting === 0) return true;
    try {
      if (await this.#metrics.flush()) return true;
      this.#book.problem("disk-full", "metrics.jsonl");
    } catch (error) {
      this.#book.problem("not-written", `metrics.jsonl: ${errorText(error)}`);
    }
    return false;
  }

  #take({ reader }: Place, rows: readonly Row[], live: boolean): void {
    let step = this.#book.status.step;
    for (const row of rows) {
      const at = row.at ?? (live ? this.#clock.wall() : null);
      const whole: MetricRow = { step: row.step, at, from: reader, values: row.values };
      this.#metrics.add(`${JSON.stringify(hideIn(Json.parse(whole), this.#hide))}\n`);
      this.#addReward(whole);
      step = Math.max(step ?? 0, row.step);
    }
    if (step === this.#book.status.step) return;
    const reward = this.#reward.sparkline();
    this.#book.update({ step, ...(reward.length > 0 && { reward }) });
  }

  #addReward(row: MetricRow): void {
    const values = Object.entries(row.values).filter(([name]) => meaningOf(name, row.from).id === "reward");
    if (values.length > 0) this.#reward.add({ ...row, values: Object.fromEntries(values) });
  }

  async #savePlaces(now: number): Promise<void> {
    this.#lastPlaces = now;
    const sources = [...this.#open.values()].map(({ place }) => place);
    try {
      await writeFileAtomically(paths.followed(this.#folder), JSON.stringify({ sources }));
      this.#moved = false;
    } catch {
      // An adopter then reads from further back.
    }
  }

  async #checkpoints(): Promise<void> {
    const pattern = this.#record.checkpoints;
    if (pattern === null) return;
    const found = (await matches(this.#folder, pattern))
      .flatMap(({ path, star }) =>
        star !== null && /^\d+$/.test(star)
          ? [{ name: this.#hide(path.split("/").at(-1) ?? path), step: Number(star) }]
          : [],
      )
      .sort((a, b) => a.step - b.step);
    const known = this.#book.status.checkpoints;
    if (same(found, known)) return;
    for (const { name, step } of found)
      if (!known.some((one) => one.name === name)) this.#book.event({ kind: "checkpoint", text: name, step });
    this.#book.update({ checkpoints: found });
  }
}

function same(a: RunStatus["checkpoints"], b: RunStatus["checkpoints"]): boolean {
  return (
    a.length === b.length && a.every(({ name, step }, at) => name === b[at]?.name && step === b[at].step)
  );
}
