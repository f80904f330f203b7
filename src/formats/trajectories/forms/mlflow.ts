import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields, listOf, nameOf, taggedOf, textOr } from "../build";
import type { TrajectoryForm } from "../form";
import { unpack } from "../spans/attributes";
import { foreignTrace, type ForeignSpan } from "../spans/foreign";
import { timeOf } from "../time";

/**
 * `Trace.to_json()` of MLflow 3 (3.17; attributes hold JSON text, ids are base64) and 2 (`context`, `parent_id`): one
 * object, a list of them, or one a line. Feedback becomes rewards by name.
 */
export const mlflow: TrajectoryForm = {
  id: "mlflow-trace",
  title: "MLflow trace",
  framework: null,
  containers: ["document", "lines"],
  grouping: "given",
  credit: null,
  recognise: ({ records: [first] }) => isTrace(Array.isArray(first) ? listOf(first)[0] : first),
  split: (records) => ({
    shared: null,
    records: records.flatMap(({ value, line }) =>
      Array.isArray(value)
        ? value.map((item: unknown, at) => ({ value: item, line: at + 1 }))
        : [{ value, line }],
    ),
  }),
  read(record, { problem }) {
    if (!isTrace(record)) return [];
    const { info, data } = fieldsOf(record);
    const about = fieldsOf(info);
    const feedback = listOf(about["assessments"]).map(fieldsOf);
    return [
      foreignTrace(
        nameOf(about["trace_id"]) ?? nameOf(about["request_id"]) ?? "",
        listOf(fieldsOf(data)["spans"]).filter(isFields).map(spanOf),
        {
          scores: entriesOf(
            feedback
              .filter((item) => "feedback" in item)
              .map((item) => [
                nameOf(item["assessment_name"] ?? item["name"]) ?? "feedback",
                taggedOf(fieldsOf(item["feedback"])["value"]),
              ]),
          ),
          columns: {
            tags: about["tags"] ?? null,
            trace_metadata: about["trace_metadata"] ?? about["request_metadata"] ?? null,
            assessments: feedback,
          },
        },
        problem,
      ),
    ];
  },
};

function isTrace(value: unknown): boolean {
  if (!isFields(value) || !isFields(value["info"]) || !isFields(value["data"])) return false;
  return (
    Array.isArray(value["data"]["spans"]) && ("trace_id" in value["info"] || "request_id" in value["info"])
  );
}

const KINDS = new Map([
  ["LLM", "LLM"],
  ["CHAT_MODEL", "LLM"],
  ["TOOL", "TOOL"],
  ["AGENT", "AGENT"],
]);

function spanOf(one: Fields): ForeignSpan {
  const packed = fieldsOf(one["attributes"]);
  const attributes = entriesOf(Object.entries(packed).map(([key, value]) => [key, unpack(value)]));
  const kind = textOr(attributes["mlflow.spanType"]) ?? "";
  const status = fieldsOf(one["status"]);
  const code = textOr(status["code"]) ?? textOr(one["status_code"]) ?? "";
  const usage = fieldsOf(attributes["mlflow.chat.tokenUsage"]);
  const input = attributes["mlflow.spanInputs"];
  const { "mlflow.spanInputs": _input, "mlflow.spanOutputs": output, ...rest } = attributes;
  return {
    id: nameOf(one["span_id"]) ?? nameOf(fieldsOf(one["context"])["span_id"]) ?? "",
    parent: nameOf(one["parent_span_id"]) || nameOf(one["parent_id"]) || null,
    name: textOr(one["name"]) ?? "",
    kind: KINDS.get(kind) ?? "CHAIN",
    start: timeOf(one["start_time_unix_nano"] ?? one["start_time"]),
    end: timeOf(one["end_time_unix_nano"] ?? one["end_time"]),
    error: code.endsWith("ERROR") ? textOr(status["message"] ?? one["status_message"]) || "error" : null,
    model: textOr(attributes["mlflow.llm.model"]) ?? textOr(fieldsOf(input)["model"]),
    input,
    output,
    tokens: { input: usage["input_tokens"], output: usage["output_tokens"] },
    cost: null,
    tools: attributes["mlflow.chat.tools"] ?? fieldsOf(input)["tools"],
    callId: null,
    attributes: rest,
  };
}
