import type { OutcomeKind, TrajectoryError } from "../../../schema/trajectory";

/** Stop conditions of both generations (verifiers 0.3.1 `stop_condition` names, 0.4.0 `Trace.stop_condition`). */
const STOPS = new Map<string, OutcomeKind>([
  ["max_turns", "turns"],
  ["max_turns_reached", "turns"],
  ["max_input_tokens", "length"],
  ["max_output_tokens", "length"],
  ["max_total_tokens", "length"],
  ["max_total_completion_tokens_reached", "length"],
  ["max_seq_len_reached", "length"],
  ["compaction_failed", "length"],
  ["prompt_too_long", "length"],
  ["context_length", "length"],
  ["timeout", "time"],
  ["timeout_reached", "time"],
  ["agent_timeout", "time"],
  ["provider_error", "infrastructure"],
  ["cancelled", "cancelled"],
]);

/** Their first error decides where only "error" is said: the model's side and the boxes are infrastructure. */
const INFRASTRUCTURE = /provider|model|infra|sandbox|runtime|tunnel|boot|connect|overload/i;

export interface VerifiersEnd {
  readonly stop: string | null;
  readonly completed: boolean | null;
  readonly truncated: boolean;
  readonly timeout: boolean;
  readonly errors: readonly TrajectoryError[];
}

/** How a rollout ended, apart from its score: an error while scoring leaves an agent that had finished. */
export function verifiersOutcome(end: VerifiersEnd): { kind: OutcomeKind; inFile: string | null } {
  return { kind: kindOf(end), inFile: end.stop };
}

function kindOf({ stop, completed, truncated, timeout, errors }: VerifiersEnd): OutcomeKind {
  const known = stop === null ? undefined : STOPS.get(stop);
  if (known) return known;
  if (timeout || stop?.includes("timeout")) return "time";
  const failed = stop === "error" || stop === "has_error" || (stop === null && errors.length > 0);
  if (failed) {
    const kind = errors[0]?.kind ?? "";
    if (/timeout/i.test(kind)) return "time";
    return INFRASTRUCTURE.test(kind) ? "infrastructure" : "environment";
  }
  if (truncated) return "length";
  if (completed === false) return stop === null ? "running" : "unknown";
  return stop !== null || completed === true ? "finished" : "unknown";
}
