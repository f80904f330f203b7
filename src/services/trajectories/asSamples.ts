import { RewardsmithError } from "../../base/errors";
import type { FileStore } from "../../core/ports";
import { hash64 } from "../../core/trajectories/hash";
import { sampleRow, type JsonRow } from "../../core/trajectories/rows";
import { placeName } from "../../core/trajectories/summary";
import { promptOf } from "../../core/trajectories/titles";
import { ProblemList, type ReadResult, type Row } from "../../formats/reader";
import {
  START,
  type FileAccess,
  type FileProblem,
  type FoundRecord,
} from "../../formats/trajectories/container";
import { noteFloats } from "../../formats/trajectories/floats";
import { openTrajectories, type TrajectoryFile } from "../../formats/trajectories/open";
import { ProblemCode, type SampleMapping } from "../../schema/sample";
import type { Trajectory } from "../../schema/trajectory";
import { baseName, dirName, resolvePath } from "../paths";
import { GroupIndex } from "./groupIndex";

/** The parts of rows that were made from trajectories. */
export const TRAJECTORY_PARTS = {
  prompt: "prompt",
  completion: "completion",
  id: "id",
  group: { by: "column", column: "group" },
} satisfies Partial<SampleMapping>;

const FOLDERS = 4;

/** Bytes at hand as the readers of trajectories take a file. */
export function bytesAccess(
  bytes: Uint8Array,
  name: string,
  folders: readonly string[],
  beside: FileAccess["beside"],
): FileAccess {
  return {
    name,
    folders,
    bytes: bytes.length,
    read: (from, length) => Promise.resolve(bytes.subarray(from, from + Math.max(0, length))),
    beside,
  };
}

function accessOf(bytes: Uint8Array, path: string, files: FileStore): FileAccess {
  const folder = dirName(path);
  return bytesAccess(
    bytes,
    baseName(path),
    folder.split(/[\\/]/).filter(Boolean).slice(-FOLDERS),
    async (relative, atMost) => {
      const other = resolvePath(folder, relative);
      const found = await files.stat(other);
      if (!found || found.directory || found.bytes > atMost) return null;
      return files.read(other).catch(() => null);
    },
  );
}

export interface AsSamplesOptions {
  /** Position of the file in its set: prompts of two files are never one group. */
  readonly at: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A file of trajectories as rows of samples, one a trajectory and in order, so that row and index agree while none is
 * left out. A trajectory in which the model never spoke has no completion. Null where the file holds no trajectories.
 *
 * Places where the file has floats are floats in Python too, in every row, as in a column of a dataset
 * (`formats/trajectories/floats.ts`); `reward_in_file` always is one.
 */
export async function readAsSamples(
  bytes: Uint8Array,
  path: string,
  files: FileStore,
  { at, signal }: AsSamplesOptions,
): Promise<ReadResult | null> {
  const access = accessOf(bytes, path, files);
  const file = await openKnown(access, signal);
  if (!file) return null;
  try {
    const moved = await openKnown({ ...access, floatsMoved: true }, signal);
    try {
      return await rowsOf(file, moved, { name: baseName(path), at, signal });
    } finally {
      moved?.records.close();
    }
  } finally {
    file.records.close();
  }
}

async function openKnown(
  access: FileAccess,
  signal: AbortSignal | undefined,
): Promise<TrajectoryFile | null> {
  try {
    return await openTrajectories(access, undefined, signal);
  } catch (error) {
    if (error instanceof RewardsmithError && error.code === "FormatUnknown") return null;
    throw error;
  }
}

/** One record after the other. */
async function* recordsOf(
  { records }: TrajectoryFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundRecord, undefined, undefined> {
  for await (const batch of records.scan({ from: START, last: true, ...(signal && { signal }) }))
    yield* batch.records;
}

/** `moved`: the same file with its whole floats moved. */
async function rowsOf(
  file: TrajectoryFile,
  moved: TrajectoryFile | null,
  { name, at, signal }: { readonly name: string } & Required<AsSamplesOptions>,
): Promise<ReadResult> {
  const { form, records } = file;
  const floats = new Set(["reward_in_file"]);
  const twins = moved && recordsOf(moved, signal);
  const problems = new ProblemList();
  const rows: Row[] = [];
  const lines: number[] = [];
  const groups = new GroupIndex();
  let index = 0;
  for await (const batch of records.scan({ from: START, last: true, ...(signal && { signal }) })) {
    signal?.throwIfAborted();
    for (const problem of batch.problems) note(problems, problem);
    for (const record of batch.records) {
      const { line } = record;
      const found = file.read(record, index, (message, code = "odd-record") =>
        note(problems, { line, code, message }),
      );
      const twin = (await twins?.next())?.value;
      const others = twin && moved ? moved.read(twin, index, () => undefined) : [];
      index++;
      found.forEach((trajectory, nth) => {
        const id = trajectory.id ?? placeName({ name, line, nth });
        const group = groupName(groups, rows.length, trajectory, form.grouping, at) ?? id;
        const row = sampleRow(trajectory, form.id, id, group);
        const other = others[nth];
        if (other) noteRowFloats(row, sampleRow(other, form.id, id, group), floats);
        const { completion } = row;
        rows.push(Array.isArray(completion) && completion.length === 0 ? { ...row, completion: null } : row);
        lines.push(line);
      });
    }
  }
  if (rows.length === 0 && problems.count === 0) problems.add(1, "empty", "The file holds no trajectories.");
  return { reader: "trajectories", rows, lines, problems, floats };
}

function noteRowFloats(row: JsonRow, moved: JsonRow, floats: Set<string>): void {
  for (const [column, value] of Object.entries(row)) noteFloats(value, moved[column], column, floats);
}

/** As the viewer calls it (`12/val/p3`); null: it is alone. */
function groupName(
  groups: GroupIndex,
  row: number,
  trajectory: Trajectory,
  grouping: "given" | "prompt" | "runs",
  file: number,
): string | null {
  const given = trajectory.group !== null;
  groups.add(row, {
    ...hash64(trajectory.group ?? promptOf(trajectory)),
    given,
    step: trajectory.step ?? Number.NaN,
    split: trajectory.split,
    file,
    grouping,
  });
  const name = groups.name(groups.groupOf.get(row));
  switch (name.kind) {
    case "alone":
      return null;
    case "given":
      return `${groups.scopeText(name.scope)}${trajectory.group ?? ""}`;
    case "prompt":
      return `${file > 0 ? `f${file + 1}/` : ""}${groups.scopeText(name.scope)}p${name.ordinal}`;
  }
}

function note(problems: ProblemList, { line, code, message }: FileProblem): void {
  const known = ProblemCode.safeParse(code);
  problems.add(line, known.success ? known.data : "odd-record", message);
}
