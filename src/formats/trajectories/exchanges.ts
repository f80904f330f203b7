import { encodeValue } from "../../core/scoring/encode";
import type { Message, Tool, Trajectory } from "../../schema/trajectory";
import { anthropicAnswer, anthropicMessages } from "./anthropic";
import type { Fields } from "./build";
import { fieldsOf, finiteOf, isFields, listOf, nameOf, textMessage, textOr } from "./build";
import { chatMessage, chatMessages, toolsOf } from "./chat";
import { responseAnswers, responseMessages } from "./responses";
import { between, timeOf } from "./time";
import { keyOf, Ways, type Step, type WayPlace } from "./ways";

/** Model calls that were recorded as they went over the wire, in the lists that ART keeps them in. */
const KINDS = ["chat_completions", "completions", "responses", "messages"] as const;
type Kind = (typeof KINDS)[number];

interface Exchange {
  readonly kind: Kind;
  readonly request: Fields;
  readonly response: Fields;
  readonly start: unknown;
  readonly end: unknown;
}

export type Conversation = Pick<Trajectory, "branches" | "tools" | "model" | "usage">;

/**
 * The conversations of a list of model calls: in order of time, a request that goes on from an earlier one with its
 * answer continues that branch; any other begins a new one (sub-agent, compaction, a second sample). Null: no calls.
 */
export function exchangeConversation(value: unknown): Conversation | null {
  const exchanges = inOrder(fieldsOf(value));
  if (exchanges.length === 0) return null;
  const ways = new Ways();
  const ends = new Map<string, WayPlace | null>();
  for (const exchange of exchanges) {
    const request = requestMessages(exchange);
    const previous = nameOf(exchange.request["previous_response_id"]);
    const steps = request.map(stepOf);
    let last: WayPlace | null = null;
    answersOf(exchange).forEach((answer, nth) => {
      const end = ways.add(
        steps,
        { id: `call-${ways.branches.length + 1}`, name: null },
        { answers: answer.map(stepOf), after: (previous === null ? null : ends.get(previous)) ?? null },
      );
      if (nth === 0) last = end;
    });
    const id = nameOf(exchange.response["id"]);
    if (id !== null) ends.set(id, last);
  }
  return {
    branches: ways.branches,
    tools: offeredTools(exchanges),
    model: nameOf(exchanges[0]?.response["model"]) ?? nameOf(exchanges[0]?.request["model"]),
    usage: usageOf(exchanges),
  };
}

function stepOf(message: Message): Step {
  return { key: keyOf(message), make: () => message };
}

function inOrder(lists: Fields): Exchange[] {
  const all = KINDS.flatMap((kind) =>
    listOf(lists[kind])
      .filter(isFields)
      .map((one) => ({
        kind,
        request: fieldsOf(one["request"]),
        response: fieldsOf(one["response"]),
        start: one["start_time"],
        end: one["end_time"],
      })),
  );
  const at = all.map(({ start }) => timeOf(start));
  return all
    .map((exchange, order) => ({ exchange, order, at: at[order] ?? null }))
    .sort((a, b) => (a.at !== null && b.at !== null ? a.at - b.at : 0) || a.order - b.order)
    .map(({ exchange }) => exchange);
}

function requestMessages({ kind, request }: Exchange): Message[] {
  switch (kind) {
    case "chat_completions":
      return chatMessages(request["messages"]);
    case "completions":
      return promptsOf(request["prompt"]).map((text) => textMessage("user", text));
    case "messages":
      return anthropicMessages(request["system"], request["messages"]);
    case "responses":
      return responseMessages(request["input"], request["instructions"]);
  }
}

function promptsOf(prompt: unknown): string[] {
  if (typeof prompt === "string") return [prompt];
  return listOf(prompt).map((item) => (typeof item === "string" ? item : encodeValue(item)));
}

/** The messages of each answer that was sampled; of a chat one for each choice. */
function answersOf(exchange: Exchange): Message[][] {
  return givenAnswers(exchange).map((messages) =>
    messages.map((one, at) => ({
      ...one,
      sampled: one.role === "assistant",
      at: timeOf(exchange.start),
      ms: at === 0 ? between(exchange.start, exchange.end) : null,
      model: nameOf(exchange.response["model"]) ?? nameOf(exchange.request["model"]),
    })),
  );
}

function givenAnswers({ kind, response }: Exchange): Message[][] {
  switch (kind) {
    case "chat_completions":
      return listOf(response["choices"]).map((choice) => [chatMessage(choice)]);
    case "completions":
      return listOf(response["choices"])
        .map(fieldsOf)
        .map((choice) => [
          textMessage("assistant", textOr(choice["text"]) ?? "", { finish: textOr(choice["finish_reason"]) }),
        ]);
    case "messages":
      return [[anthropicAnswer(response)]];
    case "responses":
      return [responseAnswers(response)];
  }
}

/** Tools of all requests, by name: the first description of each. */
function offeredTools(exchanges: readonly Exchange[]): Tool[] {
  const tools = new Map<string, Tool>();
  for (const { request } of exchanges)
    for (const tool of toolsOf(request["tools"])) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  return [...tools.values()];
}

function usageOf(exchanges: readonly Exchange[]): Trajectory["usage"] {
  const sum = (...keys: readonly string[]): number | null => {
    const counts = exchanges
      .map(({ response }) => fieldsOf(response["usage"]))
      .map((usage) => keys.map((key) => finiteOf(usage[key])).find((count) => count !== null) ?? null)
      .filter((count) => count !== null);
    return counts.length === 0 ? null : counts.reduce((a, b) => a + b, 0);
  };
  const input = sum("prompt_tokens", "input_tokens");
  const output = sum("completion_tokens", "output_tokens");
  return input === null && output === null ? null : { input, output };
}
