import * as z from "zod";
import { TrajectoriesState } from "../schema/trajectoryView";
import { contract, method } from "./rpc";

/** Trajectory viewer ⇄ extension host: state, commands, other editors. */
const Count = z.int().nonnegative();

/** Acts on trajectories that the host carries out: it asks what it must, the engine does the work. */
export const TrajectoryAct = z.enum([
  /** Opens the file in the text editor at the record's line. */
  "openSource",
  "score",
  "openLab",
  "promote",
  "promoteRegression",
  "exportTask",
  "exportSft",
  "exportDpo",
  "exportFiltered",
  "splits",
  "leakage",
  "difficulty",
  "compare",
  "diff",
]);
export type TrajectoryAct = z.infer<typeof TrajectoryAct>;

/** Commands of the palette that the page carries out. */
export const TrajectoryPageAct = z.enum([
  "focusFilter",
  "search",
  "nextFailing",
  "previousFailing",
  "labelGood",
  "labelBad",
  "compare",
  "follow",
  "showIndex",
]);
export type TrajectoryPageAct = z.infer<typeof TrajectoryPageAct>;

export const trajectoriesContract = contract(
  "trajectories",
  1,
  {
    hello: method(
      z.object({ restored: TrajectoriesState.nullable(), token: z.string().nullable() }),
      z.object({
        mode: z.enum(["viewer", "compare"]),
        token: z.string(),
        name: z.string(),
        language: z.string(),
        bundle: z.record(z.string(), z.string()),
        state: TrajectoriesState.nullable(),
        trusted: z.boolean(),
        /** Name of the reward file that "score" would take, if one is open. */
        reward: z.string().nullable(),
      }),
    ),
    saveState: method(TrajectoriesState, z.null()),
    /** `indexes`: what is selected; empty with `filter`: all that the filter lets through. */
    act: method(
      z.object({
        act: TrajectoryAct,
        indexes: z.array(Count).max(10_000),
        filter: z.string().max(2000).nullable(),
      }),
      /** What was done, in a sentence; null: the user gave up. */
      z.object({ said: z.string().nullable() }),
    ),
    copy: method(z.object({ text: z.string() }), z.null()),
    showLogs: method(z.object({}), z.null()),
  },
  {
    act: z.object({ act: TrajectoryPageAct, index: Count.nullable() }),
    trusted: z.object({ trusted: z.boolean(), reward: z.string().nullable() }),
  },
);
export type TrajectoriesContract = typeof trajectoriesContract;
