import { isFields, listOf } from "../build";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { genAiSpan, isGenAi } from "../spans/genAi";
import { isConsoleSpan, isOtlp, rawSpans, type RawSpan } from "../spans/otlp";
import { trajectoryOfTrace } from "../spans/trace";

/**
 * OpenTelemetry spans with GenAI or OpenInference attributes: OTLP JSON (one request a line, or one document), or what
 * the console exporter prints. A trace is a trajectory. SDK 1.45, semantic conventions 1.27 to 1.38.
 */
export const otelSpans: TrajectoryForm = {
  id: "otel-spans",
  title: "OpenTelemetry GenAI spans",
  framework: null,
  containers: ["lines", "document"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records
      .flatMap((item) => (Array.isArray(item) ? listOf(item) : [item]))
      .some((item) => isOtlp(item) || isConsoleSpan(item)),
  // Metrics come by the same way as spans and tell no conversation.
  owns: (record) => Array.isArray(record["resourceMetrics"]),
  whole: true,
  split(records) {
    const traces = new Map<string, { line: number; spans: RawSpan[] }>();
    for (const { value, line } of records)
      for (const one of rawSpans([value])) {
        const known = traces.get(one.trace) ?? { line, spans: [] };
        traces.set(one.trace, known);
        known.spans.push(one);
      }
    withLogs(records, traces);
    return {
      shared: null,
      records: [...traces.values()]
        .filter(({ spans }) => spans.some(isGenAi))
        .map(({ line, spans }): PlacedRecord => ({ line, value: { spans } })),
    };
  },
  read(record, { problem }) {
    const spans = isFields(record) ? listOf(record["spans"]).filter(isRaw).map(genAiSpan) : [];
    return spans.length === 0 ? [] : [trajectoryOfTrace(spans, {}, problem)];
  },
};

function isRaw(value: unknown): value is RawSpan {
  return isFields(value) && typeof value["trace"] === "string" && isFields(value["attributes"]);
}

/** Log records may stand on other lines than the span they belong to. */
function withLogs(records: readonly PlacedRecord[], traces: ReadonlyMap<string, { spans: RawSpan[] }>): void {
  if (!records.some(({ value }) => isFields(value) && "resourceLogs" in value)) return;
  for (const one of rawSpans(records.map(({ value }) => value))) {
    const spans = traces.get(one.trace)?.spans ?? [];
    const at = spans.findIndex((known) => known.id === one.id);
    if (at >= 0) spans[at] = one;
  }
}
