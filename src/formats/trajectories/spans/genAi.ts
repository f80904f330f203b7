import type { TaggedNumber } from "../../../schema/number";
import type { Fields } from "../build";
import { fieldsOf, finiteOf, listOf, nameOf, numberOf, taggedOf, textOr } from "../build";
import { toolOf } from "../tools";
import { firstOf, objectOf, textOf, unflatten, unpack } from "./attributes";
import { exchangeOf } from "./genAiMessages";
import type { RawSpan } from "./otlp";
import { span, type Span, type SpanKind } from "./span";

const MODEL = new Set(["chat", "text_completion", "generate_content", "completion", "LLM", "CHAT_MODEL"]);
const TOOL = new Set(["execute_tool", "TOOL", "tool"]);
const AGENT = new Set(["invoke_agent", "create_agent", "AGENT", "agent"]);

/** Whether a span says something of a model, tool or agent by any of the conventions read here. */
export function isGenAi({ attributes, events }: RawSpan): boolean {
  return (
    Object.keys(attributes).some((key) => /^(gen_ai|llm|ai|openinference|traceloop)\./.test(key)) ||
    events.some((event) => event.name.startsWith("gen_ai."))
  );
}

/** A raw span read by the conventions of OpenTelemetry GenAI (1.27 to 1.38), OpenLLMetry and OpenInference. */
export function genAiSpan(raw: RawSpan): Span {
  const { attributes } = raw;
  const kind = kindOf(raw);
  const exchange = kind === "model" ? exchangeOf(raw) : { input: null, output: [] };
  return span({
    trace: raw.trace,
    id: raw.id,
    parent: raw.parent,
    name: raw.name,
    kind,
    start: raw.start,
    end: raw.end,
    error: errorOf(raw),
    attributes,
    events: raw.events,
    input: exchange.input,
    output: exchange.output,
    tools: kind === "model" ? toolsOf(attributes) : [],
    model: textOf(
      attributes,
      "gen_ai.response.model",
      "gen_ai.request.model",
      "llm.model_name",
      "ai.model.id",
    ),
    usage: {
      input: usage(
        attributes,
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "ai.usage.promptTokens",
      ),
      output: usage(
        attributes,
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "ai.usage.completionTokens",
      ),
    },
    cost: usage(attributes, "gen_ai.usage.cost", "llm.cost.total", "llm.usage.total_cost"),
    finish: textOf(
      attributes,
      "gen_ai.response.finish_reasons",
      "llm.finish_reason",
      "ai.response.finishReason",
    ),
    tool: kind === "tool" ? toolRun(raw) : null,
    agent:
      kind === "agent"
        ? (textOf(attributes, "gen_ai.agent.name", "agent.name", "traceloop.entity.name") ?? raw.name)
        : null,
    scores: scoresOf(raw),
  });
}

function kindOf({ name, attributes, events }: RawSpan): SpanKind {
  const word = textOf(
    attributes,
    "gen_ai.operation.name",
    "openinference.span.kind",
    "traceloop.span.kind",
    "llm.request.type",
  );
  if (word !== null && MODEL.has(word)) return "model";
  if (word !== null && TOOL.has(word)) return "tool";
  if (word !== null && AGENT.has(word)) return "agent";
  if (/^ai\.(generateText|streamText|generateObject)\.do/.test(name)) return "model";
  if (name === "ai.toolCall") return "tool";
  if (word !== null) return "other";
  const isCall =
    "gen_ai.request.model" in attributes || events.some((event) => event.name === "gen_ai.choice");
  return isCall ? "model" : "other";
}

function usage(attributes: Fields, ...names: readonly string[]): number | null {
  return finiteOf(firstOf(attributes, ...names));
}

function errorOf(raw: RawSpan): Span["error"] {
  const thrown = raw.events.find((event) => event.name === "exception")?.attributes;
  const kind = textOr(thrown?.["exception.type"]) ?? textOf(raw.attributes, "error.type");
  if (!raw.failed && kind === null) return null;
  return {
    kind,
    message: textOr(thrown?.["exception.message"]) ?? raw.statusMessage ?? kind ?? "error",
    traceback: textOr(thrown?.["exception.stacktrace"]),
  };
}

function toolRun({ name, attributes }: RawSpan): Span["tool"] {
  return {
    name:
      textOf(attributes, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name") ??
      name,
    callId: nameOf(firstOf(attributes, "gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id")),
    args: firstOf(
      attributes,
      "gen_ai.tool.call.arguments",
      "tool.parameters",
      "tool_call.function.arguments",
      "ai.toolCall.args",
      "input.value",
      "traceloop.entity.input",
    ),
    result: firstOf(
      attributes,
      "gen_ai.tool.call.result",
      "gen_ai.tool.message",
      "ai.toolCall.result",
      "output.value",
      "traceloop.entity.output",
    ),
  };
}

function toolsOf(attributes: Fields): Span["tools"] {
  const listed = unpack(
    firstOf(attributes, "gen_ai.tool.definitions", "gen_ai.request.tools", "ai.prompt.tools"),
  );
  const flat = unflatten(attributes, "llm.tools") ?? unflatten(attributes, "llm.request.functions") ?? [];
  const schemas = flat.map((item) => {
    const schema = fieldsOf(fieldsOf(item)["tool"])["json_schema"];
    return schema === undefined ? item : objectOf(schema);
  });
  return [...listOf(listed).map(unpack), ...schemas].map(toolOf).filter((tool) => tool.name !== "");
}

const SCORE = /^(reward|score|(?:reward|score|eval|evaluation)[./]([\w./-]+))$/;

/** Rewards as people put them on spans, and the conventions' evaluation events (`gen_ai.evaluation.result`, 1.38). */
function scoresOf({ attributes, events }: RawSpan): Record<string, TaggedNumber | null> {
  const own = Object.entries(attributes).flatMap(([key, value]) => {
    const found = SCORE.exec(key);
    return found && numberOf(value) !== null ? [[found[2] ?? key, taggedOf(value)] as const] : [];
  });
  const judged = events
    .filter((event) => event.name === "gen_ai.evaluation.result")
    .map(({ attributes: of }) => {
      const name = textOf(of, "gen_ai.evaluation.name") ?? "evaluation";
      return [name, taggedOf(of["gen_ai.evaluation.score.value"])] as const;
    });
  return Object.fromEntries([...own, ...judged]);
}
