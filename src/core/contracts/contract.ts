import type { ContractId, RecognitionReason, RewardFunction } from "../../schema/reward";
import type { Fate, ReasonCode, ScoreState } from "../../schema/score";
import type { SampleShape } from "../../schema/sample";
import type { CallPlan } from "../../schema/worker";
import type { FunctionModel, SourceModel } from "../python/model";

/** What a contract knows about the trainer's settings and the versions that are installed. */
export interface ContractContext {
  /** Installed version of the framework in the user's interpreter; null = not installed or not known. */
  readonly version: string | null;
  readonly advantages: "group" | "batch" | "none";
  /** How several rewards become one; left out = the framework's default. */
  readonly aggregation?: "sum_then_normalize" | "normalize_then_sum";
  readonly shape: SampleShape;
  /** Columns of the sample set, by the names the reward knows. */
  readonly columns: readonly string[];
  readonly hasTokens: boolean;
}

export interface Recognition {
  /** 0 to 100; the registry takes the strongest. */
  readonly strength: number;
  readonly reasons: readonly RecognitionReason[];
}

/** Several functions may score a row: what the others said decides what a None becomes. */
export interface FateContext extends ContractContext {
  readonly othersScored: boolean;
  readonly reason: ReasonCode | null;
}

/**
 * One framework's reward contract: how it is recognised, what is called with what, what becomes of each state.
 * A new framework is one file that implements this, one line in `registry.ts`, one test.
 */
export interface RewardContract {
  readonly id: ContractId;
  /** Distribution whose version decides, e.g. `trl`; null for plain functions. */
  readonly distribution: string | null;
  /** Versions in which the facts of this file were seen in the framework's own code: [from, to]. */
  readonly checked: readonly [from: string, to: string] | null;
  recognise(source: SourceModel, fn: FunctionModel): Recognition | null;
  plan(fn: RewardFunction, context: ContractContext): CallPlan;
  fate(state: ScoreState, context: FateContext): Fate;
}
