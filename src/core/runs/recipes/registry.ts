import type { Recipe } from "../recipe";
import { art } from "./art/art";
import { custom } from "./custom";
import { nemoGym } from "./nemo/nemoGym";
import { nemoRl } from "./nemo/nemoRl";
import { primeRl } from "./prime/primeRl";
import { trl } from "./trl/trl";
import { unslothColab } from "./unsloth/notebook";
import { unsloth } from "./unsloth/unsloth";
import { verl } from "./verl/verl";

/** In the order in which the picker shows them. */
export const RECIPES: readonly Recipe[] = [
  trl,
  unsloth,
  unslothColab,
  verl,
  primeRl,
  nemoRl,
  nemoGym,
  art,
  custom,
];

export function recipeOf(id: string): Recipe | null {
  return RECIPES.find((recipe) => recipe.id === id) ?? null;
}
