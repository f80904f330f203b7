import type { Fields } from "../build";
import { entriesOf, fieldsOf, isFields, listOf, nameOf, taggedOf, textOr } from "../build";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { foreignTrace, type ForeignSpan } from "../spans/foreign";
import { timeOf } from "../time";

/**
 * LangSmith runs as its SDK and bulk export give them (schema of langsmith 0.4: `run_type`, `trace_id`,
 * `parent_run_id`), one a line or a list. Runs of one trace are one trajectory; `reference_example_id` is its group.
 */
export const langsmith: TrajectoryForm = {
  id: "langsmith-runs",
  title: "LangSmith runs",
  framework: null,
  containers: ["lines", "document"],
  grouping: "given",
  credit: null,
  recognise: ({ records }) =>
    records.flatMap((value) => listed({ value, line: 1 })).some(({ value }) => isRun(value)),
  whole: true,
  split(records) {
    const traces = new Map<string, { line: number; runs: unknown[] }>();
    for (const { value, line } of records.flatMap(listed)) {
      if (!isRun(value)) continue;
      const run = fieldsOf(value);
      const trace = nameOf(run["trace_id"]) ?? nameOf(run["id"]) ?? "";
      const known = traces.get(trace) ?? { line, runs: [] };
      traces.set(trace, known);
      known.runs.push(value);
    }
    return {
      shared: null,
      records: [...traces].map(([trace, { line, runs }]) => ({ line, value: { trace, runs } })),
    };
  },
  read(record, { problem }) {
    const { trace, runs } = fieldsOf(record);
    const all = listOf(runs).filter(isFields);
    const root = all.find((run) => (run["parent_run_id"] ?? null) === null) ?? all[0];
    if (!root) return [];
    const feedback = Object.entries(fieldsOf(root["feedback_stats"]));
    return [
      foreignTrace(
        nameOf(trace) ?? "",
        all.map(spanOf),
        {
          group: nameOf(root["reference_example_id"]),
          scores: entriesOf(feedback.map(([key, stats]) => [key, taggedOf(fieldsOf(stats)["avg"])])),
          columns: {
            inputs: root["inputs"] ?? null,
            outputs: root["outputs"] ?? null,
            tags: root["tags"] ?? null,
          },
        },
        problem,
      ),
    ];
  },
};

function listed({ value, line }: PlacedRecord): readonly PlacedRecord[] {
  const list = Array.isArray(value)
    ? value
    : isFields(value) && Array.isArray(value["runs"])
      ? value["runs"]
      : null;
  return list === null ? [{ value, line }] : list.map((item: unknown, at) => ({ value: item, line: at + 1 }));
}

function isRun(value: unknown): boolean {
  return (
    isFields(value) &&
    "run_type" in value &&
    "inputs" in value &&
    ("trace_id" in value || "dotted_order" in value)
  );
}

const KINDS = new Map([
  ["llm", "LLM"],
  ["tool", "TOOL"],
]);

function spanOf(run: Fields): ForeignSpan {
  const extra = fieldsOf(run["extra"]);
  const metadata = fieldsOf(extra["metadata"]);
  const asked = fieldsOf(extra["invocation_params"]);
  const kind = KINDS.get(textOr(run["run_type"]) ?? "") ?? "CHAIN";
  return {
    id: nameOf(run["id"]) ?? "",
    parent: nameOf(run["parent_run_id"]),
    name: textOr(run["name"]) ?? "",
    kind,
    start: timeOf(run["start_time"]),
    end: timeOf(run["end_time"]),
    error: textOr(run["error"]) || null,
    model: textOr(metadata["ls_model_name"]) ?? textOr(asked["model"]) ?? textOr(asked["model_name"]),
    input: kind === "TOOL" ? toolInput(run["inputs"]) : plain(run["inputs"]),
    output: kind === "LLM" ? answer(run["outputs"]) : toolOutput(run["outputs"]),
    tokens: { input: run["prompt_tokens"], output: run["completion_tokens"] },
    cost: run["total_cost"],
    tools: asked["tools"] ?? fieldsOf(run["inputs"])["tools"],
    callId: fieldsOf(fieldsOf(plain(fieldsOf(run["outputs"])["output"])))["tool_call_id"] ?? null,
    attributes: metadata,
  };
}

function toolInput(inputs: unknown): unknown {
  const { input, ...rest } = fieldsOf(inputs);
  return input !== undefined && Object.keys(rest).length === 0 ? input : inputs;
}

function toolOutput(outputs: unknown): unknown {
  const output = plain(fieldsOf(outputs)["output"] ?? outputs);
  return isFields(output) && "content" in output ? output["content"] : output;
}

/** LangChain's `generations` (a list for each prompt), or OpenAI's answer as the wrapped client gives it. */
function answer(outputs: unknown): unknown {
  const generations = fieldsOf(outputs)["generations"];
  if (!Array.isArray(generations)) return plain(outputs);
  const first: unknown = generations[0];
  const one = fieldsOf(Array.isArray(first) ? first[0] : first);
  return {
    choices: [isFields(one["message"]) ? plain(one["message"]) : { role: "assistant", content: one["text"] }],
  };
}

const ROLES = new Map([
  ["human", "user"],
  ["ai", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
]);

/** LangChain's serialised messages (`lc: 1`, `kwargs`) as chat messages, at any depth. */
function plain(value: unknown, depth = 0): unknown {
  if (depth > 50) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, depth + 1));
  if (!isFields(value)) return value;
  if ("lc" in value && isFields(value["kwargs"])) {
    const kwargs = value["kwargs"];
    const kind = textOr(kwargs["type"]) ?? className(value["id"]);
    return { ...kwargs, role: ROLES.get(kind) ?? kind };
  }
  return entriesOf(Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]));
}

/** `HumanMessage`, `AIMessageChunk` … as LangChain's short words. */
function className(id: unknown): string {
  return (nameOf(listOf(id).at(-1)) ?? "").replace(/Message(Chunk)?$/, "").toLowerCase();
}
