import type { Trajectory, TrajectoryQuery } from "../../schema/trajectory";
import { csvText, exactNumber, markdownTable, shortNumber } from "../tableText";
import { asText, wayOf } from "./slices";
import type { TrajectorySource } from "./source";

const PAGE = 500;
const LONGEST_FENCE = 20;

/** The filtered rows as a Markdown table (numbers to three digits) or CSV (numbers whole); a missing number is empty. */
export async function copyRows(
  source: TrajectorySource,
  query: TrajectoryQuery,
  form: "markdown" | "csv",
  limit: number,
): Promise<{ text: string; rows: number }> {
  const { components } = source.info();
  const csv = form === "csv";
  const number = csv ? exactNumber : shortNumber;
  const lines: string[][] = [];
  for (let from = 0; from < limit; from += PAGE) {
    const { rows } = await source.page(query, from, Math.min(PAGE, limit - from));
    for (const row of rows)
      lines.push([
        String(row.index + 1),
        row.id,
        row.group,
        row.step === null ? "" : String(row.step),
        number(row.reward),
        ...components.map((name) => number(row.rewards[name] ?? null)),
        number(row.advantage),
        row.outcome,
        String(row.turns),
        String(row.calls),
        String(row.toolErrors),
        row.tokens === null ? "" : String(row.tokens),
        row.label === null ? "" : String(row.label),
        row.title,
      ]);
    if (rows.length < PAGE) break;
  }
  const head = [
    "trajectory",
    "id",
    "group",
    "step",
    "reward",
    ...components,
    "advantage",
    "outcome",
    "turns",
    "tool calls",
    "tool errors",
    "tokens",
    "label",
    "title",
  ];
  return { text: csv ? csvText([head, ...lines]) : markdownTable(head, lines), rows: lines.length };
}

/** One branch of a trajectory as Markdown; texts stand in fences that nothing in them can close. */
export function copyTrajectory(trajectory: Trajectory, branch: number): string {
  const parts: string[] = [];
  for (const { message } of wayOf(trajectory, branch)) {
    const named = message.name === null ? "" : ` (${message.name})`;
    parts.push(`### ${message.role}${named}`);
    if (message.reasoning !== null) parts.push(fenced(message.reasoning, "reasoning"));
    for (const part of message.parts)
      parts.push(
        part.type === "text"
          ? fenced(part.text, "")
          : `[${part.type === "image" ? `image ${part.mime ?? ""} ${part.address ?? ""}`.trim() : part.kind}]`,
      );
    for (const call of message.calls)
      parts.push(`tool call: ${call.name}`, fenced(call.raw ?? asText(call.arguments), "json"));
    if (message.error !== null) parts.push(fenced(message.error, "error"));
  }
  return `${parts.join("\n\n")}\n`;
}

function fenced(text: string, language: string): string {
  let fence = "```";
  while (text.includes(fence) && fence.length < LONGEST_FENCE) fence += "`";
  return `${fence}${language}\n${text}\n${fence}`;
}
