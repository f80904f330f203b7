import * as z from "zod";
import type { SampleTable } from "../../core/scoring/table";

const Messages = z.array(z.looseObject({ role: z.string() })).min(1);
const Parts = z.array(z.unknown());

/** A set of one row of the table, under a name of its own; `completion` in place of the row's own where given. */
export function oneRowTable(
  table: SampleTable,
  row: number,
  set: string,
  other?: { readonly completion: unknown },
): SampleTable {
  const cell = (values: readonly unknown[]): unknown[] => [values[row] ?? null];
  const group = table.groups[table.groupOf[row] ?? -1];
  return {
    ...table,
    info: { ...table.info, set, rows: 1, groups: 1 },
    n: 1,
    ids: [table.ids[row] ?? ""],
    lines: [table.lines[row] ?? 1],
    groups: [{ id: group?.id ?? "", rows: [0] }],
    groupOf: [0],
    prompt: table.prompt && cell(table.prompt),
    completion: other ? [inPlaceOf(table.completion[row], other.completion)] : cell(table.completion),
    // Token ids belong to the text that they were made from.
    completionIds: other ? null : table.completionIds && cell(table.completionIds),
    columns: new Map([...table.columns].map(([name, values]) => [name, cell(values)])),
    label: null,
  };
}

/** A text typed for a conversation becomes the content of its last assistant message; anything else is taken as it is. */
export function inPlaceOf(own: unknown, typed: unknown): unknown {
  if (typeof typed !== "string") return typed;
  const known = Messages.safeParse(own);
  if (!known.success) return typed;
  const messages = known.data;
  const at = messages.map(({ role }) => role).lastIndexOf("assistant");
  if (at < 0) return [...messages, { role: "assistant", content: typed }];
  return messages.map((message, index) =>
    index === at ? { ...message, content: inForm(message["content"], typed) } : message,
  );
}

/** Content in parts stays in parts. */
function inForm(content: unknown, text: string): unknown {
  return Parts.safeParse(content).success ? [{ type: "text", text }] : text;
}
