import type { Recipe } from "../recipe";
import { custom } from "./custom";
import { trl } from "./trl/trl";
import { unslothColab } from "./unsloth/notebook";
import { unsloth } from "./unsloth/unsloth";

/** In the order in which the picker shows them. */
export const RECIPES: readonly Recipe[] = [trl, unsloth, unslothColab, custom];

export function recipeOf(id: string): Recipe | null {
  return RECIPES.find((recipe) => recipe.id === id) ?? null;
}
