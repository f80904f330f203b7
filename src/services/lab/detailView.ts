import { shownName } from "../../core/text/shownName";
import { RewardsmithError } from "../../base/errors";
import { othersScored } from "../../core/scoring/totals";
import type { DetailFunction, LabDetail } from "../../schema/lab";
import { toTagged } from "../../schema/number";
import { baseName } from "../paths";
import { samplePlace } from "../sampleLine";
import type { Before } from "./changes";
import { bestFirst, member } from "./groupsView";
import type { Moment } from "./order";
import { orNull, type Weighed } from "./weighed";

/**
 * One sample with all that is known of it, but for the snapshot's head. Texts longer than `maxText` are cut, and parts that are much longer in all.
 * @throws BadArguments where there is no such row (any more)
 */
export function detailView(
  { weighed, labels }: Moment,
  before: readonly (Before | null)[],
  row: number,
  maxText: number,
): Omit<LabDetail, "seq" | "docVersion" | "status"> {
  const { table } = weighed.facts;
  if (row >= table.n) throw new RewardsmithError("BadArguments", `There is no row ${row + 1}.`, { row });
  const shown = new Shown(maxText);
  const groupAt = table.groupOf[row] ?? 0;
  const group = table.groups[groupAt] ?? { id: "", rows: [] };
  const { file, line } = samplePlace(table, row);
  const prompt = shown.part(table.prompt?.[row] ?? null, maxText);
  const completion = shown.part(table.completion[row], maxText);
  const columns = shown.columns(
    [...table.columns].map(([name, values]) => [name, values[row]]),
    maxText / 2,
  );
  return {
    row,
    id: shownName(table.ids[row] ?? ""),
    group: shownName(group.id),
    groupAt,
    file: baseName(file),
    line,
    prompt,
    completion,
    columns,
    cut: shown.cut,
    label: labels.of(row),
    functions: weighed.facts.functions.map((_, index) => detailFunction(weighed, before, index, row)),
    total: orNull(weighed.totals[row]),
    advantage: orNull(weighed.advantages[row]),
    ifFixed: orNull(weighed.ifFixed[row]),
    members: bestFirst(weighed, group.rows, row).map((other) => member(weighed, other)),
  };
}

function detailFunction(
  { facts, functions, components }: Weighed,
  before: readonly (Before | null)[],
  index: number,
  row: number,
): DetailFunction {
  const outcome = facts.functions[index]?.outcome;
  const cell = outcome?.rows[row];
  const then = before[index]?.rows[row];
  const again = outcome?.again.get(row);
  const { name = "", line = 0, weight = 1 } = functions[index] ?? {};
  const fate = components[index]?.fate;
  const tagged = (value: number | null) => (value === null ? null : toTagged(value));
  return {
    name,
    line,
    weight,
    state: cell?.state ?? null,
    value: tagged(cell?.value ?? null),
    recovered: cell?.recovered ?? false,
    reason: cell?.reason ?? null,
    output: cell?.output ?? null,
    ms: cell?.ms ?? null,
    fate:
      cell && fate ? fate(cell.state, othersScored(components, row, index), cell.reason?.code ?? null) : null,
    ...(then ? { before: { state: then.state, value: tagged(then.value) } } : {}),
    ...(again === undefined ? {} : { again: tagged(again) }),
  };
}

/** Of a list or an object as much is shown where `maxText` is less: a score in it isn't to be cut. */
const LEAST = 20_000;
const CUT = "…";

/**
 * Values as JSON can carry them: bigint as its digits, non-finite numbers tagged, long texts cut. Of what is in lists
 * and objects as much as `most` characters in all; what was left out there is an ellipsis.
 */
class Shown {
  readonly #maxText: number;
  #left = 0;
  cut = false;

  constructor(maxText: number) {
    this.#maxText = maxText;
  }

  part(value: unknown, most: number): unknown {
    this.#left = Math.max(LEAST, most);
    return this.#value(value);
  }

  /** By name, which may be any text, `__proto__` too. */
  columns(entries: readonly (readonly [string, unknown])[], most: number): Record<string, unknown> {
    this.#left = Math.max(LEAST, most);
    return this.#record(entries);
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint" || typeof value === "number") {
      this.#left -= value.toString().length;
      return typeof value === "bigint" ? value.toString() : toTagged(value);
    }
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        if (this.#isFull()) {
          items.push(CUT);
          break;
        }
        this.#left -= 2;
        items.push(this.#value(item));
      }
      return items;
    }
    if (typeof value === "object" && value !== null) return this.#record(Object.entries(value));
    this.#left -= 4;
    return value ?? null;
  }

  #record(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
    const shown: [string, unknown][] = [];
    for (const [name, value] of entries) {
      if (this.#isFull()) {
        shown.push([CUT, CUT]);
        break;
      }
      this.#left -= name.length + 4;
      shown.push([name, this.#value(value)]);
    }
    return Object.fromEntries(shown);
  }

  #isFull(): boolean {
    if (this.#left > 0) return false;
    this.cut = true;
    return true;
  }

  #text(value: string): string {
    const most = Math.min(this.#maxText, Math.max(LEAST, this.#left));
    this.#left -= Math.min(value.length, most);
    if (value.length <= most) return value;
    this.cut = true;
    // Never half a character.
    return value.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  }
}
