import type { Fate } from "../../schema/score";

/** The number is used as it is, for its own row. */
export const ROW: Fate = {
  word: "value",
  given: null,
  inBaseline: true,
  inLoss: true,
  scope: "row",
  retries: 0,
  waits: false,
};

/** It wasn't run to its end here; what it would have said isn't known, so it is in no baseline of ours. */
export const UNKNOWN: Fate = { ...ROW, word: "unknown", inBaseline: false };

/** The caller ends: no row of any group is trained on any more. */
export const STOPS: Fate = { ...ROW, word: "stops", inBaseline: false, inLoss: false, scope: "run" };
