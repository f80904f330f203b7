import { RewardsmithError } from "../../base/errors";
import type { FileStore, Hasher } from "../../core/ports";
import { modelFile, type Overrides } from "../../core/contracts/registry";
import type { Recipe, RecipeInput, RecipeProblem } from "../../core/runs/recipe";
import { ContractId } from "../../schema/reward";
import type { RunRecord, RunSettings, SettingName } from "../../schema/run";
import type { Documents } from "../documents";
import type { ResolvedSuite } from "../project";
import { relativePath } from "./relative";
import { rewardSnapshot } from "./rewardSnapshot";
import type { NewRun } from "./runService";

/** What a launch is made of, in the user's choices. */
export interface LaunchAsk {
  readonly name: string;
  readonly recipe: Recipe;
  readonly backend: RunRecord["backend"];
  /** Absolute path of the project's folder; the runs lie in its `.rewardsmith/runs`. */
  readonly project: string;
  readonly suite: ResolvedSuite | null;
  readonly settings: RunSettings;
  readonly smoke: boolean;
  /** Interpreter of the training environment, as the user gave it; its links aren't followed. */
  readonly python: string;
  /** For `custom`. */
  readonly command: readonly string[] | null;
  readonly secrets: Readonly<Record<string, string>>;
  readonly override: string | null;
}

export interface LaunchPorts {
  /** The editor's texts over the disk: the reward that runs is the one that is seen. */
  readonly documents: Documents;
  readonly files: FileStore;
  readonly hasher: Hasher;
  /** Installed version of a package in a training environment; null: not there, or it can't be asked. */
  version(python: string, module: string): Promise<string | null>;
}

export interface LaunchPlan {
  readonly run: NewRun;
  /** An error among them stops the launch. */
  readonly problems: readonly RecipeProblem[];
  /** Settings that this framework has no way to follow. */
  readonly unsupported: readonly SettingName[];
}

/** Texts of data larger than this stay where they are: only recipes whose job runs elsewhere take them along. */
const MOST_TEXT = 2 * 1024 * 1024;

/**
 * Everything of a run before anything is written or started. Rejects with `BadArguments` where the suite's rewards can't
 * be told or lie in several files, `FileMissing` where the reward is gone.
 */
export async function planLaunch(ask: LaunchAsk, ports: LaunchPorts): Promise<LaunchPlan> {
  const { recipe, suite } = ask;
  const reward = suite === null ? null : await rewardOf(suite, ask.project, ports);
  const version = recipe.framework === null ? null : await ports.version(ask.python, recipe.framework.module);
  const samples = (suite?.samples ?? []).map((path) => relativePath(ask.project, path));
  const input: RecipeInput = {
    settings: ask.settings,
    smoke: ask.smoke,
    version,
    reward: reward && { file: reward.snapshot.file, functions: reward.functions },
    columns: suite?.mapping.columns ?? {},
    python: ask.python,
    backend: ask.backend.type,
    command: ask.command,
    secrets: Object.keys(ask.secrets),
    checkpoint: null,
    samples,
    ...(reward && { needs: reward.needs }),
  };
  const texts = [
    ...(reward?.snapshot.files ?? []).map(({ path, text }) => ({ path: `reward/${path}`, text })),
    ...(await dataTexts(ask, samples, ports.files)),
  ];
  const { problems, unsupported, ...output } = recipe.prepare({ ...input, texts });
  return {
    run: {
      name: ask.name,
      backend: ask.backend,
      recipe: { id: recipe.id, check: recipe.check, framework: recipe.framework?.name ?? null, version },
      smoke: ask.smoke,
      settings: ask.settings,
      output,
      reward: reward && {
        file: relativePath(ask.project, reward.path),
        functions: reward.functions,
        hash: reward.snapshot.hash,
      },
      rewardFiles: reward?.snapshot.files ?? [],
      suite: suite?.name ?? null,
      samples,
      resumes: null,
      override: ask.override,
      secrets: ask.secrets,
      input,
    },
    problems,
    unsupported,
  };
}

async function rewardOf(suite: ResolvedSuite, project: string, { documents, files, hasher }: LaunchPorts) {
  const [path, ...others] = new Set(suite.rewards.map((one) => one.path));
  if (path === undefined) return null;
  if (others.length > 0)
    throw new RewardsmithError(
      "BadArguments",
      `The suite ${suite.name} has rewards in several files (${[path, ...others].map((file) => relativePath(project, file)).join(", ")}). A run takes one: import the others' functions there.`,
    );
  const snapshot = await rewardSnapshot(path, documents, files, hasher);
  const text = snapshot.files.find((file) => file.path === snapshot.file)?.text ?? "";
  const chosen: Overrides = new Map(
    suite.rewards.map((one) => [
      one.function,
      { contract: ContractId.safeParse(one.contract).data ?? "auto", by: "project" },
    ]),
  );
  const model = modelFile(path, -1, text, chosen);
  // No function named: all of the file's.
  const named = suite.rewards.flatMap((one) =>
    one.function === ""
      ? model.functions.map(({ name }) => ({ name, weight: one.weight }))
      : [{ name: one.function, weight: one.weight }],
  );
  const functions = named.map(({ name, weight }) => {
    const found = model.functions.find((fn) => fn.name === name);
    if (!found)
      throw new RewardsmithError(
        "NoFunction",
        `${relativePath(project, path)} has no function ${name}, which the suite ${suite.name} names.`,
        { path, name },
      );
    return { name, contract: found.contract, weight, columns: found.columns };
  });
  return {
    path,
    snapshot,
    functions: functions.map(({ name, contract, weight }) => ({ name, contract, weight })),
    needs: [...new Set(functions.flatMap(({ columns }) => columns.map(({ name }) => name)))],
  };
}

async function dataTexts(
  { project, settings }: LaunchAsk,
  samples: readonly string[],
  files: FileStore,
): Promise<{ path: string; text: string }[]> {
  const named = settings.dataset === undefined ? samples : [settings.dataset];
  const texts: { path: string; text: string }[] = [];
  for (const path of named) {
    const full = `${project}/${path}`;
    const found = await files.stat(full).catch(() => null);
    if (!found || found.directory || found.bytes > MOST_TEXT || /\.parquet$/i.test(path)) continue;
    texts.push({ path, text: new TextDecoder().decode(await files.read(full)) });
  }
  return texts;
}
