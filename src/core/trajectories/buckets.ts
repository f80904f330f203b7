import type { Message, Trajectory } from "../../schema/trajectory";
import { encodeValue } from "../scoring/encode";
import { lookOf } from "./look";

/**
 * Buckets of failures (DESIGN §6) as far as the record alone tells them: no model is asked. `sure`: the record shows it;
 * `unsure`: words or habits that often mean it. A trajectory may be in several; one in none isn't thereby good.
 */
export type Verdict = "sure" | "unsure";

export interface Bucket {
  readonly id: string;
  readonly test: (seen: Seen) => Verdict | null;
}

interface Seen {
  readonly trajectory: Trajectory;
  readonly messages: readonly Message[];
  readonly assistant: readonly Message[];
  readonly last: Message | undefined;
}

/** The same call, or the same text, this often in a row or in all. */
const LOOP = 3;
const LONG_HORIZON = 30;

const REFUSAL =
  /\b(i (can(?:'|’)?t|cannot|won(?:'|’)?t|am unable to|(?:'|’)?m unable to|(?:'|’)?m not able to)|sorry, but i)\b.{0,80}\b(help|assist|comply|do that|provide|fulfill|answer)/i;
/** A call that was written as text and not parsed as one. */
const LOOSE_CALL = /<tool_call>|<function=|<\|python_tag\|>|\[TOOL_CALLS\]|```tool_(?:code|call)/;
const DESTRUCTIVE =
  /\brm\s+-[a-z]*r[a-z]*f?\s+(?:\/|~|\*)|\bmkfs\b|\bdd\s+if=\S+\s+of=\/dev\/|\bdrop\s+(?:table|database)\b|\btruncate\s+table\b|\bdelete\s+from\s+\w+\s*(?:;|"|$)|\bgit\s+push\s+\S*\s*--force\b|\bchmod\s+-R\s+777\b|:\(\)\s*\{/i;
const RETRIEVAL = /search|retriev|lookup|find|query|fetch/i;
const NOTHING =
  /^\s*(\[\s*\]|\{\s*\}|null|none|no (?:results?|matches|documents?|rows?)\b.*|not found\.?|0 results?\.?)?\s*$/i;
const CLAIMS_DONE =
  /\b(done|completed|successfully|has been (?:sent|created|booked|updated|deleted|added))\b/i;
const BAD_ARGUMENTS =
  /argument|parameter|unknown field|unexpected keyword|missing required|validation|schema|invalid type/i;

export const BUCKETS: readonly Bucket[] = [
  {
    id: "truncation",
    test: ({ trajectory, assistant }) =>
      trajectory.outcome.kind === "length" || assistant.some((message) => message.finish === "length")
        ? "sure"
        : null,
  },
  {
    id: "wrong-arguments",
    test: ({ messages, trajectory }) => {
      const required = requiredOf(trajectory);
      const calls = messages.flatMap((message) => message.calls);
      if (calls.some(({ problem }) => problem === "not-json" || problem === "not-an-object")) return "sure";
      const short = calls.some(({ name, arguments: given }) =>
        (required.get(name) ?? []).some((key) => !isObject(given) || !(key in given)),
      );
      if (short) return "sure";
      // Encoded twice may be the model's doing or the writer's.
      if (calls.some(({ problem }) => problem === "encoded-twice")) return "unsure";
      return messages.some(
        ({ role, error }) => role === "tool" && error !== null && BAD_ARGUMENTS.test(error),
      )
        ? "unsure"
        : null;
    },
  },
  {
    id: "invented-api",
    test: ({ messages, trajectory }) => {
      if (trajectory.tools.length === 0) return null;
      const known = new Set(trajectory.tools.map(({ name }) => name));
      return messages.some(({ calls }) => calls.some(({ name }) => !known.has(name))) ? "sure" : null;
    },
  },
  {
    id: "wrong-tool",
    test: ({ messages, trajectory }) => {
      const expected = expectedTools(trajectory.reference);
      if (expected.length === 0) return null;
      const called = new Set(messages.flatMap(({ calls }) => calls.map(({ name }) => name)));
      return expected.some((name) => !called.has(name)) ? "sure" : null;
    },
  },
  {
    id: "format",
    test: ({ assistant }) =>
      assistant.some((message) => message.calls.length === 0 && LOOSE_CALL.test(textOf(message)))
        ? "sure"
        : null,
  },
  {
    id: "refusal",
    test: ({ assistant }) => (assistant.some((message) => REFUSAL.test(textOf(message))) ? "unsure" : null),
  },
  {
    id: "loop",
    test: ({ assistant }) => {
      const counts = new Map<string, number>();
      for (const message of assistant) {
        const look =
          message.calls.length > 0
            ? encodeValue(message.calls.map((c) => [c.name, c.raw ?? c.arguments]))
            : lookOf(message);
        counts.set(look, (counts.get(look) ?? 0) + 1);
      }
      return [...counts.values()].some((n) => n >= LOOP) ? "sure" : null;
    },
  },
  {
    id: "retrieval",
    test: ({ messages }) =>
      messages.some((m) => m.role === "tool" && RETRIEVAL.test(m.name ?? "") && NOTHING.test(textOf(m)))
        ? "unsure"
        : null,
  },
  {
    id: "incomplete",
    test: ({ trajectory, last }) => {
      if (trajectory.outcome.kind === "turns" || trajectory.outcome.kind === "time") return "sure";
      if (trajectory.outcome.kind === "finished" || trajectory.outcome.kind === "running") return null;
      return last?.role === "tool" ||
        (last !== undefined && last.calls.some((call) => call.answers.length === 0))
        ? "unsure"
        : null;
    },
  },
  {
    id: "inconsistent",
    test: ({ messages, last }) => {
      const result = messages.findLast((message) => message.role === "tool");
      return result !== undefined &&
        result.error !== null &&
        last?.role === "assistant" &&
        CLAIMS_DONE.test(textOf(last))
        ? "unsure"
        : null;
    },
  },
  {
    id: "dangerous",
    test: ({ messages }) =>
      messages.some(({ calls }) =>
        calls.some((call) => DESTRUCTIVE.test(call.raw ?? encodeValue(call.arguments ?? ""))),
      )
        ? "unsure"
        : null,
  },
  {
    id: "long-horizon",
    test: ({ assistant, trajectory }) =>
      assistant.length >= LONG_HORIZON && trajectory.outcome.kind !== "finished" ? "unsure" : null,
  },
  {
    id: "environment",
    test: ({ trajectory }) =>
      trajectory.outcome.kind === "environment" || trajectory.outcome.kind === "infrastructure"
        ? "sure"
        : null,
  },
];

/** The buckets of a trajectory, by id. */
export function bucketsOf(trajectory: Trajectory): Map<string, Verdict> {
  const messages = trajectory.branches.flatMap((branch) => branch.messages);
  const seen: Seen = {
    trajectory,
    messages,
    assistant: messages.filter((message) => message.role === "assistant"),
    last: trajectory.branches[0]?.messages.at(-1),
  };
  const found = new Map<string, Verdict>();
  for (const { id, test } of BUCKETS) {
    const verdict = test(seen);
    if (verdict) found.set(id, verdict);
  }
  return found;
}

function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function requiredOf({ tools }: Trajectory): Map<string, readonly string[]> {
  return new Map(
    tools.map(({ name, schema }): [string, readonly string[]] => {
      const required: unknown = isObject(schema) ? schema["required"] : null;
      return [
        name,
        Array.isArray(required) ? required.filter((key): key is string => typeof key === "string") : [],
      ];
    }),
  );
}

/** Tools that a reference asks for, where it is or holds a message with tool calls. */
function expectedTools(reference: unknown): string[] {
  const calls: unknown = isObject(reference) ? reference["tool_calls"] : null;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) => {
    const inner: unknown = isObject(call) ? (call["function"] ?? call) : null;
    const name: unknown = isObject(inner) ? inner["name"] : null;
    return typeof name === "string" ? [name] : [];
  });
}
