import * as z from "zod";
import type { RecipeInput } from "../../core/runs/recipe";
import { BackendType, RunSettings } from "../../schema/run";

/**
 * `recipe.json` of a run's folder: what its recipe was given, so that it can be asked again with a checkpoint. Texts of
 * data aren't kept: they lie in the project.
 */
export const RecipeFile = z.object({
  settings: RunSettings,
  smoke: z.boolean(),
  version: z.string().nullable(),
  reward: z
    .object({
      file: z.string(),
      functions: z.array(z.object({ name: z.string(), contract: z.string(), weight: z.number() })),
    })
    .nullable(),
  columns: z.record(z.string(), z.string()),
  python: z.string(),
  backend: BackendType,
  command: z.array(z.string()).nullable(),
  secrets: z.array(z.string()),
  project: z.string().optional(),
  samples: z.array(z.string()).optional(),
  needs: z.array(z.string()).optional(),
});
export type RecipeFile = z.infer<typeof RecipeFile>;

export function recipeFileOf(input: RecipeInput): RecipeFile {
  // Parsed, so that a checkpoint, texts and what a later version adds stay out.
  return RecipeFile.parse(input);
}

/** As a recipe takes it. */
export function recipeInput(file: RecipeFile, checkpoint: string): RecipeInput {
  const { project, samples, needs, ...rest } = file;
  return {
    ...rest,
    checkpoint,
    ...(project !== undefined && { project }),
    ...(samples !== undefined && { samples }),
    ...(needs !== undefined && { needs }),
  };
}
