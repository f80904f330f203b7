import type { TaggedNumber } from "../../../schema/number";
import type { Trajectory } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { entriesOf, finiteOf } from "../build";
import { unpack } from "./attributes";
import { genAiSpan } from "./genAi";
import type { RawSpan } from "./otlp";
import { type TraceExtras, trajectoryOfTrace } from "./trace";

/** A step of another tracing product, in its own words, as `foreignTrace` takes it. */
export interface ForeignSpan {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  /** `LLM`, `TOOL`, `AGENT`; anything else is a step without a meaning of its own. */
  readonly kind: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly error: string | null;
  readonly model: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly tokens: { readonly input: unknown; readonly output: unknown };
  readonly cost: unknown;
  readonly tools: unknown;
  readonly callId: unknown;
  readonly attributes: Fields;
}

export type ForeignExtras = Partial<TraceExtras> & {
  readonly scores?: Readonly<Record<string, TaggedNumber | null>>;
};

/** A trace of another product, through the same assembly as OpenTelemetry's: its steps said in OpenInference's words. */
export function foreignTrace(
  trace: string,
  spans: readonly ForeignSpan[],
  extras: ForeignExtras,
  problem: (message: string) => void,
): Trajectory {
  return trajectoryOfTrace(
    spans.map((one) => genAiSpan(rawOf(trace, one))),
    extras,
    problem,
  );
}

function rawOf(trace: string, one: ForeignSpan): RawSpan {
  const said: [string, unknown][] = [
    ["openinference.span.kind", one.kind],
    ["input.value", one.kind === "TOOL" ? unpack(one.input) : one.input],
    ["output.value", one.output],
    ["llm.model_name", one.model],
    ["llm.token_count.prompt", finiteOf(one.tokens.input)],
    ["llm.token_count.completion", finiteOf(one.tokens.output)],
    ["llm.cost.total", finiteOf(one.cost)],
    ["gen_ai.tool.definitions", one.tools],
    ["gen_ai.tool.call.id", one.callId],
    ["tool.name", one.kind === "TOOL" ? one.name : null],
  ];
  return {
    trace,
    id: one.id,
    parent: one.parent,
    name: one.name,
    start: one.start,
    end: one.end,
    failed: one.error !== null,
    statusMessage: one.error,
    attributes: {
      ...one.attributes,
      ...entriesOf(said.filter(([, value]) => value !== null && value !== undefined)),
    },
    events: [],
  };
}
