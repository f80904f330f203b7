import { encodeValue } from "../../../core/scoring/encode";
import type { TaggedNumber } from "../../../schema/number";
import type { Tool, Trajectory } from "../../../schema/trajectory";
import { entriesOf, message, nameOf, textOr, trajectory } from "../build";
import { elapsed } from "../time";
import { Conversations } from "./conversation";
import type { Span } from "./span";

/** Words by which people and frameworks name what a person did in a run; no convention has one. */
const PERSON = /human|approv|interven|interrupt|takeover|hand.?off.?to.?user/i;
const INFRASTRUCTURE = /API|Connection|RateLimit|ServiceUnavailable|InternalServer|HTTP|Network/;
const DEPTH = 100;

export interface TraceExtras {
  readonly group: string | null;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly scores: Readonly<Record<string, TaggedNumber | null>>;
}

/**
 * The spans of one trace as a trajectory: model calls make conversations, tool spans their answers, latencies and
 * faults, agent spans the names of branches. A model call without its content still counts as a turn, said as a problem.
 */
export function trajectoryOfTrace(
  spans: readonly Span[],
  extras: Partial<TraceExtras>,
  problem: (message: string) => void,
): Trajectory {
  const ordered = spans.toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0));
  const byId = new Map(ordered.map((one) => [one.id, one]));
  const root = ordered.find((one) => one.parent === null || !byId.has(one.parent)) ?? ordered[0];
  const talk = new Conversations();
  // Two instrumentations may trace one call: the outer one holds it all again.
  const wrappers = new Set(ordered.filter((one) => one.kind === "model").map((one) => one.parent));
  const models = ordered.filter((one) => one.kind === "model" && !wrappers.has(one.id));
  const isCall = new Set(models);
  const hidden = models.filter((one) => one.input === null && one.output.length === 0).length;
  if (hidden > 0)
    problem(`${hidden} of ${models.length} model calls don't hold their messages: content wasn't captured.`);
  const tools: Span[] = [];
  for (const one of ordered) {
    const agent = agentOf(one, byId);
    if (isCall.has(one)) talk.model(withTurn(one), agent?.id ?? null, agent?.agent ?? null);
    else if (one.kind === "tool" && hidden > 0) talk.tool(one, agent?.id ?? null, agent?.agent ?? null);
    else if (one.kind === "tool") tools.push(one);
  }
  // With content, the next call's input holds the answers: only those nobody was told are added.
  for (const one of tools) {
    const agent = agentOf(one, byId);
    talk.tool(one, agent?.id ?? null, agent?.agent ?? null);
  }
  for (const { text, at, word } of peopleIn(ordered)) talk.person(text, at, word);
  const scores = { ...entriesOf(ordered.flatMap((one) => Object.entries(one.scores))), ...extras.scores };
  const failed = ordered.filter((one) => one.error !== null && one.kind !== "tool");
  const branches = talk.branches();
  return trajectory({
    id: root?.trace ?? null,
    group: extras.group ?? null,
    task: root?.name ?? null,
    branches: branches.length > 0 ? branches : [{ id: "main", name: null, from: null, messages: [] }],
    tools: toolsOf(models),
    reward: rewardOf(scores),
    rewards: scores,
    outcome: outcomeOf(root, models.at(-1)),
    errors: failed.slice(0, 20).flatMap(({ error }) => (error ? [error] : [])),
    model: models.find((one) => one.model !== null)?.model ?? null,
    usage: usageOf(models),
    cost: sumOf(models.map((one) => one.cost)),
    ms: root ? elapsed(root.start, root.end) : null,
    columns: { ...root?.attributes, ...extras.columns },
  });
}

/** `reward` by name, else the only score there is. */
function rewardOf(scores: Readonly<Record<string, TaggedNumber | null>>): TaggedNumber | null {
  if ("reward" in scores) return scores["reward"] ?? null;
  const values = Object.values(scores);
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** A call without content is a turn all the same; a failed one whose question is known isn't: it is asked again. */
function withTurn(one: Span): Span {
  return one.output.length > 0 || one.input !== null
    ? one
    : { ...one, output: [message({ role: "assistant" })] };
}

function agentOf(one: Span, byId: ReadonlyMap<string, Span>): Span | null {
  let at: Span | undefined = one;
  for (let depth = 0; at && depth < DEPTH; depth++) {
    if (at.kind === "agent") return at;
    at = at.parent === null ? undefined : byId.get(at.parent);
  }
  return null;
}

function peopleIn(
  spans: readonly Span[],
): { readonly text: string; readonly at: number | null; readonly word: string }[] {
  const own = spans
    .filter((one) => one.kind === "person" || (one.kind === "other" && PERSON.test(one.name)))
    .map((one) => ({ text: textOfPerson(one.name, one.attributes), at: one.start, word: one.name }));
  const events = spans.flatMap((one) =>
    one.events
      .filter((event) => PERSON.test(event.name))
      .map((event) => ({ text: textOfPerson(event.name, event.attributes), at: event.at, word: event.name })),
  );
  return [...own, ...events].sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function textOfPerson(name: string, attributes: Readonly<Record<string, unknown>>): string {
  for (const key of [
    "content",
    "message",
    "text",
    "comment",
    "input.value",
    "output.value",
    "body",
    "output",
    "input",
  ]) {
    const text = textOr(attributes[key]);
    if (text !== null && text !== "") return text;
  }
  const rest = Object.entries(attributes).map(
    ([key, value]) => `${key}: ${nameOf(value) ?? encodeValue(value)}`,
  );
  return [name, ...rest].join("\n");
}

function toolsOf(models: readonly Span[]): Tool[] {
  const known = new Map(models.flatMap((one) => one.tools.map((tool) => [tool.name, tool] as const)));
  return [...known.values()];
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function usageOf(models: readonly Span[]): Trajectory["usage"] {
  const input = sumOf(models.map((one) => one.usage.input));
  const output = sumOf(models.map((one) => one.usage.output));
  return input === null && output === null ? null : { input, output };
}

function outcomeOf(root: Span | undefined, last: Span | undefined): Trajectory["outcome"] {
  if (root?.error) {
    const word = root.error.kind ?? root.error.message;
    if (/Cancel|KeyboardInterrupt/.test(word)) return { kind: "cancelled", inFile: word };
    if (/Timeout/.test(word)) return { kind: "time", inFile: word };
    if (/Recursion|MaxTurns|max.?steps|max.?iterations/i.test(word)) return { kind: "turns", inFile: word };
    return { kind: INFRASTRUCTURE.test(word) ? "infrastructure" : "environment", inFile: word };
  }
  const finish = last?.finish ?? last?.output.at(-1)?.finish ?? null;
  if (finish !== null && /^(length|max_tokens|model_length)$/i.test(finish))
    return { kind: "length", inFile: finish };
  if (root && root.end === null) return { kind: "running", inFile: null };
  return { kind: root ? "finished" : "unknown", inFile: finish };
}
