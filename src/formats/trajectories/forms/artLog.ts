import { entriesOf, message, taggedOf, toolCall, trajectory } from "../build";
import { ROLES, partsOf } from "../chat";
import type { TrajectoryForm } from "../form";
import { parseValue } from "../jsonValue";
import type { Message, ToolCall } from "../../../schema/trajectory";

const NUMBER = String.raw`-?(?:\d+\.\d{4}|nan|inf)`;
const ROLE = "System|Developer|User|Assistant|Tool|Function";
const START = new RegExp(String.raw`^reward: ${NUMBER} [^\n]*\n\n(?:${ROLE}):\n`);

export function isArtLog(text: string): boolean {
  return START.test(text);
}

/**
 * ART's earliest logs (March and April 2025, commits c3b90d7 to eb98b89, `LocalAPI._trajectory_log`): a text for each
 * trajectory, `trajectories/{split}/{step}/{group}-{trajectory}.log`. Reward and metrics have four decimals; a message is
 * its role, its content and its calls as `name(arguments)`. Where a content has a line that looks like the beginning of a
 * message the text can't tell them apart.
 */
export const artLog: TrajectoryForm = {
  id: "art-log",
  title: "ART trajectory log (text)",
  framework: "art",
  containers: ["document"],
  grouping: "given",
  credit: null,
  recognise: ({ records: [text] }) => typeof text === "string" && isArtLog(text),
  read(record, { name, folders }) {
    if (typeof record !== "string") return [];
    const [header = ""] = record.split("\n", 1);
    const [reward, ...metrics] = [...header.matchAll(new RegExp(`(\\S.*?): (${NUMBER})(?= |$)`, "g"))].map(
      ([, key = "", value]) => [key, taggedOf(value)] as const,
    );
    const group = /^(\d+)-\d+\.log$/.exec(name)?.[1];
    const placed = folders.at(-3) === "trajectories" && /^\d+$/.test(folders.at(-1) ?? "");
    const [split = null, step = null] = placed ? folders.slice(-2) : [];
    return [
      trajectory({
        group:
          group === undefined
            ? null
            : [...(placed ? [split, Number(step), "·"] : []), Number(group)].join(" "),
        step: step === null ? null : Number(step),
        split,
        messages: messagesOf(record.slice(header.length)),
        reward: reward?.[1] ?? null,
        metrics: entriesOf(metrics),
      }),
    ];
  },
};

function messagesOf(body: string): Message[] {
  const starts = [...body.matchAll(new RegExp(`\\n\\n(${ROLE}):\\n`, "g"))];
  return starts.map((found, at) => {
    const from = found.index + found[0].length;
    // A content is followed by a line end of its own, each message by another.
    const text = body.slice(from, starts[at + 1]?.index ?? body.length).replace(/\n{1,2}$/, "");
    const role = ROLES.get((found[1] ?? "").toLowerCase()) ?? "event";
    const { content, calls } = role === "assistant" ? withCalls(text) : { content: text, calls: [] };
    return message({
      role,
      roleInFile: (found[1] ?? "").toLowerCase() === role ? null : (found[1] ?? null),
      parts: partsOf(content),
      calls,
      sampled: role === "assistant" ? null : false,
    });
  });
}

/** Calls are the last lines: a name with an object in brackets. */
function withCalls(text: string): { readonly content: string; readonly calls: ToolCall[] } {
  const lines = text.split("\n");
  const calls: ToolCall[] = [];
  for (let line = lines.at(-1); line !== undefined; line = lines.at(-1)) {
    const [, name, args] = /^([\w.-]+)\((\{.*\})\)$/.exec(line) ?? [];
    if (name === undefined || args === undefined || !parseValue(args).ok) break;
    calls.unshift(toolCall(name, args, null));
    lines.pop();
  }
  return { content: lines.join("\n"), calls };
}
