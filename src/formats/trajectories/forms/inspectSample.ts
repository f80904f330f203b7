import type { OutcomeKind, Tool, Trajectory } from "../../../schema/trajectory";
import type { Fields } from "../build";
import { fieldsOf, listOf, nameOf, numberOf, others, textOr, trajectory } from "../build";
import { inspectEvents, withAttachments } from "./inspectMessages";
import { firstScorer, scoresOf, sumOf } from "./inspectScores";

/** Columns keep what a reward may ask for; events and what they are packed into stay in the record itself. */
const PLACED = new Set([
  "messages",
  "events",
  "events_data",
  "attachments",
  "timelines",
  "target",
  "model_usage",
  "uuid",
]);

/** One EvalSample of a log (Inspect 0.3.285 and older) as a trajectory. `log`: the header, or the start of its journal. */
export function inspectSample(
  sample: Fields,
  log: Fields,
  problem: (message: string) => void,
): readonly Trajectory[] {
  const spec = fieldsOf(log["eval"]);
  const id = nameOf(sample["id"]);
  if (id === null) problem("The sample has no id.");
  const { messages, branches, tools } = inspectEvents(sample);
  const { reward, rewards } = scoresOf(sample["scores"] ?? oldScore(sample), firstScorer(log));
  const seconds = numberOf(sample["total_time"]);
  const error = fieldsOf(sample["error"]);
  const failed = textOr(sample["error"]) ?? textOr(error["message"]);
  return [
    trajectory({
      id: nameOf(sample["uuid"]) ?? (id === null ? null : `${id}_epoch_${nameOf(sample["epoch"]) ?? "1"}`),
      group: id,
      task: textOr(spec["task"]),
      branches: [
        { id: "main", name: null, from: null, messages },
        ...branches.map((branch, at) => ({ id: `agent-${at + 1}`, from: null, ...branch })),
      ],
      tools: tools.map((tool): Tool => ({
        name: nameOf(tool["name"]) ?? "",
        description: textOr(tool["description"]),
        schema: tool["parameters"] ?? null,
      })),
      reward,
      rewards,
      outcome: outcomeOf(sample, failed, log),
      errors:
        failed === null
          ? []
          : [
              {
                kind: /^([A-Za-z_][\w.]*)\(/.exec(failed)?.[1] ?? null,
                message: failed,
                traceback: textOr(error["traceback"]),
              },
            ],
      model: textOr(spec["model"]) ?? textOr(fieldsOf(sample["output"])["model"]),
      usage: usageOf(sample["model_usage"]),
      cost: sumOf(sample["model_usage"], "total_cost"),
      ms: seconds === null ? null : seconds * 1000,
      reference: sample["target"] ?? null,
      columns: columnsOf(sample),
    }),
  ];
}

/** Logs of version 1 had one `score`. */
function oldScore(sample: Fields): unknown {
  return sample["score"] === undefined || sample["score"] === null ? null : { score: sample["score"] };
}

function usageOf(usage: unknown): Trajectory["usage"] {
  const [input, output] = [sumOf(usage, "input_tokens"), sumOf(usage, "output_tokens")];
  return input === null && output === null ? null : { input, output };
}

/** The sample's metadata are the columns of its dataset row: they stand beside the sample's own fields. */
function columnsOf(sample: Fields): Record<string, unknown> {
  const own = others(sample, PLACED);
  const input = withAttachments(own["input"], fieldsOf(sample["attachments"]));
  return { ...fieldsOf(sample["metadata"]), ...own, input };
}

/** Limits by type: `EvalSampleLimit` of Inspect 0.3.285. */
const LIMITS = new Map<string, OutcomeKind>([
  ["context", "length"],
  ["token", "length"],
  ["cost", "length"],
  ["message", "turns"],
  ["turn", "turns"],
  ["time", "time"],
  ["working", "time"],
  ["operator", "cancelled"],
]);

const CANCELLED = /^(asyncio\.)?CancelledError\b|Cancelled via cancel scope/;
const INFRASTRUCTURE =
  /^(\w+\.)*(ModelGenerateError|API\w*Error|RateLimit\w*|Connection\w*|\w*HTTP\w*Error|ServiceUnavailable\w*|InternalServerError)\b/;

function outcomeOf(sample: Fields, failed: string | null, log: Fields): Trajectory["outcome"] {
  const limit = textOr(fieldsOf(sample["limit"])["type"]);
  if (failed !== null) {
    const inFile = failed.slice(0, 200);
    if (CANCELLED.test(failed)) return { kind: "cancelled", inFile };
    return { kind: INFRASTRUCTURE.test(failed) ? "infrastructure" : "environment", inFile };
  }
  if (limit !== null) return { kind: LIMITS.get(limit) ?? "unknown", inFile: `limit: ${limit}` };
  const choice = fieldsOf(listOf(fieldsOf(sample["output"])["choices"])[0]);
  const stop = textOr(choice["stop_reason"]);
  if (stop === "max_tokens" || stop === "model_length") return { kind: "length", inFile: stop };
  if (stop !== null) return { kind: "finished", inFile: stop };
  if (log["status"] === "started" && sample["completed_at"] === undefined)
    return { kind: "running", inFile: "started" };
  return { kind: "unknown", inFile: null };
}
