import type { MetricRow } from "../../schema/run";

/** Where a reader has to look. `lines` grow at their end; `document` files are written anew as a whole. */
export type TelemetryShape = "lines" | "document";

/**
 * Reads what one framework writes. It gets text as it comes (a line may be cut anywhere between two calls) and gives
 * numbers under the framework's own names. What isn't telemetry is passed over: a console log is mostly other text.
 * A reader holds state for one file and never throws on content.
 */
export interface TelemetryReading {
  /** Rows that are complete by now. For a `document` the text is the whole file each time. */
  push(text: string): readonly Omit<MetricRow, "from">[];
  /** The last line had no end and the job is over. */
  end(): readonly Omit<MetricRow, "from">[];
}

export interface TelemetryReader {
  readonly id: string;
  readonly shape: TelemetryShape;
  open(): TelemetryReading;
}
