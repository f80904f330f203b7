import type { ContractId, RecognitionReason } from "../schema/reward";
import { SCORE_STATES, type Fate, type ScoreState, type SideEffect } from "../schema/score";
import { formatCount, formatNumber, type Speech } from "./format";

/** `4 raised`: every state in its own word, so that none can be taken for another or for a low score. */
export function countOfState(state: ScoreState, count: number, speech: Speech): string {
  const { t } = speech;
  const n = formatCount(count, speech.language);
  switch (state) {
    case "scored":
      return t("{0} scored", n);
    case "non-finite":
      return t("{0} non-finite", n);
    case "not-applicable":
      return t("{0} not applicable", n);
    case "invalid-return":
      return t("{0} invalid", n);
    case "raised":
      return t("{0} raised", n);
    case "timed-out":
      return t("{0} timed out", n);
    case "crashed":
      return t("{0} crashed", n);
    case "cancelled":
      return t("{0} cancelled", n);
    case "unscored":
      return t("{0} unscored", n);
    case "held":
      return t("{0} held", n);
  }
}

/** `raised`: the state's word for one row. */
export function stateAlone(state: ScoreState, speech: Speech): string {
  return countOfState(state, 1, speech).replace(/^\P{L}+/u, "");
}

/** States that occur, worst news first; `scored` only where asked for. */
export function statesInWords(
  states: Partial<Record<ScoreState, number>>,
  speech: Speech,
  withScored: boolean,
): string[] {
  return SCORE_STATES.filter((state) => withScored || state !== "scored").flatMap((state) => {
    const count = states[state] ?? 0;
    return count > 0 ? [countOfState(state, count, speech)] : [];
  });
}

export function meaningOfState(state: ScoreState, { t }: Speech): string {
  switch (state) {
    case "scored":
      return t("The reward returned a finite number.");
    case "non-finite":
      return t("The reward returned NaN or infinity.");
    case "not-applicable":
      return t("The reward returned None: it does not judge this sample.");
    case "invalid-return":
      return t("The reward returned something that is not a number, or the wrong count of them.");
    case "raised":
      return t("The reward raised an exception.");
    case "timed-out":
      return t("The reward took longer than the limit.");
    case "crashed":
      return t("The process that ran the reward ended.");
    case "cancelled":
      return t("You or a newer edit stopped it before it was scored.");
    case "unscored":
      return t("A judge gave no usable verdict.");
    case "held":
      return t("Stopped before a side effect, because it ran while you typed.");
  }
}

/** What the trainer does with a state. */
export function fateInWords(fate: Fate, contract: ContractId, speech: Speech): string {
  const { t } = speech;
  const trainer = contractName(contract, speech);
  const main = (): string => {
    switch (fate.word) {
      case "value":
        return t("{0} uses the number as it is.", trainer);
      case "zero":
        return fate.given !== null && typeof fate.given === "number" && fate.given !== 0
          ? t("{0} trains on {1}.", trainer, formatNumber(fate.given, speech.language))
          : t("{0} trains on 0.", trainer);
      case "ignored":
        return t("{0} leaves it out.", trainer);
      case "stops":
        return t("{0} stops the run.", trainer);
      case "unknown":
        return t("What {0} makes of it isn't known until it runs.", trainer);
      case "poisons":
        return fate.scope === "batch"
          ? t("{0} lets it spoil the whole batch.", trainer)
          : t("{0} lets it spoil its group.", trainer);
    }
  };
  return fate.waits ? `${main()} ${t("It waits without limit.")}` : main();
}

export function contractName(contract: ContractId, { t }: Speech): string {
  switch (contract) {
    case "trl":
      return "TRL";
    case "plain":
      return t("A plain loop");
  }
}

export function contractExplained(contract: ContractId, { t }: Speech): string {
  switch (contract) {
    case "trl":
      return t("TRL GRPOTrainer: one call for a batch, a list of numbers back");
    case "plain":
      return t("Plain function: one call for a sample, a number back");
  }
}

export function reasonOfRecognition(reason: RecognitionReason, { t }: Speech): string {
  switch (reason) {
    case "in-reward-funcs":
      return t("it is listed in reward_funcs");
    case "imports-trainer":
      return t("the file imports the trainer");
    case "imports-unsloth":
      return t("the file imports Unsloth");
    case "completions-and-kwargs":
      return t("it takes completions and **kwargs");
    case "completions-parameter":
      return t("it takes completions");
    case "returns-list":
      return t("it returns a list");
    case "name-like-reward":
      return t("its name sounds like a reward");
    case "completion-parameter":
      return t("it takes one completion");
    case "chosen-by-user":
      return t("you chose it");
    case "chosen-by-project":
      return t("rewardsmith.json says so");
  }
}

/** Verb for the CodeLens and the question: `Allow connecting…`. */
export function allowVerb(effect: SideEffect, { t }: Speech): string {
  switch (effect) {
    case "connect":
      return t("Allow connecting…");
    case "process":
      return t("Allow starting programs…");
    case "write":
      return t("Allow writing files…");
    case "remove":
      return t("Allow removing files…");
  }
}

export function effectQuestion(effect: SideEffect, name: string, target: string, { t }: Speech): string {
  switch (effect) {
    case "connect":
      return t("Allow {0} to connect (for example to {1}) while you type?", name, target);
    case "process":
      return t("Allow {0} to start programs (for example {1}) while you type?", name, target);
    case "write":
      return t("Allow {0} to write files (for example {1}) while you type?", name, target);
    case "remove":
      return t("Allow {0} to remove files (for example {1}) while you type?", name, target);
  }
}

export function effectHeld(effect: SideEffect, count: number, target: string, speech: Speech): string {
  const { t } = speech;
  const n = formatCount(count, speech.language);
  switch (effect) {
    case "connect":
      return t("held {0} rows before connecting to {1}", n, target);
    case "process":
      return t("held {0} rows before starting {1}", n, target);
    case "write":
      return t("held {0} rows before writing {1}", n, target);
    case "remove":
      return t("held {0} rows before removing {1}", n, target);
  }
}
