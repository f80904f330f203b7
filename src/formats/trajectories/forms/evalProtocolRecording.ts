import type { Fields } from "../build";
import { finiteOf, isFields, listOf, nameOf, others, taggedOf, trajectory } from "../build";
import { chatMessages, toolsOf } from "../chat";
import type { PlacedRecord, SplitResult, TrajectoryForm } from "../form";

const KNOWN = new Set(["env_index", "step", "messages", "tools", "control"]);

/**
 * Recordings of MCP environments (eval-protocol, `EP_PLAYBACK_FILE`): a line for each step of each environment,
 * interleaved, with the conversation so far. An environment's last line with messages is its trajectory; lines without
 * any are its control records.
 */
export const evalProtocolRecording: TrajectoryForm = {
  id: "eval-protocol-recording",
  title: "eval-protocol recording",
  framework: "eval-protocol",
  containers: ["lines"],
  grouping: "prompt",
  credit: null,
  recognise: ({ records }) =>
    records.some(
      (record) =>
        isFields(record) && "env_index" in record && "step" in record && Array.isArray(record["messages"]),
    ),
  owns: (record) => "env_index" in record,
  whole: true,
  split,
  read(record) {
    if (!isFields(record)) return [];
    const messages = chatMessages(record["messages"]);
    for (const one of messages) {
      const control = one.extra["control_plane_step"];
      if (isFields(control) && control["reward"] !== undefined) one.reward = taggedOf(control["reward"]);
    }
    const step = finiteOf(record["step"]);
    return [
      trajectory({
        id: `env ${nameOf(record["env_index"]) ?? "?"}`,
        messages,
        tools: toolsOf(record["tools"]),
        metrics: step === null ? {} : { steps: step },
        columns: {
          ...others(record, KNOWN),
          ...(listOf(record["control"]).length > 0 ? { control: record["control"] } : {}),
        },
      }),
    ];
  },
};

function split(records: readonly PlacedRecord[]): SplitResult {
  const environments = new Map<string, { last: Fields; line: number; control: unknown[] }>();
  for (const { value, line } of records) {
    if (!isFields(value)) continue;
    const name = nameOf(value["env_index"]) ?? "";
    const known = environments.get(name) ?? { last: { env_index: name }, line, control: [] };
    environments.set(name, known);
    if (!Array.isArray(value["messages"]) || isControl(value)) {
      known.control.push(value);
      continue;
    }
    known.last = value;
    known.line = line;
  }
  return {
    shared: null,
    records: [...environments.values()].map(({ last, line, control }) => ({
      value: control.length > 0 ? { ...last, control } : last,
      line,
    })),
  };
}

/** A record whose messages say only how the environment ended. */
function isControl(record: Fields): boolean {
  const messages = listOf(record["messages"]);
  return (
    messages.length > 0 &&
    messages.every((one) => isFields(one) && !("content" in one) && !("tool_calls" in one))
  );
}
