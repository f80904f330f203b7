import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields, listOf, nameOf, others, taggedOf, textOr } from "../build";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { foreignTrace, type ForeignSpan } from "../spans/foreign";
import { timeOf } from "../time";

const KNOWN = new Set(["observations", "scores", "input", "output", "id"]);

/**
 * Langfuse traces with their observations, as its API and exports give them (v3: `GET /api/public/traces/{id}`, lists
 * under `data`). Observation types: GENERATION, TOOL, AGENT, SPAN, EVENT and others; numeric scores become rewards.
 */
export const langfuse: TrajectoryForm = {
  id: "langfuse-trace",
  title: "Langfuse trace",
  framework: null,
  containers: ["document", "lines"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records.flatMap((value) => tracesOf({ value, line: 1 })).some(({ value }) => isTrace(value)),
  split: (records) => ({ shared: null, records: records.flatMap(tracesOf) }),
  read(record, { problem }) {
    if (!isFields(record) || !isTrace(record)) return [];
    const scores = listOf(record["scores"]).filter(isFields);
    return [
      foreignTrace(
        nameOf(record["id"]) ?? "",
        listOf(record["observations"]).filter(isFields).map(spanOf),
        {
          scores: entriesOf(
            scores.map((score) => [nameOf(score["name"]) ?? "score", taggedOf(score["value"])]),
          ),
          columns: { ...others(record, KNOWN), scores },
        },
        problem,
      ),
    ];
  },
};

function tracesOf({ value, line }: PlacedRecord): readonly PlacedRecord[] {
  const list = Array.isArray(value)
    ? value
    : isFields(value) && Array.isArray(value["data"])
      ? value["data"]
      : null;
  return list === null ? [{ value, line }] : list.map((item: unknown, at) => ({ value: item, line: at + 1 }));
}

function isTrace(value: unknown): boolean {
  if (!isFields(value) || !Array.isArray(value["observations"])) return false;
  const observations = value["observations"].filter(isFields);
  return observations.length > 0 && observations.every((one) => "type" in one && "startTime" in one);
}

const KINDS = new Map([
  ["GENERATION", "LLM"],
  ["TOOL", "TOOL"],
  ["AGENT", "AGENT"],
]);

function spanOf(one: Fields): ForeignSpan {
  const usage = { ...fieldsOf(one["usage"]), ...fieldsOf(one["usageDetails"]) };
  const input = one["input"];
  return {
    id: nameOf(one["id"]) ?? "",
    parent: nameOf(one["parentObservationId"]),
    name: textOr(one["name"]) ?? "",
    kind: KINDS.get(textOr(one["type"]) ?? "") ?? "CHAIN",
    start: timeOf(one["startTime"]),
    end: timeOf(one["endTime"]),
    error: one["level"] === "ERROR" ? textOr(one["statusMessage"]) || "error" : null,
    model: textOr(one["model"]),
    input,
    output: one["output"],
    tokens: {
      input: usage["input"] ?? usage["promptTokens"] ?? one["promptTokens"],
      output: usage["output"] ?? usage["completionTokens"] ?? one["completionTokens"],
    },
    cost: one["calculatedTotalCost"] ?? fieldsOf(one["costDetails"])["total"],
    tools: fieldsOf(input)["tools"],
    callId: fieldsOf(one["metadata"])["tool_call_id"] ?? null,
    attributes: isFields(one["metadata"]) ? one["metadata"] : {},
  };
}
