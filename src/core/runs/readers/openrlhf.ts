import type { TelemetryReader } from "../telemetry";
import { readPythonDict } from "./pythonDict";
import { lineReading, rowOf, valuesOf, type Row } from "./rows";

const START = /Global step (\d+): (?=\{)/g;

/** OpenRLHF (0.11.2) prints `✨ Global step 12: {'rollout/reward_mean': 0.5, …}`; the asynchronous trainer without the star. */
export const openrlhf: TelemetryReader = {
  id: "openrlhf",
  shape: "lines",
  open: () => lineReading(rowsOf),
};

function rowsOf(line: string): readonly Row[] {
  if (!line.includes("Global step ")) return [];
  return [...line.matchAll(START)].flatMap((start) => {
    const dict = readPythonDict(line, start.index + start[0].length);
    return dict ? (rowOf(start[1], valuesOf(dict.entries)) ?? []) : [];
  });
}
