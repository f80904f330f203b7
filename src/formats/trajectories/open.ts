import { RewardsmithError } from "../../base/errors";
import type { Message, Trajectory, TrajectoryProblemCode } from "../../schema/trajectory";
import {
  FILE_LIMITS,
  START,
  type Container,
  type FileAccess,
  type FileLimits,
  type FoundRecord,
  type RecordFile,
} from "./container";
import { startsWith } from "./containers/bytes";
import { withMovedFloats } from "./floats";
import type { FormHead, RecordContext, TrajectoryForm } from "./form";
import { parseValue } from "./jsonValue";
import { LineForms } from "./lineForms";
import { refuse, unknownFile } from "./refusal";
import { CONTAINERS, isGuess, recogniseForm } from "./registry";

const SNIFFED_BYTES = 65_536;
const BESIDE_BYTES = 20_000_000;

/** Hears what is odd about a record; without a code it is an odd record. */
export type OnOddRecord = (message: string, code?: TrajectoryProblemCode) => void;

export interface TrajectoryFile {
  readonly form: TrajectoryForm;
  readonly records: RecordFile;
  /** The trajectories of a record; nothing of it is left out or empty without `problem` hearing why. */
  read(record: FoundRecord, index: number, problem: OnOddRecord): readonly Trajectory[];
}

/**
 * Opens a file of trajectories; what is compressed with gzip or Zstandard is unpacked in memory. Rejects with
 * FormatUnknown where no form knows it, saying what it seems to be, and with TooLarge where one value of it is.
 */
export async function openTrajectories(
  given: FileAccess,
  limits: FileLimits = FILE_LIMITS,
  signal?: AbortSignal,
): Promise<TrajectoryFile> {
  const raw = await given.read(0, Math.min(SNIFFED_BYTES, given.bytes));
  refuse(given, raw);
  const whole = await unpacked(given, raw, limits, signal);
  const file = given.floatsMoved === true ? await withMovedFloats(whole) : whole;
  const first = file === given ? raw : await file.read(0, Math.min(SNIFFED_BYTES, file.bytes));
  if (file !== given) refuse(file, first);
  const heads: FormHead[] = [];
  const failures: RewardsmithError[] = [];
  const found: {
    readonly container: Container;
    readonly head: FormHead;
    readonly form: TrajectoryForm;
  }[] = [];
  for (const { load } of CONTAINERS) {
    const container = await load();
    if (!container.sniff(first, file.name)) continue;
    const head = await headOf(container, file, limits, signal, failures);
    if (!head) continue;
    heads.push(head);
    const form = recogniseForm(head);
    if (form) found.push({ container, head, form });
    if (form && !isGuess(form)) break;
  }
  // A guess of columns stands back behind a form that knows the file in another container.
  const chosen = found.find(({ form }) => !isGuess(form)) ?? found[0];
  if (chosen) {
    const { container, head, form } = chosen;
    const records = await container.open(file, form, limits);
    const beside = await readBeside(file, form);
    const learnt = await learn(form, file, records, beside, signal);
    // Of a file that is read whole its container tells the lines apart.
    const lines = head.container === "lines" && form.whole !== true ? new LineForms(form, head) : null;
    return {
      form,
      records,
      read: (record, index, problem) =>
        readRecord(form, lines, { file, records, beside, learnt, record, index, problem }),
    };
  }
  throw unknownFile(file, first, heads, failures);
}

/** Null where the file is no such container after all: the next one may know it. */
async function headOf(
  container: Container,
  file: FileAccess,
  limits: FileLimits,
  signal: AbortSignal | undefined,
  failures: RewardsmithError[],
): Promise<FormHead | null> {
  try {
    return await container.head(file, limits, signal);
  } catch (error) {
    if (!(error instanceof RewardsmithError) || !["FormatUnknown", "TooLarge"].includes(error.code))
      throw error;
    failures.push(error);
    return null;
  }
}

async function unpacked(
  file: FileAccess,
  first: Uint8Array,
  limits: FileLimits,
  signal: AbortSignal | undefined,
): Promise<FileAccess> {
  const method = startsWith(first, [0x1f, 0x8b])
    ? "gzip"
    : startsWith(first, [0x28, 0xb5, 0x2f, 0xfd])
      ? "zstd"
      : null;
  if (method === null) return file;
  const { unpackFile } = await import("./containers/unpackFile");
  return unpackFile(file, method, limits, signal);
}

interface Reading {
  readonly file: FileAccess;
  readonly records: RecordFile;
  readonly beside: RecordContext["beside"];
  readonly learnt: unknown;
  readonly record: FoundRecord;
  readonly index: number;
  readonly problem: OnOddRecord;
}

function readRecord(own: TrajectoryForm, lines: LineForms | null, reading: Reading): readonly Trajectory[] {
  const { record, problem } = reading;
  const known = lines === null ? own : lines.of(record.value);
  if (known === null || known === own) return readOwn(own, known !== null, reading);
  if (known.whole === true) {
    problem(
      `The record is one of ${known.title}, which are told by all their lines together: it isn't read in a file of ${own.title}.`,
      "other-form",
    );
    return [];
  }
  const found = readAs(known, reading, problem);
  sayEmpty(known, found, problem);
  return found.map((one) => ({ ...one, form: known.id }));
}

/** What no form recognises the file's own may still make something of: then it is shown, and said to be unlike. */
function readOwn(own: TrajectoryForm, recognised: boolean, reading: Reading): readonly Trajectory[] {
  const { problem } = reading;
  const said: string[] = [];
  const found = readAs(own, reading, (message) => said.push(message));
  if (!recognised && found.every(saysNothing)) {
    problem(`The record is of no known form: ${own.title} is what the file holds otherwise.`, "unknown-form");
    return [];
  }
  if (!recognised)
    problem(
      `The record isn't one that ${own.title} is known to write; it is shown as far as it is read.`,
      "unknown-form",
    );
  for (const message of said) problem(message);
  if (said.length === 0) sayEmpty(own, found, problem);
  return found;
}

function readAs(
  form: TrajectoryForm,
  { file, records, beside, learnt, record, index }: Reading,
  problem: (message: string) => void,
): readonly Trajectory[] {
  const context: RecordContext = {
    name: file.name,
    folders: file.folders,
    line: record.line,
    index,
    shared: records.shared,
    beside,
    learnt,
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

function sayEmpty(form: TrajectoryForm, found: readonly Trajectory[], problem: OnOddRecord): void {
  if (found.some(isEmpty)) problem(`The record has no conversation where ${form.title} has one.`);
}

/** Neither a message with anything in it, nor an error that says why. */
function isEmpty(one: Trajectory): boolean {
  return one.errors.length === 0 && saysNothing(one);
}

function saysNothing({ branches }: Trajectory): boolean {
  return branches.every(({ messages }) => !messages.some(hasContent));
}

function hasContent({ parts, calls, reasoning, error, tokens, extra }: Message): boolean {
  return (
    parts.length > 0 ||
    calls.length > 0 ||
    tokens !== null ||
    (reasoning ?? error ?? "") !== "" ||
    Object.keys(extra).length > 0
  );
}

/** Records from the start of the file that a form may learn from. */
const LEARNT = 20_000;

async function learn(
  form: TrajectoryForm,
  file: FileAccess,
  records: RecordFile,
  beside: RecordContext["beside"],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (!form.learn) return null;
  const values: unknown[] = [];
  for await (const batch of records.scan({ from: START, last: true, ...(signal ? { signal } : {}) })) {
    values.push(...batch.records.map((record) => record.value));
    if (values.length >= LEARNT) break;
  }
  const { name, folders } = file;
  return form.learn(values.slice(0, LEARNT), { name, folders, shared: records.shared, beside });
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
