import type { SampleTable } from "../../core/scoring/table";
import type { LabPage } from "../../schema/lab";
import type { Baseline } from "../baseline";
import type { Scored } from "../scored";

/** What a session has for the Lab, at one moment. Everything in it is replaced, never changed. */
export interface LabSource {
  readonly path: string;
  /** Version of the document that the scores are of. */
  readonly docVersion: number;
  readonly status: LabPage["status"];
  readonly table: SampleTable;
  /** Null before the first pass, and where the samples are others by now. */
  readonly scored: Scored | null;
  readonly baseline: Baseline;
  /** Each batch was called twice, so that `again` is known. */
  readonly twice: boolean;
  readonly pinned?: number | null;
}

/** `partial`: what a pass that is still running has so far; it comes before the complete scores of an older text. */
export function labSource(
  path: string,
  table: SampleTable,
  complete: Scored | null,
  partial: Scored | null,
  fresh: boolean,
  baseline: Baseline,
  pinned: number | null = null,
): LabSource {
  const scored = partial ?? complete;
  const known = scored?.table === table ? scored : null;
  return {
    path,
    docVersion: scored?.version ?? -1,
    status: !known ? "none" : partial ? "partial" : fresh ? "fresh" : "old",
    table,
    scored: known,
    baseline,
    twice: known?.twice ?? false,
    pinned,
  };
}
