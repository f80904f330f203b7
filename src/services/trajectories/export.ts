import type { TrajectoryExport } from "../../schema/trajectoryView";
import type { TrajectorySource } from "./source";

export interface ExportAsk {
  readonly kind: TrajectoryExport;
  readonly indexes: readonly number[] | null;
  readonly filter: string;
}

export interface ExportResult {
  /** Text by the part of the set it belongs to: "" for all, else train, validation, test. */
  readonly texts: ReadonlyMap<string, string>;
  readonly written: number;
  readonly leftOut: readonly { readonly why: string; readonly n: number }[];
}

/** Trajectories as rows of another form, one JSON object a line. */
export async function exportTrajectories(
  source: TrajectorySource,
  ask: ExportAsk,
  signal?: AbortSignal,
): Promise<ExportResult> {
  await Promise.resolve();
  signal?.throwIfAborted();
  throw new Error(`not yet: ${ask.kind} of ${source.path}`);
}
