import * as z from "zod";
import { RunEvent, RunId, RunRecord, RunStatus } from "./run";
import { LogSlice, RunSummary } from "./runView";

/** What `rewardsmith run … --json` says, one document for each command. */
export const RUN_REPORT_SCHEMA = 1;

const head = {
  schema: z.literal(RUN_REPORT_SCHEMA),
  product: z.object({ name: z.literal("rewardsmith"), version: z.string() }),
};

/** `run list`: the newest first. */
export const RunListReport = z.object({ ...head, folder: z.string(), runs: z.array(RunSummary) });
export type RunListReport = z.infer<typeof RunListReport>;

/** `run show`, and `run start`, `run stop` when they are done. */
export const RunShowReport = z.object({
  ...head,
  folder: z.string(),
  record: RunRecord,
  status: RunStatus,
  /** What happened, why, and what to do. */
  sentence: z.string(),
  events: z.array(RunEvent),
});
export type RunShowReport = z.infer<typeof RunShowReport>;

/** `run logs`: a slice; its offsets count bytes. */
export const RunLogReport = z.object({ ...head, run: RunId, log: LogSlice });
export type RunLogReport = z.infer<typeof RunLogReport>;

/** `run delete`. */
export const RunDeleteReport = z.object({ ...head, deleted: z.array(RunId) });
export type RunDeleteReport = z.infer<typeof RunDeleteReport>;
