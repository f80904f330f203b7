import type { TelemetryReader } from "../telemetry";
import { rewardsmithLog } from "./rewardsmithLog";
import { trainerState } from "./trainerState";
import { trlConsole } from "./trlConsole";

/** Another framework's output: one file here, a line in this list, a test. */
export const READERS: readonly TelemetryReader[] = [rewardsmithLog, trlConsole, trainerState];

/** Undefined: a run's record names a reader that this version doesn't have. */
export function readerOf(id: string): TelemetryReader | undefined {
  return READERS.find((reader) => reader.id === id);
}
