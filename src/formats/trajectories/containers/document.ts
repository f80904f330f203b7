import { RewardsmithError } from "../../../base/errors";
import { isFields } from "../build";
import type { Container, FileAccess, FileLimits, FileProblem, RecordFile } from "../container";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { isTooDeep, parseInSteps, parseValue, type JsonOutcome } from "../jsonValue";
import { type Decoded, decodeSlowly, peekText, startsWith } from "./bytes";
import { ownLines } from "../lineForms";
import { listedRecords } from "./listed";
import { Pace } from "./pace";

const HEAD_RECORDS = 8;
/** Parsed at once. */
const SHORT_TEXT = 2_000_000;
const WIDE_MARKS = [
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
] as const;
/** A key, or the first key of a list's first item. */
const YAML_START = /^(?:---[^\n]*\n|#[^\n]*\n|\s)*(?:- )?["']?[\w$.-]+["']?:(?:\s|$)/;

interface Whole {
  readonly value: unknown;
  /** What is odd about its bytes. */
  readonly problems: readonly FileProblem[];
}

/** Recognition and reading look at the same file one after the other: it is parsed once. */
const parsed = new WeakMap<FileAccess, Promise<Whole>>();

/** One JSON or YAML value, read whole. */
export const documentContainer: Container = {
  id: "document",
  sniff: (first, name) => isJson(first, name) || isYaml(first),
  async head(file, limits, signal) {
    return {
      container: "document",
      name: file.name,
      folders: file.folders,
      records: [(await whole(file, limits, signal)).value],
      names: [],
      metadata: {},
    };
  },
  async open(file, form, limits) {
    const { value, problems } = await whole(file, limits);
    parsed.delete(file);
    return ofRecords(file, form, [{ value, line: 1 }], problems);
  },
};

/** A list of rows in one JSON or YAML value, for the forms that write them line by line. */
export const rowsContainer: Container = {
  id: "lines",
  sniff: (first, name) =>
    peekText(first).startsWith("[") ? isJson(first, name) : isYaml(first) && /^\s*- /m.test(peekText(first)),
  async head(file, limits, signal) {
    const { rows } = await rowsOf(file, limits, signal);
    return {
      container: "lines",
      name: file.name,
      folders: file.folders,
      records: rows.slice(0, HEAD_RECORDS),
      names: [],
      metadata: {},
    };
  },
  async open(file, form, limits) {
    const { rows, problems: odd } = await rowsOf(file, limits);
    parsed.delete(file);
    const placed = rows.map((value, i) => ({ value, line: i + 1 }));
    const problems = placed
      .filter(({ value }) => !isFields(value))
      .map(({ line }): FileProblem => ({
        line,
        code: "not-an-object",
        message: `Item ${line} of the list isn't an object.`,
      }));
    const items = placed.filter(({ value }) => isFields(value));
    if (form.whole !== true) return ofRecords(file, form, items, [...odd, ...problems]);
    const own = ownLines(form, file, items);
    return ofRecords(file, form, own.records, [...odd, ...problems, ...own.problems]);
  },
};

function ofRecords(
  file: FileAccess,
  form: TrajectoryForm,
  placed: readonly PlacedRecord[],
  problems: readonly FileProblem[],
): RecordFile {
  const split = form.split?.(placed) ?? { shared: null, records: placed };
  return listedRecords({
    container: "document",
    bytes: file.bytes,
    shared: split.shared,
    // It is here already: what `open` rejects with can't wait for the first scan.
    // eslint-disable-next-line @typescript-eslint/require-await, require-yield -- nothing is left to be read
    async *load() {
      return { ...split, problems };
    },
  });
}

async function rowsOf(
  file: FileAccess,
  limits: FileLimits,
  signal?: AbortSignal,
): Promise<{ readonly rows: readonly unknown[]; readonly problems: readonly FileProblem[] }> {
  const { value, problems } = await whole(file, limits, signal);
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  if (rows.some(isFields)) return { rows, problems };
  throw new RewardsmithError("FormatUnknown", `${file.name} holds no list of rows`, { path: file.name });
}

function isJson(first: Uint8Array, name: string): boolean {
  const text = peekText(first);
  if (text.startsWith("[")) return true;
  if (!text.startsWith("{")) return false;
  const [line = "", ...others] = text.split("\n");
  // Printed over several lines it is one value, or several: then it isn't read as one, and `lines` has its turn.
  if (/^\{\s*$/.test(line)) return true;
  if (/\.(jsonl|ndjson)$/i.test(name)) return false;
  return !others.some((other) => other.startsWith("{"));
}

function isYaml(first: Uint8Array): boolean {
  const text = peekText(first);
  return !startsWith(first, [0x7b]) && YAML_START.test(text) && !text.includes("\u0000");
}

function whole(file: FileAccess, limits: FileLimits, signal?: AbortSignal): Promise<Whole> {
  const before = parsed.get(file);
  if (before) return before;
  const now = read(file, limits, signal);
  parsed.set(file, now);
  now.catch(() => parsed.delete(file));
  return now;
}

async function read(file: FileAccess, limits: FileLimits, signal?: AbortSignal): Promise<Whole> {
  if (file.bytes > limits.valueBytes)
    throw new RewardsmithError(
      "TooLarge",
      `${file.name} is one value of ${file.bytes} bytes; up to ${limits.valueBytes} are read`,
      { path: file.name },
    );
  const pace = new Pace(signal);
  const bytes = await file.read(0, file.bytes);
  const decoded = await decodeAny(bytes, pace);
  const { text } = decoded;
  const problems = oddBytes(decoded);
  if (!/^\s*[[{]/.test(text)) return { value: await readYaml(text, file.name, pace), problems };
  if (isTooDeep(text, limits.depth))
    throw new RewardsmithError(
      "FormatUnknown",
      `${file.name} is nested deeper than ${limits.depth} levels, so it isn't read`,
      { path: file.name, problem: "too-deep" },
    );
  const outcome = text.length <= SHORT_TEXT ? parseValue(text) : await inSteps(text, pace);
  if (outcome.ok) return { value: outcome.value, problems };
  const line = text.slice(0, outcome.at).split("\n").length;
  throw new RewardsmithError(
    "FormatUnknown",
    outcome.unfinished
      ? `${file.name} isn't whole: the JSON ends inside a value, in line ${line}`
      : `${file.name} isn't one JSON value: ${outcome.message} in line ${line}`,
    { path: file.name, problem: outcome.unfinished ? "unfinished" : "not-json", line },
  );
}

async function decodeAny(bytes: Uint8Array, pace: Pace): Promise<Decoded> {
  for (const [mark, encoding] of WIDE_MARKS) {
    if (!startsWith(bytes, mark)) continue;
    const text = new TextDecoder(encoding).decode(bytes);
    return { text, bad: text.includes("\ufffd") };
  }
  return decodeSlowly(bytes, pace);
}

/** A problem of the file as a whole: which of its values are affected isn't known. */
function oddBytes({ text, bad }: Decoded): readonly FileProblem[] {
  const told = (at: number, what: string): FileProblem => ({
    line: 1,
    code: "bad-bytes",
    message: `The file holds ${what} (near character ${at + 1}): it may be damaged. It isn't changed.`,
  });
  const zero = text.indexOf("\u0000");
  return [
    ...(bad ? [told(text.indexOf("\ufffd"), "bytes that aren't text; they are shown as \ufffd")] : []),
    ...(zero >= 0 ? [told(zero, "NUL bytes, which no JSON has")] : []),
  ];
}

async function readYaml(text: string, name: string, pace: Pace): Promise<unknown> {
  const { parseYaml } = await import("./yaml");
  return parseYaml(text, name, pace);
}

async function inSteps(text: string, pace: Pace): Promise<JsonOutcome> {
  const parsing = parseInSteps(text);
  for (;;) {
    const step = parsing.next();
    if (step.done === true) return step.value;
    await pace.turn();
  }
}
