import { basename, dirname } from "node:path";
import { START, type FileProblem } from "../../src/formats/trajectories/container";
import { openTrajectories } from "../../src/formats/trajectories/open";
import type { Trajectory } from "../../src/schema/trajectory";
import { memoryFile } from "./memoryFile";

export interface ReadMemory {
  readonly form: string;
  readonly trajectories: readonly { readonly line: number; readonly trajectory: Trajectory }[];
  readonly problems: readonly FileProblem[];
}

/** Everything in a file that never was on disk, through the same calls as the product's. */
export async function readMemory(
  path: string,
  content: string | Uint8Array,
  beside: Readonly<Record<string, Uint8Array>> = {},
): Promise<ReadMemory> {
  const folders = dirname(path).split("/").slice(-4);
  const opened = await openTrajectories({ ...memoryFile(basename(path), content, beside), folders });
  const { form, records } = opened;
  const trajectories: ReadMemory["trajectories"][number][] = [];
  const problems: FileProblem[] = [];
  let index = 0;
  for await (const batch of records.scan({ from: START, last: true })) {
    problems.push(...batch.problems);
    for (const record of batch.records) {
      const { line } = record;
      const found = opened.read(record, index++, (message, code = "odd-record") =>
        problems.push({ line, code, message }),
      );
      for (const trajectory of found) trajectories.push({ line, trajectory });
    }
  }
  return { form: form.id, trajectories, problems };
}
