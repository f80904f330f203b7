import * as z from "zod";
import { RunId } from "../schema/run";
import { RunPageState } from "../schema/runView";
import { contract, method } from "./rpc";

/** Run dashboard ⇄ extension host: state, and acts that the host carries out after asking what it must. */
export const RunAct = z.enum([
  "stop",
  "kill",
  "resume",
  "delete",
  "openLog",
  "openFolder",
  "openReward",
  "rollouts",
  "openRun",
  "compare",
  "promote",
  "copyCommand",
]);
export type RunAct = z.infer<typeof RunAct>;

export const runContract = contract(
  "run",
  1,
  {
    hello: method(
      z.object({ restored: RunPageState.nullable(), token: z.string().nullable() }),
      z.object({
        mode: z.enum(["run", "compare"]),
        token: z.string(),
        /** The run that is shown; of a comparison all of them. */
        runs: z.array(RunId).min(1).max(8),
        language: z.string(),
        bundle: z.record(z.string(), z.string()),
        state: RunPageState.nullable(),
        trusted: z.boolean(),
      }),
    ),
    saveState: method(RunPageState, z.null()),
    /** `step` where the act is about one. What was done, in a sentence; null: the user gave up. */
    act: method(
      z.object({
        act: RunAct,
        runs: z.array(RunId).min(1).max(8),
        step: z.int().nonnegative().nullable(),
      }),
      z.object({ said: z.string().nullable() }),
    ),
    copy: method(z.object({ text: z.string() }), z.null()),
    showLogs: method(z.object({}), z.null()),
  },
  {
    trusted: z.object({ trusted: z.boolean() }),
  },
);
export type RunContract = typeof runContract;
