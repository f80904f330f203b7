import { fromTagged, type TaggedNumber } from "../../schema/number";
import { OutcomeKind, TrajectoryFlag, type Trajectory } from "../../schema/trajectory";
import { hash64, type Hash64 } from "./hash";
import { encodeStrings } from "./strings";
import { summarise, type OwnSummary } from "./summary";
import { promptOf } from "./titles";

/**
 * Summaries as columns: what an index is made of, on its way between threads, on disk and in memory. A column is left
 * out where all its rows have the default, and most are in most files.
 */
export const COLUMNS = {
  /** Where the record lies, as its container counts; its position among the file's records; 1-based line. */
  at: { type: "f64", none: 0 },
  length: { type: "u32", none: 0 },
  record: { type: "u32", none: 0 },
  line: { type: "u32", none: 0 },
  /** Position among the trajectories of its record. */
  nth: { type: "u32", none: 0 },
  reward: { type: "f64", none: Number.NaN },
  advantage: { type: "f64", none: Number.NaN },
  step: { type: "f64", none: Number.NaN },
  ms: { type: "f64", none: Number.NaN },
  cost: { type: "f64", none: Number.NaN },
  tokens: { type: "f64", none: Number.NaN },
  characters: { type: "u32", none: 0 },
  turns: { type: "u32", none: 0 },
  messages: { type: "u32", none: 0 },
  calls: { type: "u32", none: 0 },
  toolErrors: { type: "u32", none: 0 },
  branches: { type: "u32", none: 1 },
  /** Position in `OutcomeKind`'s words. */
  outcome: { type: "u8", none: 0 },
  /** A bit for each of `TrajectoryFlag`'s words, and those of `MARK`. */
  flags: { type: "u16", none: 0 },
  /** Position in the batch's `splits`, counted from 1. */
  split: { type: "u8", none: 0 },
  /** Of the given group, else of the prompt. */
  hashHigh: { type: "u32", none: 0 },
  hashLow: { type: "u32", none: 0 },
  /** Of the id: to find rows by it. */
  idHash: { type: "u32", none: 0 },
} as const;
export type ColumnName = keyof typeof COLUMNS;
export type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

export const COLUMN_NAMES: readonly ColumnName[] = [
  ...(function* () {
    for (const name in COLUMNS) if (isColumn(name)) yield name;
  })(),
];

export function isColumn(name: string): name is ColumnName {
  return Object.hasOwn(COLUMNS, name);
}

/** Further bits in `flags`. */
export const MARK = {
  hasReward: 1 << 12,
  hasAdvantage: 1 << 13,
  /** The file gives the group. */
  given: 1 << 14,
  /** The file gives no id. */
  byPlace: 1 << 15,
} as const;

export const FLAG_WORDS = TrajectoryFlag.options;
export const OUTCOME_WORDS = OutcomeKind.options;
/** Fields of a row's texts. The split is among `splits`. */
export const TEXT = { id: 0, title: 1, task: 2, group: 3 } as const;
export const TEXTS = 4;

/** A component's value by row: `STATE.absent` where the record doesn't have it, `none` where it is null there. */
export const STATE = { absent: 0, none: 1, value: 2 } as const;

export interface ComponentColumn {
  readonly name: string;
  readonly values: Float64Array;
  readonly states: Uint8Array;
}

export interface MetricColumn {
  readonly name: string;
  /** NaN: no number there. */
  readonly values: Float64Array;
}

export interface SummaryBatch {
  readonly n: number;
  readonly columns: Partial<Readonly<Record<ColumnName, Numbers>>>;
  readonly components: readonly ComponentColumn[];
  readonly metrics: readonly MetricColumn[];
  readonly splits: readonly string[];
  /** `encodeStrings` of id, title, task, group. */
  readonly texts: Uint8Array;
}

export function numbersFor(type: (typeof COLUMNS)[ColumnName]["type"], n: number): Numbers {
  switch (type) {
    case "f64":
      return new Float64Array(n);
    case "u32":
      return new Uint32Array(n);
    case "u16":
      return new Uint16Array(n);
    case "u8":
      return new Uint8Array(n);
  }
}

export interface RowPlace {
  readonly name: string;
  readonly line: number;
  readonly nth: number;
  readonly at: number;
  readonly length: number;
  readonly record: number;
}

/** More names than these aren't kept as columns: a file may make up a name a row. */
const MOST_NAMES = 64;

/** Rows that there is room for at first; it doubles. */
const ROOM = 256;

/** One column of a batch that is being made. It has no numbers as long as all rows have the default. */
class BatchColumn {
  readonly #type: (typeof COLUMNS)[ColumnName]["type"];
  readonly #none: number;
  #numbers: Numbers | null = null;

  constructor({ type, none }: (typeof COLUMNS)[ColumnName]) {
    this.#type = type;
    this.#none = none;
  }

  set(row: number, value: number): void {
    if (this.#numbers === null) {
      if (Object.is(value, this.#none)) return;
      this.#numbers = this.#room(ROOM);
    }
    if (row >= this.#numbers.length) {
      const wider = this.#room(Math.max(row + 1, this.#numbers.length * 2));
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    this.#numbers[row] = value;
  }

  /** Null: all `n` have the default. */
  take(n: number): Numbers | null {
    const numbers = this.#numbers;
    this.#numbers = null;
    if (numbers === null || numbers.length >= n) return numbers?.slice(0, n) ?? null;
    const wider = this.#room(n);
    wider.set(numbers);
    return wider;
  }

  #room(n: number): Numbers {
    const numbers = numbersFor(this.#type, n);
    if (!Object.is(this.#none, 0)) numbers.fill(this.#none);
    return numbers;
  }
}

/** Collects summaries of trajectories until they are taken as a batch. */
export class BatchBuilder {
  #n = 0;
  readonly #columns = new Map<ColumnName, BatchColumn>(
    COLUMN_NAMES.map((name) => [name, new BatchColumn(COLUMNS[name])]),
  );
  #texts: (readonly (string | null)[])[] = [];
  #splits: string[] = [];
  #components = new Map<string, { row: number; value: TaggedNumber | null }[]>();
  #metrics = new Map<string, { row: number; value: number }[]>();
  #prompt: { readonly text: string; readonly hash: Hash64 } = { text: "", hash: hash64("") };

  get size(): number {
    return this.#n;
  }

  add(trajectory: Trajectory, place: RowPlace): void {
    const summary = summarise(trajectory, place);
    const row = this.#n++;
    const hash = summary.group === null ? this.#promptHash(trajectory) : hash64(summary.group);
    this.#set("at", row, place.at);
    this.#set("length", row, place.length);
    this.#set("record", row, place.record);
    this.#set("line", row, place.line);
    this.#set("nth", row, place.nth);
    this.#set("reward", row, numberOf(summary.reward));
    this.#set("advantage", row, numberOf(summary.advantage));
    this.#set("step", row, summary.step ?? Number.NaN);
    this.#set("ms", row, summary.ms ?? Number.NaN);
    this.#set("cost", row, summary.cost ?? Number.NaN);
    this.#set("tokens", row, summary.tokens ?? Number.NaN);
    this.#set("characters", row, summary.characters);
    this.#set("turns", row, summary.turns);
    this.#set("messages", row, summary.messages);
    this.#set("calls", row, summary.calls);
    this.#set("toolErrors", row, summary.toolErrors);
    this.#set("branches", row, summary.branches);
    this.#set("outcome", row, OUTCOME_WORDS.indexOf(summary.outcome));
    this.#set("flags", row, flagBits(summary, trajectory.id === null));
    this.#set("split", row, this.#splitAt(summary.split));
    this.#set("hashHigh", row, hash.high);
    this.#set("hashLow", row, hash.low);
    this.#set("idHash", row, hash64(summary.id).low);
    this.#texts.push([trajectory.id, summary.title, summary.task, summary.group]);
    for (const [name, value] of Object.entries(summary.rewards))
      listAt(this.#components, name)?.push({ row, value });
    for (const [name, value] of Object.entries(trajectory.metrics)) {
      const number = typeof value === "boolean" ? Number(value) : value;
      if (typeof number === "number" && !Number.isNaN(number))
        listAt(this.#metrics, name)?.push({ row, value: number });
    }
  }

  take(): SummaryBatch {
    const n = this.#n;
    const columns: Partial<Record<ColumnName, Numbers>> = {};
    for (const [name, column] of this.#columns) {
      const numbers = column.take(n);
      if (numbers) columns[name] = numbers;
    }
    const batch: SummaryBatch = {
      n,
      columns,
      components: [...this.#components].map(([name, found]) => {
        const values = new Float64Array(n).fill(Number.NaN);
        const states = new Uint8Array(n);
        for (const { row, value } of found) {
          states[row] = value === null ? STATE.none : STATE.value;
          values[row] = numberOf(value);
        }
        return { name, values, states };
      }),
      metrics: [...this.#metrics].map(([name, found]) => {
        const values = new Float64Array(n).fill(Number.NaN);
        for (const { row, value } of found) values[row] = value;
        return { name, values };
      }),
      splits: this.#splits,
      texts: encodeStrings(this.#texts, TEXTS),
    };
    this.#n = 0;
    this.#texts = [];
    this.#splits = [];
    this.#components = new Map();
    this.#metrics = new Map();
    return batch;
  }

  #set(name: ColumnName, row: number, value: number): void {
    this.#columns.get(name)?.set(row, value);
  }

  /** Rollouts of one prompt mostly follow one another. */
  #promptHash(trajectory: Trajectory): Hash64 {
    const text = promptOf(trajectory);
    if (text !== this.#prompt.text) this.#prompt = { text, hash: hash64(text) };
    return this.#prompt.hash;
  }

  #splitAt(split: string | null): number {
    if (split === null) return 0;
    const known = this.#splits.indexOf(split);
    if (known >= 0) return known + 1;
    if (this.#splits.length >= 255) return 0;
    return this.#splits.push(split);
  }
}

/** Buffers of a batch, to be handed over rather than copied. */
export function buffersOf(batch: SummaryBatch): ArrayBufferLike[] {
  return [
    ...Object.values(batch.columns).map(({ buffer }) => buffer),
    ...batch.components.flatMap(({ values, states }) => [values.buffer, states.buffer]),
    ...batch.metrics.map(({ values }) => values.buffer),
    batch.texts.buffer,
  ];
}

function numberOf(value: TaggedNumber | null): number {
  return value === null ? Number.NaN : fromTagged(value);
}

function flagBits(summary: OwnSummary, byPlace: boolean): number {
  let bits = byPlace ? MARK.byPlace : 0;
  for (const flag of summary.flags) bits |= 1 << FLAG_WORDS.indexOf(flag);
  if (summary.reward !== null) bits |= MARK.hasReward;
  if (summary.advantage !== null) bits |= MARK.hasAdvantage;
  if (summary.group !== null) bits |= MARK.given;
  return bits;
}

function listAt<T>(lists: Map<string, T[]>, name: string): T[] | null {
  const known = lists.get(name);
  if (known) return known;
  if (lists.size >= MOST_NAMES) return null;
  const made: T[] = [];
  lists.set(name, made);
  return made;
}
