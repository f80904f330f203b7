import * as z from "zod";
import { Json } from "./json";
import { TaggedNumber } from "./number";

/**
 * A run's folder, `.rewardsmith/runs/<id>/`:
 *
 *     run.json        RunRecord: what was asked for. Written once, before anything starts.
 *     status.json     RunStatus: written by the supervisor alone, atomically.
 *     control/        requests to the supervisor, one file each, from any window or the command line
 *     events.jsonl    RunEvent a line     metrics.jsonl   MetricRow a line
 *     console.log     what the job printed, secrets hidden
 *     job/            the recipe's files, readable and runnable by hand
 *     reward/         snapshot of the reward file and its local helpers
 *     out/            what the framework writes: checkpoints, completions, logs
 *     rollouts/       rollouts in a form the trajectory viewer reads, where the framework writes none of its own
 *
 * Times are milliseconds since the epoch unless a name says otherwise.
 */
export const RUN_SCHEMA = 1;

export const RunId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/);
export type RunId = z.infer<typeof RunId>;

/**
 * `lost`: the job is gone and nobody saw how it ended (its supervisor was killed too, or the machine restarted).
 * Never shown as failed or finished.
 */
export const RUN_STATES = [
  "created",
  "starting",
  "running",
  "stopping",
  "finished",
  "failed",
  "killed",
  "stopped",
  "lost",
] as const;
export const RunState = z.enum(RUN_STATES);
export type RunState = z.infer<typeof RunState>;

export const BackendType = z.enum(["preflight", "local"]);
export type BackendType = z.infer<typeof BackendType>;

/** Of `rewardsmith.json`; a name of the user's choice → how to reach it. */
export const Backend = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("preflight").describe("In the product itself: needs no framework and no GPU."),
  }),
  z.object({
    type: z.literal("local").describe("A process on this machine."),
    python: z.string().optional().describe("Interpreter of the training environment."),
    env: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        "Variables for the job. `env:NAME` passes on a variable of yours, `secret:NAME` a stored key.",
      ),
  }),
]);
export type Backend = z.infer<typeof Backend>;

/**
 * What every GRPO trainer knows, under one name; left out = the framework's default. A recipe maps these to its
 * framework's own keys and says which of them it doesn't have. `extra` goes through as it is, under the framework's names.
 */
export const RunSettings = z.object({
  model: z.string().optional().describe("Model id or folder."),
  revision: z.string().optional(),
  lora: z
    .object({ rank: z.int().positive(), alpha: z.number().positive().optional() })
    .nullable()
    .optional()
    .describe("Null: all weights are trained."),
  dataset: z.string().optional().describe("Prompts: a file relative to the project, or a data set's id."),
  steps: z.int().positive().optional().describe("Optimizer steps."),
  promptsPerStep: z.int().positive().optional(),
  groupSize: z.int().min(2).optional().describe("Completions of one prompt."),
  maxPromptTokens: z.int().positive().optional(),
  maxCompletionTokens: z.int().positive().optional(),
  maxTurns: z.int().positive().optional(),
  toolTimeoutS: z.number().positive().optional(),
  rewardTimeoutS: z.number().positive().optional(),
  temperature: z.number().nonnegative().optional(),
  topP: z.number().positive().max(1).optional(),
  learningRate: z.number().nonnegative().optional(),
  clipLow: z.number().nonnegative().optional(),
  clipHigh: z.number().nonnegative().optional(),
  kl: z.number().nonnegative().optional().describe("Coefficient of the KL term."),
  lossAggregation: z.string().optional().describe("In the framework's own word, e.g. TRL loss_type."),
  advantageScaling: z.enum(["group", "batch", "none"]).optional(),
  dropTiedGroups: z.boolean().optional().describe("Groups of zero spread are left out or sampled again."),
  maskTruncated: z
    .boolean()
    .optional()
    .describe("Completions cut off by the length limit aren't trained on."),
  maxStaleness: z.int().nonnegative().optional().describe("Policy versions between sampling and training."),
  evaluateEverySteps: z.int().positive().optional(),
  saveEverySteps: z.int().positive().optional(),
  keepCheckpoints: z.int().positive().optional(),
  seed: z.int().nonnegative().optional(),
  thinking: z.boolean().optional().describe("The chat template's own thinking switch."),
  environments: z.array(z.object({ name: z.string(), ratio: z.number().positive() })).optional(),
  extra: z.record(z.string(), Json).optional(),
});
export type RunSettings = z.infer<typeof RunSettings>;
export type SettingName = keyof RunSettings;

/** How far a recipe's output has been checked; the picker says it. */
export const RecipeCheck = z.enum(["ran", "parsed", "sheet"]);
export type RecipeCheck = z.infer<typeof RecipeCheck>;

/** A key of the framework's own configuration as it will be, beside its default. */
export const ResolvedKey = z.object({
  key: z.string(),
  value: Json,
  /** Null: the framework's default isn't known for this version. */
  default: Json.nullable(),
  differs: z.boolean(),
  /** Where the value comes from. `needed`: the framework wouldn't run, or we couldn't watch it, without. */
  source: z.enum(["settings", "suite", "extra", "needed", "default"]),
});
export type ResolvedKey = z.infer<typeof ResolvedKey>;

/** Which reader follows which file of the run, relative to the run's folder; `*` stands for a part of a name. */
export const TelemetrySource = z.object({ reader: z.string(), path: z.string() });
export type TelemetrySource = z.infer<typeof TelemetrySource>;

export const RunCommand = z.object({
  /** Program and arguments: no shell in between. */
  program: z.string(),
  args: z.array(z.string()),
  /** Relative to the run's folder. */
  cwd: z.string(),
  /** Plain variables. Values of secrets are never here: `secrets` names the variables that get one at the start. */
  env: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
});
export type RunCommand = z.infer<typeof RunCommand>;

export const RunReward = z.object({
  /** Relative to the project's folder; `FILE.py`. */
  file: z.string(),
  functions: z.array(z.object({ name: z.string(), contract: z.string(), weight: z.number() })),
  /** Over the text of `file` and its local helpers: the editor's version when the run was launched. */
  hash: z.string(),
});
export type RunReward = z.infer<typeof RunReward>;

export const RunRecord = z.object({
  schema: z.literal(RUN_SCHEMA),
  id: RunId,
  name: z.string(),
  created: z.number(),
  backend: z.object({ name: z.string(), type: BackendType }),
  recipe: z.object({
    id: z.string(),
    check: RecipeCheck,
    framework: z.string().nullable(),
    version: z.string().nullable(),
  }),
  /** A try of two steps. */
  smoke: z.boolean(),
  reward: RunReward.nullable(),
  suite: z.string().nullable(),
  samples: z.array(z.string()),
  settings: RunSettings,
  resolved: z.array(ResolvedKey),
  command: RunCommand.nullable(),
  telemetry: z.array(TelemetrySource),
  /** Where rollouts and checkpoints appear, relative to the run's folder; null: this framework writes none. */
  rollouts: z.string().nullable(),
  checkpoints: z.string().nullable(),
  /** Of the run that this one continues. */
  resumes: z.object({ run: RunId, checkpoint: z.string() }).nullable(),
  /** Why the launch gate was passed over, in the user's words; null: it was met, or there is none. */
  override: z.string().nullable(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** A process number alone may be another process's by now: start time, boot and token tell. */
export const ProcessMark = z.object({
  pid: z.int().positive(),
  /** As the system counts it (Linux: clock ticks since boot). */
  start: z.string(),
  /** Id of this boot of the machine, or "". */
  boot: z.string(),
  /** In the process's environment as REWARDSMITH_RUN_TOKEN. */
  token: z.string(),
});
export type ProcessMark = z.infer<typeof ProcessMark>;

/** Why a run is in its state; the view chooses the words. */
export const RunReasonCode = z.enum([
  "program-missing",
  "cannot-start",
  "exit-code",
  "signal",
  "out-of-memory",
  "disk-full",
  "stop-asked",
  "stop-forced",
  "machine-restarted",
  "supervisor-gone",
  "reward-failed",
]);
export type RunReasonCode = z.infer<typeof RunReasonCode>;

export const RunStatus = z.object({
  schema: z.literal(RUN_SCHEMA),
  state: RunState,
  reason: z.object({ code: RunReasonCode, text: z.string().max(4000).nullable() }).nullable(),
  exit: z.object({ code: z.int().nullable(), signal: z.int().nullable() }).nullable(),
  supervisor: ProcessMark.nullable(),
  job: ProcessMark.nullable(),
  /** Last sign of life of the supervisor. Only a hint: a clock may jump; the process's mark decides. */
  heartbeat: z.number(),
  started: z.number().nullable(),
  ended: z.number().nullable(),
  /** Seconds the job has run, by a clock that doesn't jump. */
  elapsedS: z.number().nonnegative(),
  step: z.int().nonnegative().nullable(),
  steps: z.int().positive().nullable(),
  checkpoints: z.array(z.object({ name: z.string(), step: z.int().nonnegative() })),
  /** Mean total reward so far, thinned, so that a list of runs needn't read their metrics; left out: none yet. */
  reward: z.array(z.number()).max(40).optional(),
  /** What could not be written while the run went on, e.g. as the disk was full. */
  problems: z.array(
    z.object({ code: z.enum(["disk-full", "unreadable-log", "not-written"]), text: z.string() }),
  ),
});
export type RunStatus = z.infer<typeof RunStatus>;

export const RunEvent = z.object({
  at: z.number(),
  kind: z.enum(["state", "stop-asked", "adopted", "checkpoint", "alarm", "note", "problem"]),
  state: RunState.optional(),
  text: z.string().max(4000).optional(),
  step: z.int().nonnegative().optional(),
});
export type RunEvent = z.infer<typeof RunEvent>;

/** Numbers of one step under the framework's own names; null: the framework wrote the name, but no number. */
export const MetricRow = z.object({
  step: z.int().nonnegative(),
  at: z.number().nullable(),
  /** Id of the reader, so that two sources of one name can be told apart. */
  from: z.string(),
  values: z.record(z.string(), TaggedNumber.nullable()),
});
export type MetricRow = z.infer<typeof MetricRow>;

/** Request to a supervisor: a file `control/<time>-<random>.json`. */
export const RunRequest = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stop"), by: z.string(), at: z.number() }),
  z.object({ kind: z.literal("kill"), by: z.string(), at: z.number() }),
]);
export type RunRequest = z.infer<typeof RunRequest>;
