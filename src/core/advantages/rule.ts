/** Rewards of one batch that a trainer normalises at once, as the trainer holds them. */
export interface RewardBatch {
  /** Rows × functions, row by row, in float32; NaN where the function gave None or NaN. Rows of a group are neighbours. */
  readonly values: Float32Array;
  /** One weight a function; its length is the number of functions, at least 1. */
  readonly weights: readonly number[];
  /** Sizes of the groups in order; they add up to the rows. */
  readonly groups: readonly number[];
}

export interface GroupAdvantages {
  /** Of the group's weighted totals, whatever the rule divides by; NaN where the trainer has NaN. */
  readonly mean: number;
  readonly std: number;
  /** The trainer's own rule drops this group. */
  readonly filtered: boolean;
}

export interface Advantages {
  /** Weighted total of each row; NaN where no function gave a number. */
  readonly rewards: Float32Array;
  readonly advantages: Float32Array;
  /** One a group, in the order of the batch. */
  readonly groups: readonly GroupAdvantages[];
}

/**
 * How one trainer turns rewards into advantages. A new rule is one file that implements this and one line in
 * `registry.ts`; it computes in the precision and order of the trainer's own code.
 */
export interface AdvantageRule {
  /** e.g. `trl.group`. */
  readonly id: string;
  /** Formula in one line, with the versions of the code that it was checked against. */
  readonly formula: string;
  readonly checked: readonly [from: string, to: string];
  compute(batch: RewardBatch): Advantages;
  /** What the trainer logs of such a batch, by its own metric names. */
  logged(batch: RewardBatch, names: readonly string[]): ReadonlyMap<string, number>;
}
