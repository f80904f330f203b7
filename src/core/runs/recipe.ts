import type {
  RecipeCheck,
  ResolvedKey,
  RunCommand,
  RunSettings,
  SettingName,
  TelemetrySource,
} from "../../schema/run";
import type { BackendType } from "../../schema/run";

/** What a recipe is given: all of it plain data, so that a recipe is a pure function and its files can be compared in tests. */
export interface RecipeInput {
  readonly settings: RunSettings;
  /** A try of two steps with the smallest sensible sizes. */
  readonly smoke: boolean;
  /** Version of the framework in the training environment; null: not installed there, or not known. */
  readonly version: string | null;
  readonly reward: {
    /** File below the run's `reward/` folder. */
    readonly file: string;
    readonly functions: readonly {
      readonly name: string;
      readonly contract: string;
      readonly weight: number;
    }[];
  } | null;
  /** Parameters of the reward → columns of the data set, where they differ. */
  readonly columns: Readonly<Record<string, string>>;
  /** Interpreter of the training environment, as the user gave it. */
  readonly python: string;
  readonly backend: BackendType;
  /** For `custom`: the command in the user's words, an argument an item. */
  readonly command: readonly string[] | null;
  /** Variables of the job that carry secrets (their names). */
  readonly secrets: readonly string[];
  /** Checkpoint to go on from, an absolute path; null: from the start. */
  readonly checkpoint: string | null;
  /** Where paths of the settings start, relative to the run's folder; left out: `../../..`. */
  readonly project?: string;
  /** The suite's sample files, relative to the project: where prompts come from when `dataset` isn't set. */
  readonly samples?: readonly string[];
  /** Columns that the reward asks for, by its own names; left out: every column of the data goes along. */
  readonly needs?: readonly string[];
  /**
   * Texts of the reward's snapshot (`reward/…`) and of the prompts (as `dataset` or `samples` name them), for a recipe
   * whose job runs where these files aren't; left out: they have to be taken there by hand.
   */
  readonly texts?: readonly { readonly path: string; readonly text: string }[];
}

export interface RecipeOutput {
  /** Below the run's `job/` folder; readable, and runnable by hand from there. `README.md` says how. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Null: nothing is started, the files are what was asked for (a Colab notebook). */
  readonly command: RunCommand | null;
  /** Every key of the framework's own configuration that the files set, beside its default. */
  readonly resolved: readonly ResolvedKey[];
  readonly telemetry: readonly TelemetrySource[];
  /** Folder or file below the run's folder that the trajectory viewer reads. */
  readonly rollouts: string | null;
  /** Below the run's folder, `*` for the step's number: `out/checkpoint-*`. */
  readonly checkpoints: string | null;
  /** Asked for and not had by this framework: said before the launch, never dropped in silence. */
  readonly unsupported: readonly SettingName[];
  /** What would stop this configuration at its start, with the key; the launch is refused while there is one. */
  readonly problems: readonly RecipeProblem[];
}

export interface RecipeProblem {
  readonly code: "needs" | "not-divisible" | "out-of-range" | "conflict" | "contract" | "version";
  readonly key: string;
  /** A sentence: what is wrong and what would mend it. */
  readonly text: string;
  readonly severity: "error" | "warning";
}

/** One framework's way to launch. Adding one is one file here, a line in the registry, a test. */
export interface Recipe {
  readonly id: string;
  readonly title: string;
  /** Package whose installed version counts; null for `custom`. */
  readonly framework: { readonly name: string; readonly module: string } | null;
  readonly check: RecipeCheck;
  /** Versions that `defaults` and keys were read from, e.g. "1.13–1.16"; outside them the picker says so. */
  readonly versions: string | null;
  readonly backends: readonly BackendType[];
  /** Contracts whose reward functions it can call as they are. */
  readonly contracts: readonly string[];
  prepare(input: RecipeInput): RecipeOutput;
}
