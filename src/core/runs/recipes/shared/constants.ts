import type { Json } from "../../../../schema/json";
import type { RecipeInput } from "../../recipe";
import { pyBlock, pyLiteral } from "../text/python";

/** Folder of the run → that of the project, where a recipe isn't told. */
export const PROJECT = "../../..";

/** Files of prompts relative to the project, or one data set's id: the setting, else the suite's samples. */
export function dataOf(input: RecipeInput): string[] {
  const { dataset } = input.settings;
  return dataset === undefined ? [...(input.samples ?? [])] : [dataset];
}

/** What the reward needs by its own names; null: all columns. */
export function needsOf(input: RecipeInput): string[] | null {
  return input.needs === undefined ? null : [...input.needs];
}

/** Assignments at the top of a script, each with what it means. */
export function assignments(
  list: readonly (readonly [name: string, value: Json, comment?: string])[],
): string {
  return list
    .map(([name, value, comment]) => {
      const note = comment === undefined ? "" : `# ${comment}\n`;
      return `${note}${name} = ${pyBlock(value)}\n`;
    })
    .join("");
}

/** `CONFIG = {…}` with each default that a value differs from beside it. */
export function configBlock(
  keys: readonly {
    readonly key: string;
    readonly value: Json;
    readonly default: Json;
    readonly differs: boolean;
  }[],
): string {
  const lines = keys.map(({ key, value, default: usual, differs }) => {
    const note = differs && usual !== null ? `  # default ${pyLiteral(usual)}` : "";
    return `    ${pyLiteral(key)}: ${pyLiteral(value)},${note}\n`;
  });
  return `CONFIG = {\n${lines.join("")}}\n`;
}
