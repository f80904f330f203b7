import { runOf } from "../../core/trajectories/runs";
import type { ListedFile, TrajectoryFiles } from "./ports";
import { SourceFile, naturalOrder } from "./sourceFile";

/** Files of a folder that are looked at. */
export const MOST_FILES = 20_000;

export interface FoundFile extends ListedFile {
  readonly step: number | null;
  readonly split: string | null;
}

/** Framework whose run the files of a folder are; null: none's. */
export function frameworkOf(files: readonly ListedFile[]): string | null {
  return runOf(files.map(({ name: path, bytes }) => ({ path, bytes }))).framework;
}

/** Of a run its rollouts in order of their steps; of a plain folder all, in order of the numbers in their names. */
export function chosenFiles(files: readonly ListedFile[], framework: string | null): FoundFile[] {
  if (framework === null)
    return files
      .toSorted((a, b) => naturalOrder(a.name, b.name))
      .map((file) => ({ ...file, step: null, split: null }));
  const byName = new Map(files.map((file) => [file.name, file]));
  return runOf(files.map(({ name: path, bytes }) => ({ path, bytes }))).rolloutFiles.flatMap(
    ({ path, step, split }) => {
      const file = byName.get(path);
      return file ? [{ ...file, step, split }] : [];
    },
  );
}

/** `at`: its position in the source's list. */
export function sourceFile(
  files: TrajectoryFiles,
  folder: string,
  { name, bytes, mtimeMs, inode, step, split }: FoundFile,
  at: number,
): SourceFile {
  const file = new SourceFile(files.join(folder, name), name, at, bytes, mtimeMs);
  file.inode = inode;
  file.step = step;
  file.split = split;
  return file;
}
