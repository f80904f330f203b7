import type { TelemetryReader } from "../telemetry";
import { nemoRl } from "./nemoRl";
import { openrlhf } from "./openrlhf";
import { rewardsmithLog } from "./rewardsmithLog";
import { artHistory, primeRlMetrics, stepLines, tinkerMetrics } from "./stepLines";
import { trainerState } from "./trainerState";
import { trlConsole } from "./trlConsole";
import { verlConsole, verlFileLogger } from "./verl";

/** Another framework's output: one file here, a line in this list, a test. */
export const READERS: readonly TelemetryReader[] = [
  rewardsmithLog,
  trlConsole,
  trainerState,
  verlFileLogger,
  verlConsole,
  primeRlMetrics,
  tinkerMetrics,
  artHistory,
  stepLines,
  nemoRl,
  openrlhf,
];

/** Undefined: a run's record names a reader that this version doesn't have. */
export function readerOf(id: string): TelemetryReader | undefined {
  return READERS.find((reader) => reader.id === id);
}
