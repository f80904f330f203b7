import { FILE_LIMITS, type FileAccess, type FileLimits } from "./container";
import type { TrajectoryForm } from "./form";
import { CONTAINERS, isGuess, recogniseForm } from "./registry";

const SNIFFED_BYTES = 65_536;

/** The form of a file by its start, without its trajectories; null where none is known. */
export async function recogniseFile(
  file: FileAccess,
  limits: FileLimits = FILE_LIMITS,
): Promise<TrajectoryForm | null> {
  const first = await file.read(0, Math.min(SNIFFED_BYTES, file.bytes));
  let guess: TrajectoryForm | null = null;
  for (const { load } of CONTAINERS) {
    const container = await load();
    if (!container.sniff(first, file.name)) continue;
    const form = recogniseForm(await container.head(file, limits));
    if (form && !isGuess(form)) return form;
    guess ??= form;
  }
  return guess;
}
