import { START, type FileLimits, type FileProblem } from "../../src/formats/trajectories/container";
import { openTrajectories } from "../../src/formats/trajectories/open";
import { openFileAccess } from "../../src/runtime/fileAccess";
import type { Trajectory } from "../../src/schema/trajectory";

export interface ReadAll {
  readonly form: string;
  readonly trajectories: readonly (Trajectory & { readonly line: number })[];
  readonly problems: readonly FileProblem[];
}

/** Everything in a file of trajectories, through the same calls as the product's. */
export async function readAll(path: string, limits?: FileLimits): Promise<ReadAll> {
  const access = await openFileAccess(path);
  try {
    const file = await openTrajectories(access, limits);
    const trajectories: (Trajectory & { line: number })[] = [];
    const problems: FileProblem[] = [];
    let index = 0;
    for await (const batch of file.records.scan({ from: START, last: true })) {
      problems.push(...batch.problems);
      for (const record of batch.records)
        trajectories.push(
          ...file
            .read(record, index++, (message, code = "odd-record") =>
              problems.push({ line: record.line, code, message }),
            )
            .map((trajectory) => ({ ...trajectory, line: record.line })),
        );
    }
    file.records.close();
    return { form: file.form.id, trajectories, problems };
  } finally {
    await access.close();
  }
}

/** Messages of all branches. */
export function messageCount(trajectory: Trajectory): number {
  return trajectory.branches.reduce((n, branch) => n + branch.messages.length, 0);
}

export function callCount(trajectory: Trajectory): number {
  return trajectory.branches.reduce(
    (n, branch) => n + branch.messages.reduce((m, message) => m + message.calls.length, 0),
    0,
  );
}
