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
 * One sample with all that is known of it, but for the snapshot's head. Texts longer than `maxText` are cut.
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
  const prompt = shown.value(table.prompt?.[row] ?? null);
  const completion = shown.value(table.completion[row]);
  const columns = Object.fromEntries(
    [...table.columns].map(([name, values]): [string, unknown] => [name, shown.value(values[row])]),
  );
  return {
    row,
    id: table.ids[row] ?? "",
    group: group.id,
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

/** Values as JSON can carry them: bigint as its digits, non-finite numbers tagged, long texts cut. */
class Shown {
  readonly #maxText: number;
  cut = false;

  constructor(maxText: number) {
    this.#maxText = maxText;
  }

  value(value: unknown): unknown {
    if (typeof value === "string") {
      if (value.length <= this.#maxText) return value;
      this.cut = true;
      // Never half a character.
      return value.slice(0, this.#maxText).replace(/[\ud800-\udbff]$/, "");
    }
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "number") return toTagged(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, item]): [string, unknown] => [key, this.value(item)]),
      );
    return value ?? null;
  }
}
