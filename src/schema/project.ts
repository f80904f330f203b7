import * as z from "zod";

/** `rewardsmith.json` (comments allowed, all parts optional). Unknown keys are a warning, never an error. */
export const TrainerSettings = z.object({
  framework: z.enum(["trl", "plain"]).default("trl").describe("Whose rules fates and advantages follow."),
  advantages: z
    .enum(["group", "batch", "none"])
    .default("group")
    .describe("TRL scale_rewards: divide by the group's standard deviation, the batch's, or not at all."),
  aggregation: z
    .enum(["sum_then_normalize", "normalize_then_sum"])
    .default("sum_then_normalize")
    .describe("TRL multi_objective_aggregation."),
  batch: z.number().int().positive().optional().describe("Completions in one call of the reward, in rows."),
  maxCompletionTokens: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("Length limit of completions, in tokens."),
});
export type TrainerSettings = z.infer<typeof TrainerSettings>;

export const RewardRef = z.object({
  use: z.string().describe("FILE.py:FUNCTION, relative to this file."),
  contract: z.string().optional().describe("Which framework's call; recognised when left out."),
  weight: z.number().default(1).describe("Weight in the total."),
});

export const Suite = z.object({
  rewards: z.array(RewardRef).default([]).describe("The reward functions whose weighted sum is the total."),
  samples: z.array(z.string()).default([]).describe("Sample files, relative to this file."),
  columns: z
    .record(z.string(), z.string())
    .default({})
    .describe("Reward parameter (or prompt, completion, id, label) → file column."),
  group: z
    .object({
      by: z.string().optional().describe('Column that names the group, or "prompt".'),
      size: z.number().int().positive().optional().describe("Rows in a row that form a group."),
    })
    .optional()
    .describe("Which completions the trainer compares."),
  trainer: TrainerSettings.partial().optional(),
  labels: z.string().optional().describe("Sidecar file of labels, relative to this file."),
  splits: z.record(z.string(), z.string()).optional().describe("Named further sets, e.g. a sealed test set."),
});
export type Suite = z.infer<typeof Suite>;

export const Project = z.object({
  $schema: z.string().optional(),
  schema: z.literal(1).describe("Version of this file's form."),
  suites: z
    .record(z.string(), Suite)
    .default({})
    .describe("Named rewards with weights, samples and trainer settings."),
});
export type Project = z.infer<typeof Project>;
