import type { TaggedNumber } from "../../../schema/number";
import type { Message, Tool } from "../../../schema/trajectory";
import type { Fields } from "../build";

/** Something that happened within a span, as it is said there. */
export interface SpanEvent {
  readonly name: string;
  /** Unix milliseconds. */
  readonly at: number | null;
  readonly attributes: Fields;
}

export type SpanKind = "model" | "tool" | "agent" | "person" | "other";

/** A span of any tracing system, as `trajectoryOfTrace` takes it. Times are Unix milliseconds. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly start: number | null;
  readonly end: number | null;
  readonly error: {
    readonly kind: string | null;
    readonly message: string;
    readonly traceback: string | null;
  } | null;
  readonly attributes: Fields;
  readonly events: readonly SpanEvent[];
  /** A model call's: what was sent and answered. Null input: the trace doesn't hold it. */
  readonly input: readonly Message[] | null;
  readonly output: readonly Message[];
  readonly tools: readonly Tool[];
  readonly model: string | null;
  readonly usage: { readonly input: number | null; readonly output: number | null };
  readonly cost: number | null;
  readonly finish: string | null;
  /** A tool's: which call, with what, and what came of it. */
  readonly tool: {
    readonly name: string;
    readonly callId: string | null;
    readonly args: unknown;
    readonly result: unknown;
  } | null;
  /** An agent's name. */
  readonly agent: string | null;
  readonly scores: Readonly<Record<string, TaggedNumber | null>>;
}

export function span(fields: Partial<Span> & Pick<Span, "trace" | "id">): Span {
  return {
    parent: null,
    name: "",
    kind: "other",
    start: null,
    end: null,
    error: null,
    attributes: {},
    events: [],
    input: null,
    output: [],
    tools: [],
    model: null,
    usage: { input: null, output: null },
    cost: null,
    finish: null,
    tool: null,
    agent: null,
    scores: {},
    ...fields,
  };
}
