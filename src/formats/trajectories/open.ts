import { RewardsmithError } from "../../base/errors";
import type { Trajectory } from "../../schema/trajectory";
import {
  FILE_LIMITS,
  type FileAccess,
  type FileLimits,
  type FoundRecord,
  type RecordFile,
} from "./container";
import type { RecordContext, TrajectoryForm } from "./form";
import { parseValue } from "./jsonValue";
import { CONTAINERS, recogniseForm } from "./registry";

const SNIFFED_BYTES = 65_536;
const BESIDE_BYTES = 20_000_000;

export interface TrajectoryFile {
  readonly form: TrajectoryForm;
  readonly records: RecordFile;
  /** The trajectories of a record; `problem` hears what is odd about it. */
  read(record: FoundRecord, index: number, problem: (message: string) => void): readonly Trajectory[];
}

/** Opens a file of trajectories. Rejects with FormatUnknown where no form knows it, saying what it seems to be. */
export async function openTrajectories(
  file: FileAccess,
  limits: FileLimits = FILE_LIMITS,
): Promise<TrajectoryFile> {
  const first = await file.read(0, Math.min(SNIFFED_BYTES, file.bytes));
  for (const { load } of CONTAINERS) {
    const container = await load();
    if (!container.sniff(first, file.name)) continue;
    const head = await container.head(file, limits);
    const form = recogniseForm(head);
    if (!form) continue;
    const records = await container.open(file, form, limits);
    const beside = await readBeside(file, form);
    return {
      form,
      records,
      read: (record, index, problem) => readRecord(form, { file, records, beside, record, index, problem }),
    };
  }
  throw new RewardsmithError("FormatUnknown", `${file.name}: no known form of trajectories`, {
    path: file.name,
  });
}

interface Reading {
  readonly file: FileAccess;
  readonly records: RecordFile;
  readonly beside: RecordContext["beside"];
  readonly record: FoundRecord;
  readonly index: number;
  readonly problem: (message: string) => void;
}

function readRecord(form: TrajectoryForm, reading: Reading): readonly Trajectory[] {
  const { file, records, beside, record, index, problem } = reading;
  const context: RecordContext = {
    name: file.name,
    folders: file.folders,
    line: record.line,
    index,
    shared: records.shared,
    beside,
    problem,
  };
  try {
    return form.read(record.value, context);
  } catch (error) {
    // A form's own fault must not cost the rest of the file.
    problem(
      `The record isn't as ${form.title} writes it: ${error instanceof Error ? error.message : String(error)}.`,
    );
    return [];
  }
}

async function readBeside(file: FileAccess, form: TrajectoryForm): Promise<RecordContext["beside"]> {
  const found = new Map<string, unknown>();
  for (const relative of form.beside?.(file.name, file.folders) ?? []) {
    const bytes = await file.beside(relative, BESIDE_BYTES);
    if (!bytes) continue;
    const parsed = parseValue(new TextDecoder().decode(bytes));
    if (parsed.ok) found.set(relative, parsed.value);
  }
  return found;
}
