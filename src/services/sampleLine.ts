import { RewardsmithError } from "../base/errors";
import type { SampleTable } from "../core/scoring/table";

/** A sample with another completion, as a line of JSON in the form of its own file. */
export function sampleLine(
  _table: SampleTable,
  _row: number,
  _completion: unknown,
): { json: string; file: string; format: "jsonl" | "json" | "csv" | "parquet" } {
  throw new RewardsmithError("Internal", "not built yet");
}

/** File and 1-based line of a sample. */
export function samplePlace(_table: SampleTable, _row: number): { file: string; line: number } {
  throw new RewardsmithError("Internal", "not built yet");
}
