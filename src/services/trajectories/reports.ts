import type { TrajectorySource } from "./source";

export interface ReportAsk {
  readonly kind: "leakage" | "difficulty";
  readonly filter: string;
  /** The set that must not overlap; null: only within the source. */
  readonly against: TrajectorySource | null;
}

/** A report as Markdown, in English: it is a file of the user's then. */
export async function reportTrajectories(
  source: TrajectorySource,
  ask: ReportAsk,
  signal?: AbortSignal,
): Promise<string> {
  await Promise.resolve();
  signal?.throwIfAborted();
  throw new Error(`not yet: ${ask.kind} of ${source.path}`);
}
