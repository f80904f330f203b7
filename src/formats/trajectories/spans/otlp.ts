import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields, listOf, nameOf, numberOf, textOr } from "../build";
import { timeOf } from "../time";
import type { SpanEvent } from "./span";

/** A span before anything is known of what it means. */
export interface RawSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly start: number | null;
  readonly end: number | null;
  readonly failed: boolean;
  readonly statusMessage: string | null;
  readonly attributes: Fields;
  readonly events: readonly SpanEvent[];
}

/** Whether a value is OTLP JSON (opentelemetry-proto 1.x), of spans or of log records. */
export function isOtlp(value: unknown): boolean {
  return isFields(value) && (Array.isArray(value["resourceSpans"]) || Array.isArray(value["resourceLogs"]));
}

/** Whether a value is what Python's ConsoleSpanExporter prints (`ReadableSpan.to_json`, SDK 1.x). */
export function isConsoleSpan(value: unknown): boolean {
  return (
    isFields(value) && isFields(value["context"]) && "trace_id" in value["context"] && "attributes" in value
  );
}

/** The spans of any number of such values; log records become events of the span they name. */
export function rawSpans(values: readonly unknown[]): RawSpan[] {
  const spans: RawSpan[] = [];
  const logs = new Map<string, SpanEvent[]>();
  for (const value of values.flatMap((item) => (Array.isArray(item) ? listOf(item) : [item]))) {
    if (isConsoleSpan(value)) spans.push(consoleSpan(fieldsOf(value)));
    const otlp = fieldsOf(value);
    for (const scope of scopesOf(otlp, "resourceSpans", "scopeSpans"))
      spans.push(...listOf(scope["spans"]).filter(isFields).map(otlpSpan));
    for (const scope of scopesOf(otlp, "resourceLogs", "scopeLogs"))
      for (const record of listOf(scope["logRecords"]).filter(isFields)) {
        const id = nameOf(record["spanId"]) ?? "";
        logs.set(id, [...(logs.get(id) ?? []), logEvent(record)]);
      }
  }
  return spans.map((one) => {
    const more = logs.get(one.id);
    return more ? { ...one, events: [...one.events, ...more] } : one;
  });
}

function scopesOf(otlp: Fields, resources: string, scopes: string): Fields[] {
  return listOf(otlp[resources]).flatMap((resource) => listOf(fieldsOf(resource)[scopes]).map(fieldsOf));
}

function otlpSpan(one: Fields): RawSpan {
  const status = fieldsOf(one["status"]);
  return {
    trace: nameOf(one["traceId"]) ?? "",
    id: nameOf(one["spanId"]) ?? "",
    parent: nameOf(one["parentSpanId"]) || null,
    name: textOr(one["name"]) ?? "",
    start: timeOf(one["startTimeUnixNano"]),
    end: timeOf(one["endTimeUnixNano"]),
    failed: status["code"] === 2 || status["code"] === "STATUS_CODE_ERROR",
    statusMessage: textOr(status["message"]),
    attributes: attributesOf(one["attributes"]),
    events: listOf(one["events"]).map((event) => {
      const fields = fieldsOf(event);
      return {
        name: textOr(fields["name"]) ?? "",
        at: timeOf(fields["timeUnixNano"]),
        attributes: attributesOf(fields["attributes"]),
      };
    }),
  };
}

function logEvent(record: Fields): SpanEvent {
  const attributes = attributesOf(record["attributes"]);
  const body = valueOf(record["body"]);
  return {
    name: textOr(record["eventName"]) ?? textOr(attributes["event.name"]) ?? "",
    at: timeOf(record["timeUnixNano"]) ?? timeOf(record["observedTimeUnixNano"]),
    attributes: { ...attributes, ...(isFields(body) ? body : body === null ? {} : { body }) },
  };
}

function consoleSpan(one: Fields): RawSpan {
  const context = fieldsOf(one["context"]);
  const status = fieldsOf(one["status"]);
  const plain = (id: unknown): string => (nameOf(id) ?? "").replace(/^0x/, "");
  return {
    trace: plain(context["trace_id"]),
    id: plain(context["span_id"]),
    parent: plain(one["parent_id"]) || null,
    name: textOr(one["name"]) ?? "",
    start: timeOf(one["start_time"]),
    end: timeOf(one["end_time"]),
    failed: status["status_code"] === "ERROR",
    statusMessage: textOr(status["description"]),
    attributes: fieldsOf(one["attributes"]),
    events: listOf(one["events"]).map((event) => {
      const fields = fieldsOf(event);
      return {
        name: textOr(fields["name"]) ?? "",
        at: timeOf(fields["timestamp"]),
        attributes: fieldsOf(fields["attributes"]),
      };
    }),
  };
}

/** OTLP's list of keys and typed values as an object. */
function attributesOf(list: unknown): Fields {
  return entriesOf(
    listOf(list).map((item) => {
      const { key, value } = fieldsOf(item);
      return [nameOf(key) ?? "", valueOf(value)] as const;
    }),
  );
}

/** An AnyValue; 64-bit integers are text in OTLP JSON. */
function valueOf(value: unknown): unknown {
  const any = fieldsOf(value);
  if ("intValue" in any) return numberOf(any["intValue"]);
  if ("arrayValue" in any) return listOf(fieldsOf(any["arrayValue"])["values"]).map(valueOf);
  if ("kvlistValue" in any) return attributesOf(fieldsOf(any["kvlistValue"])["values"]);
  return any["stringValue"] ?? any["doubleValue"] ?? any["boolValue"] ?? any["bytesValue"] ?? null;
}
