import * as z from "zod";
import { RunId } from "../schema/run";
import { LogSlice, RunComparison, RunDashboard, RunSummary } from "../schema/runView";
import { contract, method } from "./rpc";

/**
 * Run dashboard ⇄ engine, about the runs of one project: which project, the page doesn't say and can't; which run of it,
 * it names by id. Nothing here starts or ends anything.
 */
const Count = z.int().nonnegative();
/** A log comes in slices of at most this many bytes, so that no message grows beyond a megabyte. */
export const MAX_LOG_SLICE = 250_000;

export const runDataContract = contract(
  "runData",
  1,
  {
    runs: method(z.object({}), z.object({ runs: z.array(RunSummary).max(2000) })),
    dashboard: method(z.object({ run: RunId, points: z.int().min(10).max(2000) }), RunDashboard),
    /** `from` null: the end of the log. */
    log: method(
      z.object({ run: RunId, from: Count.nullable(), length: z.int().positive().max(MAX_LOG_SLICE) }),
      LogSlice,
    ),
    compare: method(
      z.object({ runs: z.array(RunId).min(2).max(8), points: z.int().min(10).max(2000) }),
      RunComparison,
    ),
  },
  {
    /** Something of this run is another: state, metrics, log. */
    changed: z.object({ run: RunId }),
  },
);
export type RunDataContract = typeof runDataContract;
