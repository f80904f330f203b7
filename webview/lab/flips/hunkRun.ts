import { type Signal, signal } from "@preact/signals";
import { RewardsmithError } from "../../../src/base/errors";
import type { Lab } from "../lab";
import { HunkIndex } from "./hunkIndex";

/** The question which change caused which flip: asked by a button, as it runs code. */
export type HunkRun =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly stop: AbortController }
  /** `seq`: the snapshot that was shown when the answer came. */
  | { readonly kind: "done"; readonly index: HunkIndex; readonly seq: number }
  | { readonly kind: "failed"; readonly message: string };

/** The run outlives the view: another tab doesn't end it. */
const runs = new WeakMap<Lab, Signal<HunkRun>>();

export function hunkRunOf(lab: Lab): Signal<HunkRun> {
  const known = runs.get(lab) ?? signal<HunkRun>({ kind: "idle" });
  runs.set(lab, known);
  return known;
}

export async function runHunks(lab: Lab): Promise<void> {
  const run = hunkRunOf(lab);
  if (run.value.kind === "running") return;
  const before = run.value;
  const stop = new AbortController();
  run.value = { kind: "running", stop };
  try {
    const answer = await lab.connection.data.hunks({}, { signal: stop.signal });
    run.value = { kind: "done", index: new HunkIndex(answer), seq: lab.seq.value };
    lab.say(lab.t("The changes are told apart."));
  } catch (error) {
    if (stop.signal.aborted) {
      run.value = before;
      lab.say(lab.t("Cancelled."));
    } else {
      const ended = error instanceof RewardsmithError && error.code === "Cancelled";
      const message = error instanceof Error ? error.message : String(error);
      run.value = { kind: "failed", message: ended ? lab.t("a newer edit ended it, ask again") : message };
    }
  }
}
