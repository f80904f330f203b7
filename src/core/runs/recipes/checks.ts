import { TRL_RESERVED } from "../../contracts/trl";
import { compareVersions, parseVersion } from "../../contracts/version";
import type { RecipeInput } from "../recipe";
import type { Keys } from "./keys";
import { dataOf } from "./shared/constants";

/** The version lies where the recipe's keys were read. */
export function checkVersion(
  keys: Keys,
  name: string,
  version: string | null,
  range: readonly [from: string, to: string],
): void {
  const known = `${range[0]} to ${range[1]}`;
  if (version === null) {
    const text = `${name} isn't installed in the training environment, or its version can't be read. This recipe knows ${known}.`;
    keys.warn("version", "version", text);
  } else if (!parseVersion(version)) {
    keys.warn("version", "version", `${name} says its version is ${version}. This recipe knows ${known}.`);
  } else if (compareVersions(version, range[0]) < 0) {
    const text = `${name} ${version} is older than what this recipe knows (${known}). Install a newer one: pip install -U ${name.toLowerCase()}`;
    keys.refuse("version", "version", text);
  } else if (compareVersions(version, range[1]) > 0) {
    const text = `${name} ${version} is newer than what this recipe was read from (${known}). A key may have changed; try two steps first.`;
    keys.warn("version", "version", text);
  }
}

/** What every recipe that trains a model on a reward file can't do without. */
export function checkNeeds(
  keys: Keys,
  input: RecipeInput,
  contracts: readonly string[],
  framework: string,
): void {
  const { settings, reward } = input;
  if (settings.model === undefined || settings.model.trim() === "")
    keys.refuse("needs", "model", "No model is chosen. Set `model` to a model's id or its folder.");
  if (dataOf(input).length === 0)
    keys.refuse(
      "needs",
      "dataset",
      "There are no prompts. Set `dataset` to a file or a data set's id, or give the suite samples.",
    );
  if (!reward || reward.functions.length === 0) {
    keys.refuse("needs", "reward", "There is no reward function. Choose a suite that names at least one.");
    return;
  }
  if (!/\.pyw?$/iu.test(reward.file))
    keys.refuse("contract", "reward", `${framework} imports a Python file; ${reward.file} isn't one.`);
  for (const { name, contract } of reward.functions) {
    if (!contracts.includes(contract)) keys.refuse("contract", "reward", mismatch(name, contract, framework));
    if (!/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name))
      keys.refuse("contract", "reward", `${JSON.stringify(name)} isn't the name of a Python function.`);
  }
}

/** What a reward of another contract would have to look like. */
function mismatch(name: string, contract: string, framework: string): string {
  if (contract === "plain") {
    return `\`${name}\` scores one completion and gives a number; ${framework} calls a reward with lists. Add one that goes over the list: \`def ${name}_batch(completions, **kwargs): return [${name}(c) for c in completions]\`.`;
  }
  return `\`${name}\` is written for ${contract === "trl" ? "TRL (lists in, a list out)" : contract}; ${framework} can't call it as it is.`;
}

/** Names that would meet in a call of `GRPOTrainer`, or in its table of completions. */
export function checkTrlNames(keys: Keys, input: RecipeInput): void {
  const asked = [...(input.needs ?? []), ...Object.keys(input.columns)];
  for (const name of new Set(asked)) {
    if (TRL_RESERVED.has(name) && name !== "completions" && name !== "prompts")
      keys.refuse(
        "conflict",
        "columns",
        `TRL itself passes \`${name}\` to a reward, so no column can be called that.`,
      );
  }
  const names = input.reward?.functions.map(({ name }) => name) ?? [];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    keys.refuse(
      "conflict",
      "reward",
      `Two rewards are called \`${twice}\`: TRL keeps one column and one metric for both.`,
    );
  for (const name of names) {
    if (["step", "prompt", "completion", "advantage"].includes(name))
      keys.warn(
        "conflict",
        "reward",
        `A reward called \`${name}\` overwrites the column of that name in TRL's completions. Give it another name.`,
      );
  }
}
