import { shownName } from "../../core/text/shownName";
import type { FilterRows } from "../../core/query/evaluate";
import type { FilterNode } from "../../core/query/parse";
import { sameScore } from "../../core/scoring/groups";
import { FLAG_WORDS, MARK, OUTCOME_WORDS, TEXT } from "../../core/trajectories/batch";
import { hash64 } from "../../core/trajectories/hash";
import { placeName } from "../../core/trajectories/summary";
import type { LabelValue } from "../../schema/label";
import { toTagged, type TaggedNumber } from "../../schema/number";
import type { OutcomeKind, TrajectoryFlag, TrajectoryRow } from "../../schema/trajectory";
import type { RowColumns } from "./columns";
import type { GroupIndex } from "./groupIndex";
import type { NowScore } from "./source";
import type { RowTexts, TextReader } from "./texts";

const FAILING_FLAGS: readonly TrajectoryFlag[] = ["error", "tool-error", "bad-arguments", "non-finite"];
const FAILING_BITS = FAILING_FLAGS.reduce((bits, flag) => bits | bitOf(flag), 0);
const FAILED_OUTCOMES: ReadonlySet<OutcomeKind> = new Set([
  "length",
  "turns",
  "time",
  "environment",
  "infrastructure",
  "cancelled",
]);

/** Totals that differ by less are the same: a trainer's file has the sum of floats in its own order. */
const CHANGED = 1e-9;

export function bitOf(flag: TrajectoryFlag): number {
  return 1 << FLAG_WORDS.indexOf(flag);
}

/** All that is known of the rows, joined from columns, texts, groups, labels and scores. */
export class RowFacts {
  readonly columns: RowColumns;
  readonly groups: GroupIndex;
  readonly texts: RowTexts;
  readonly #fileName: (file: number) => string;
  #labels = new Map<number, Map<string, LabelValue>>();
  now: ReadonlyMap<number, NowScore> | null = null;
  readonly #ties = new Map<number, { readonly size: number; readonly tied: boolean }>();

  constructor(parts: {
    readonly columns: RowColumns;
    readonly groups: GroupIndex;
    readonly texts: RowTexts;
    readonly fileName: (file: number) => string;
  }) {
    this.columns = parts.columns;
    this.groups = parts.groups;
    this.texts = parts.texts;
    this.#fileName = parts.fileName;
  }

  setLabels(labels: ReadonlyMap<string, LabelValue>): void {
    this.#labels = new Map();
    for (const [id, value] of labels) {
      const { low } = hash64(id);
      const known = this.#labels.get(low) ?? new Map<string, LabelValue>();
      this.#labels.set(low, known.set(id, value));
    }
  }

  reward(row: number): number {
    return this.columns.column("reward").get(row);
  }

  outcome(row: number): OutcomeKind {
    return OUTCOME_WORDS[this.columns.column("outcome").get(row)] ?? "unknown";
  }

  flags(row: number): TrajectoryFlag[] {
    const bits = this.columns.column("flags").get(row);
    return FLAG_WORDS.filter((flag) => (bits & bitOf(flag)) !== 0);
  }

  /**
   * It failed by the file's own account: an error, a failed tool, arguments that can't be read, a number that isn't
   * finite, an outcome other than finished, running or unknown, or a reward of 0 or less (docs/trajectories.md).
   */
  failing(row: number): boolean {
    if ((this.columns.column("flags").get(row) & FAILING_BITS) !== 0) return true;
    if (FAILED_OUTCOMES.has(this.outcome(row))) return true;
    return this.reward(row) <= 0;
  }

  /** All of its group have one reward, and they are at least two. */
  tied(row: number): boolean {
    const group = this.groups.groupOf.get(row);
    const size = this.groups.size(group);
    const known = this.#ties.get(group);
    if (known?.size === size) return known.tied;
    const rewards = this.groups.members(group).map((member) => this.reward(member));
    const [first = Number.NaN] = rewards;
    const tied = size > 1 && rewards.every((reward) => Number.isFinite(reward) && sameScore(reward, first));
    this.#ties.set(group, { size, tied });
    return tied;
  }

  /** The open reward gives it another total than the file, or one where the file has none. */
  changed(row: number): boolean {
    const now = this.now?.get(row)?.value ?? Number.NaN;
    return !Number.isNaN(now) && !(Math.abs(now - this.reward(row)) <= CHANGED);
  }

  fileName(row: number): string {
    return this.#fileName(this.columns.column("file").get(row));
  }

  id(row: number, texts: TextReader): string {
    return (
      texts.get(row, TEXT.id) ??
      placeName({
        name: this.fileName(row),
        line: this.columns.column("line").get(row),
        nth: this.columns.column("nth").get(row),
      })
    );
  }

  group(row: number, texts: TextReader): string {
    const name = this.groups.name(this.groups.groupOf.get(row));
    switch (name.kind) {
      case "alone":
        return this.id(row, texts);
      case "given":
        return `${this.groups.scopeText(name.scope)}${texts.get(row, TEXT.group) ?? ""}`;
      case "prompt":
        return `${this.groups.scopeText(name.scope)}p${name.ordinal}`;
    }
  }

  label(row: number, texts: TextReader): LabelValue | null {
    if (this.#labels.size === 0) return null;
    const found = this.#labels.get(this.columns.column("idHash").get(row));
    return found?.get(this.id(row, texts)) ?? null;
  }

  row(row: number, texts: TextReader): TrajectoryRow {
    const number = (name: Parameters<RowColumns["column"]>[0]): number => this.columns.column(name).get(row);
    const orNull = (name: Parameters<RowColumns["column"]>[0]): number | null => {
      const value = number(name);
      return Number.isNaN(value) ? null : value;
    };
    const bits = number("flags");
    const now = this.now?.get(row) ?? null;
    const rewards: Record<string, TaggedNumber | null> = {};
    for (const [name, value] of this.columns.componentsOf(row))
      Object.defineProperty(rewards, name, {
        value: value === null ? null : toTagged(value),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return {
      index: row,
      file: number("file"),
      id: this.id(row, texts),
      group: this.group(row, texts),
      step: orNull("step"),
      split: this.columns.splitOf(row),
      task: texts.get(row, TEXT.task),
      line: number("line"),
      title: texts.get(row, TEXT.title) ?? "",
      reward: (bits & MARK.hasReward) === 0 ? null : toTagged(number("reward")),
      rewards,
      advantage: (bits & MARK.hasAdvantage) === 0 ? null : toTagged(number("advantage")),
      outcome: this.outcome(row),
      flags: this.flags(row),
      turns: number("turns"),
      messages: number("messages"),
      calls: number("calls"),
      toolErrors: number("toolErrors"),
      branches: number("branches"),
      tokens: orNull("tokens"),
      characters: number("characters"),
      ms: orNull("ms"),
      cost: orNull("cost"),
      label: this.label(row, texts),
      now: now?.value === null || now === null ? null : toTagged(now.value),
      nowState: now?.state ?? null,
    };
  }

  /** What a filter asks; `texts` is the reader of the block that is being filtered. */
  filterRows(components: readonly string[], texts: () => TextReader): FilterRows {
    const byComponent = components.map((name) => this.columns.component(name));
    const none = Number.NaN;
    return {
      searched: ["title", "id", "task"],
      number: (field, row) => {
        switch (field) {
          case "now":
            return this.now?.get(row)?.value ?? none;
          case "reward":
          case "advantage":
          case "step":
          case "turns":
          case "messages":
          case "calls":
          case "toolErrors":
          case "branches":
          case "tokens":
          case "characters":
          case "ms":
          case "cost":
            return this.columns.column(field).get(row);
          default:
            return none;
        }
      },
      component: (index, row) => byComponent[index]?.get(row) ?? none,
      state: () => null,
      componentState: () => null,
      label: (row) => {
        const value = this.label(row, texts());
        return value === null ? null : { value, source: "sidecar", stream: null, by: "" };
      },
      direction: () => null,
      flag: (flag, row) => {
        if (flag === "failing") return this.failing(row);
        if (flag === "tied") return this.tied(row);
        if (flag === "changed") return this.changed(row);
        const at = FLAG_WORDS.findIndex((known) => known === flag);
        return at >= 0 && (this.columns.column("flags").get(row) & (1 << at)) !== 0;
      },
      text: (field, row) => this.#text(field, row, texts()),
      column: (name, row) => {
        const value = this.columns.metric(name)?.get(row) ?? none;
        return Number.isNaN(value) ? null : value;
      },
      valueText: (value) => String(value).toLowerCase(),
    };
  }

  #text(field: string, row: number, texts: TextReader): string {
    switch (field) {
      case "id":
        return shownName(this.id(row, texts));
      case "group":
        return shownName(this.group(row, texts));
      case "title":
        return (texts.get(row, TEXT.title) ?? "").toLowerCase();
      case "task":
        return (texts.get(row, TEXT.task) ?? "").toLowerCase();
      case "file":
        return this.fileName(row).toLowerCase();
      case "split":
        return this.columns.splitOf(row) ?? "none";
      case "outcome":
        return this.outcome(row);
      case "state":
        return this.now?.get(row)?.state ?? "none";
      default:
        return "";
    }
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["id", "group", "title", "task", "label"]);

/** Whether a filter looks at texts (ids, titles), which may lie on disk. */
export function needsTexts(node: FilterNode): boolean {
  switch (node.kind) {
    case "and":
    case "or":
      return node.of.some((part) => needsTexts(part));
    case "not":
      return needsTexts(node.of);
    case "search":
    case "label":
      return true;
    case "all":
    case "flag":
    case "rows":
    case "flip":
      return false;
    case "compare":
    case "range":
    case "missing":
    case "state":
    case "name":
    case "contains":
      return node.field.by === "own" && TEXT_FIELDS.has(node.field.name);
  }
}
