import type { RolloutFile } from "./runs";

/** Where a framework puts the files of a run. Patterns are of paths below the opened folder, at any depth. */
export interface Layout {
  readonly framework: string;
  /** Named groups `step` and `split` say what the path says. */
  readonly rollouts: RegExp;
  /** Of those, the ones that hold something else. */
  readonly not?: RegExp;
  /** Some path must match it, else the folder only looks like such a run. */
  readonly needs?: RegExp;
  readonly accepts?: (path: string, all: ReadonlySet<string>) => boolean;
  readonly splitOf: (split: string | undefined, path: string) => string | null;
  readonly metrics: RegExp;
  readonly configs: RegExp;
  /** Where files repeat each other. */
  readonly choose?: (files: readonly RolloutFile[]) => readonly RolloutFile[];
  readonly chooseMetrics?: (paths: readonly string[]) => readonly string[];
}

const NONE = /(?!)/;
const asWritten = (split: string | undefined): string | null => split ?? null;
const always = (split: string) => (): string => split;

/** In order of certainty; the paths are those of the contract sheets and of files the frameworks wrote. */
export const LAYOUTS: readonly Layout[] = [
  {
    // TRL 1.16: GRPOTrainer with log_completions.
    framework: "trl",
    rollouts: /(^|\/)completions\/completions_(?<step>\d+)\.parquet$/,
    splitOf: always("train"),
    metrics: /(^|\/)(?:checkpoint-\d+\/)?trainer_state\.json$/,
    configs: /(^|\/)(config\.ya?ml|training_args\.json|train_config\.json)$/,
    chooseMetrics: newestState,
  },
  {
    // prime-rl: `all` grows while rollouts finish and holds the `effective` ones.
    framework: "prime-rl",
    rollouts: /(^|\/)rollouts\/step_(?<step>\d+)\/(?<split>train|eval)\/(all|effective)\/traces\.jsonl$/,
    splitOf: asWritten,
    metrics: /(^|\/)metrics\.jsonl$/,
    configs: /(^|\/)configs\/(.*\/)?[^/]+\.toml$/,
    choose: (files) => {
      const whole = new Set(files.filter(({ path }) => path.includes("/all/")).map(({ path }) => path));
      return files.filter(({ path }) => !whole.has(path.replace("/effective/", "/all/")) || whole.has(path));
    },
  },
  {
    // ART 0.5.23 and before; a folder being migrated has a step in two forms.
    framework: "art",
    rollouts:
      /(^|\/)trajectories\/(?<split>[^/]+)\/(?<step>\d+)(?:\.(?:parquet|jsonl|ya?ml)|\/\d+-\d+\.log)$/,
    splitOf: asWritten,
    metrics: /(^|\/)history\.jsonl$/,
    configs: /(^|\/)state\.json$/,
    choose: (files) => {
      const parquet = new Set(files.filter(({ path }) => path.endsWith(".parquet")).map(({ path }) => path));
      return files.filter(
        ({ path }) => parquet.has(path) || !parquet.has(path.replace(/\.[a-z]+$/, ".parquet")),
      );
    },
  },
  {
    // NeMo RL.
    framework: "nemo-rl",
    rollouts: /(^|\/)(?<split>train|val)_data_step(?<step>\d+)\.jsonl$/,
    splitOf: asWritten,
    metrics: /(^|\/)(metrics\.jsonl|training_info\.json)$/,
    configs: /(^|\/)config\.ya?ml$/,
  },
  {
    // SkyRL 0.4: evaluations.
    framework: "skyrl",
    rollouts: /(^|\/)dumped_evals\/(?:global_step_(?<step>\d+)_evals|eval_only)\/[^/]+\.jsonl$/,
    not: /\/aggregated_results\.jsonl$/,
    splitOf: always("eval"),
    metrics: /(^|\/)metrics\.jsonl$/,
    configs: /(^|\/)config\.ya?ml$/,
  },
  {
    // Tinker cookbook 0.5.8.
    framework: "tinker",
    rollouts: /(^|\/)iteration_(?<step>\d+)\/(?<split>[a-z]+)[^/]*_rollout_summaries\.jsonl$/,
    splitOf: asWritten,
    metrics: /(^|\/)metrics\.jsonl$/,
    configs: /(^|\/)config\.json$/,
  },
  {
    // AReaL 1.0.4: a folder for each version of the weights, a file for each task.
    framework: "areal",
    rollouts: /(^|\/)(?<split>rollout|eval-rollout)\/(?<step>\d+)\/[^/]+\.jsonl$/,
    splitOf: (split) => (split === "eval-rollout" ? "eval" : "train"),
    metrics: NONE,
    configs: /(^|\/)config\.ya?ml$/,
  },
  {
    // rLLM: evaluation and training runs.
    framework: "rllm",
    rollouts: /(^|\/)episodes\/(?:(?<split>train|val)_step_(?<step>\d+)_epoch_\d+\/)?episode_[^/]+\.json$/,
    splitOf: asWritten,
    metrics: NONE,
    configs: /(^|\/)meta\.json$/,
  },
  {
    // A job of Harbor 0.26: trials with their agents' trajectories.
    framework: "harbor",
    rollouts: /(^|\/)agent\/trajectory(\.cont-\d+)?\.json$/,
    needs: /(^|\/)result\.json$/,
    splitOf: () => null,
    metrics: NONE,
    configs: /(^|\/)(config|lock)\.json$/,
  },
  {
    // Inspect 0.3.285: logs are named by their time.
    framework: "inspect",
    rollouts: /(^|\/)\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[^/]*\.(eval|json)$|\.eval$/,
    not: /\.truth\.json$/,
    splitOf: always("eval"),
    metrics: NONE,
    configs: /(^|\/)eval-set\.json$/,
  },
  {
    // verifiers 0.4 (v1): a folder for each evaluation.
    framework: "verifiers",
    rollouts: /(^|\/)traces\.jsonl$/,
    splitOf: always("eval"),
    metrics: NONE,
    configs: /(^|\/)configs\/(.*\/)?[^/]+\.(json|toml)$/,
  },
  {
    // verifiers 0.3 and before.
    framework: "verifiers",
    rollouts: /(^|\/)results\.jsonl$/,
    accepts: (path, all) => all.has(path.replace(/results\.jsonl$/, "metadata.json")),
    splitOf: always("eval"),
    metrics: NONE,
    configs: /(^|\/)metadata\.json$/,
  },
  {
    // NeMo Gym: sidecars name the rollouts they belong to.
    framework: "nemo-gym",
    rollouts: /\.jsonl$/,
    not: /_(failures|materialized_inputs)\.jsonl$/,
    accepts: (path, all) => {
      const stem = path.replace(/\.jsonl$/, "");
      return ["_materialized_inputs.jsonl", "_aggregate_metrics.json", "_failures.jsonl"].some((end) =>
        all.has(stem + end),
      );
    },
    splitOf: () => null,
    metrics: NONE,
    configs: /(^|\/)config\.ya?ml$/,
  },
  {
    framework: "eval-protocol",
    rollouts: /(^|\/)(\.|dot_)?eval_protocol\/(logs\.db|datasets\/[\d-]+\.jsonl)$/,
    splitOf: always("eval"),
    metrics: NONE,
    configs: NONE,
  },
  {
    framework: "mini-swe-agent",
    rollouts: /\.traj\.json$/,
    splitOf: () => null,
    metrics: NONE,
    configs: /(^|\/)[^/]*config\.ya?ml$/,
  },
  {
    framework: "swe-agent",
    rollouts: /\.traj$/,
    splitOf: () => null,
    metrics: NONE,
    configs: /(^|\/)[^/]*config\.ya?ml$/,
  },
  {
    // verl 0.9: files named by the step alone; the other lines are the FileLogger's.
    framework: "verl",
    rollouts: /(^|\/)(?<step>\d+)\.jsonl$/,
    splitOf: (_split, path) => (/(^|\/)[^/]*val[^/]*\//i.test(path) ? "val" : "train"),
    metrics: /\.jsonl$/,
    configs: /(^|\/)\.hydra\/[^/]+\.ya?ml$|(^|\/)config\.ya?ml$/,
  },
];

/** `log_history` of a later state holds that of the earlier ones. */
function newestState(paths: readonly string[]): readonly string[] {
  const folder = (path: string): string => path.replace(/(checkpoint-\d+\/)?trainer_state\.json$/, "");
  const order = (path: string): number =>
    Number(/checkpoint-(\d+)\/trainer_state\.json$/.exec(path)?.[1] ?? Number.MAX_SAFE_INTEGER);
  return paths.filter((path) =>
    paths.every((other) => folder(other) !== folder(path) || order(other) <= order(path)),
  );
}
