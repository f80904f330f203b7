import { OutcomeKind, TrajectoryFlag } from "../../schema/trajectory";
import type { FieldTable } from "./fields";

/** What a list of trajectories can be filtered by. Reward components and metrics with numbers are fields too. */
export const TRAJECTORY_TABLE: FieldTable = {
  fields: [
    { name: "reward", kind: "number", example: "reward<0.2" },
    { name: "advantage", kind: "number", example: "advantage>0" },
    { name: "now", kind: "number", example: "now<0.2" },
    { name: "state", kind: "name", example: "state:raised" },
    { name: "outcome", kind: "word", example: "outcome:length", words: OutcomeKind.options },
    { name: "step", kind: "number", example: "step:10..20" },
    { name: "split", kind: "name", example: "split:val" },
    { name: "group", kind: "name", example: "group:12/p3" },
    { name: "id", kind: "name", example: "id:a17" },
    { name: "task", kind: "text", example: "task:django" },
    { name: "title", kind: "text", example: 'title:"how many"' },
    { name: "file", kind: "text", example: "file:12.jsonl" },
    { name: "label", kind: "label", example: "label:good" },
    { name: "turns", kind: "number", example: "turns>5" },
    { name: "messages", kind: "number", example: "messages>10" },
    { name: "calls", kind: "number", example: "calls:0" },
    { name: "toolErrors", kind: "number", example: "toolErrors>0" },
    { name: "branches", kind: "number", example: "branches>1" },
    { name: "tokens", kind: "number", example: "tokens>4096" },
    { name: "characters", kind: "number", example: "characters>20000" },
    { name: "ms", kind: "number", example: "ms>60000" },
    { name: "cost", kind: "number", example: "cost>0.1" },
    { name: "row", kind: "row", example: "row:10..20" },
  ],
  /** `failing`: see docs/trajectories.md; `changed`: the open reward gives another total than the file. */
  flags: [...TrajectoryFlag.options, "failing", "tied", "changed"],
  scores: new Set(["reward", "advantage", "now"]),
};
