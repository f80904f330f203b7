import type { Trajectory } from "../../schema/trajectory";
import type { TrajectoryHead } from "../../schema/trajectoryView";
import { rowAdvantages } from "./compare";
import { bounded, plainJson, safeCut, wayOf, asText } from "./slices";
import type { TrajectorySource } from "./source";

const MOST_BRANCHES = 1000;
const MOST_TOOLS = 500;
const MOST_ERRORS = 100;
const MOST_SNAPSHOTS = 200;
/** Members of a group whose advantages are worked out for a head. */
const MOST_MEMBERS = 4096;

/** All of a trajectory but its messages. Values longer than `maxText` UTF-16 units come as the start of their text. */
export async function headOf(
  source: TrajectorySource,
  index: number,
  trajectory: Trajectory,
  maxText: number,
): Promise<TrajectoryHead> {
  const members = source.groupOf(index);
  const rows = await source.rows(members.length > MOST_MEMBERS ? [index] : members);
  const row = rows.find((one) => one.index === index) ?? (await source.row(index));
  const info = source.info();
  const advantages =
    info.rule === null || rows.length < members.length ? null : rowAdvantages(rows, null, info.rule);
  const place = source.place(index);
  const { branches, ...rest } = trajectory;
  return {
    ...rest,
    row,
    fileName: info.files[row.file] ?? place.file,
    form: rest.form ?? place.form,
    place: { at: Math.max(0, members.indexOf(index)), of: members.length },
    ruleAdvantage: advantages?.values[rows.indexOf(row)] ?? null,
    branches: branches.slice(0, MOST_BRANCHES).map(({ id, name, from }, at) => ({
      id: safeCut(id, 200),
      name: name === null ? null : safeCut(name, 200),
      from,
      messages: wayOf(trajectory, at).length,
    })),
    tools: rest.tools.slice(0, MOST_TOOLS).map(({ name, description, schema }) => ({
      name: safeCut(name, 200),
      description: description === null ? null : safeCut(description, maxText),
      schema: asText(schema).length > maxText ? `${safeCut(asText(schema), maxText)}…` : plainJson(schema),
    })),
    errors: rest.errors.slice(0, MOST_ERRORS).map(({ kind, message, traceback }) => ({
      kind: kind === null ? null : safeCut(kind, 200),
      message: safeCut(message, maxText),
      traceback: traceback === null ? null : safeCut(traceback, maxText),
    })),
    snapshots: rest.snapshots.slice(0, MOST_SNAPSHOTS).map(({ before, label, state }) => ({
      before,
      label,
      state: asText(state).length > maxText ? `${safeCut(asText(state), maxText)}…` : plainJson(state),
    })),
    metrics: bounded(rest.metrics, maxText),
    columns: bounded(rest.columns, maxText),
    reference: bounded({ reference: rest.reference }, maxText)["reference"] ?? null,
    rawLength: (await source.raw(index)).length,
  };
}
