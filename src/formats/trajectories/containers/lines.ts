import { RewardsmithError } from "../../../base/errors";
import { isFields } from "../build";
import {
  type Container,
  type FileAccess,
  type FileLimits,
  type Place,
  type RecordFile,
  START,
} from "../container";
import { parseValue } from "../jsonValue";
import { decodeBytes, memoryAccess, peekText, startsWith } from "./bytes";
import { countLines } from "./lineOffsets";
import { type LineStyle, scanLines } from "./lineScan";
import { gathered } from "./listed";

const HEAD_RECORDS = 8;
/** A head without any record ends after so much: a file of another kind isn't read through to find that out. */
const HEAD_BYTES = 64_000_000;
const PEEK_BYTES = 65_536;

/** JSON objects, one a line, or printed one after another over several lines each. */
export const linesContainer: Container = {
  id: "lines",
  sniff: (first, name) => {
    const text = peekText(first);
    return (
      text.startsWith("{") || /^[^\n]*\n\s*\{/.test(text) || (/\.(jsonl|ndjson)$/i.test(name) && text !== "")
    );
  },
  async head(given, limits, signal) {
    const file = await asUtf8(given, limits);
    const found: unknown[] = [];
    const whole = { from: START, last: true, ...(signal && { signal }) };
    for await (const batch of scanLines(file, limits, await styleOf(file), whole)) {
      found.push(...batch.records.map((record) => record.value));
      if (found.length >= HEAD_RECORDS) break;
      if (found.length === 0 && batch.position.bytes > HEAD_BYTES) break;
    }
    return {
      container: "lines",
      name: file.name,
      folders: file.folders,
      records: found.slice(0, HEAD_RECORDS),
      names: [],
      metadata: {},
    };
  },
  async open(given, form, limits): Promise<RecordFile> {
    const file = await asUtf8(given, limits);
    const style = await styleOf(file);
    const records: RecordFile = {
      container: "lines",
      bytes: file.bytes,
      shared: null,
      resumes: file === given,
      scan: (options) => scanLines(file, limits, style, options),
      at: (place) => recordAt(file, place),
      ...(style === "lines" && { offsets: (options) => countLines(file, options) }),
      close: () => undefined,
    };
    return form.whole === true ? gathered(file, records, form, limits) : records;
  },
};

async function recordAt(file: FileAccess, { at, length }: Place): Promise<unknown> {
  const bytes = await file.read(at, length);
  const parsed = parseValue(decodeBytes(bytes).text);
  if (bytes.length === length && parsed.ok && isFields(parsed.value)) return parsed.value;
  throw new RewardsmithError("FileUnreadable", `${file.name} has changed: the record isn't there any more`, {
    path: file.name,
  });
}

async function styleOf(file: FileAccess): Promise<LineStyle> {
  const text = peekText(await file.read(0, PEEK_BYTES));
  return /^\{[ \t]*\r?\n/.test(text) ? "printed" : "lines";
}

/** UTF-16 with its mark (PowerShell's `>` writes it) is converted in memory; everything else stays as it is. */
async function asUtf8(file: FileAccess, limits: FileLimits): Promise<FileAccess> {
  const mark = await file.read(0, 2);
  const encoding = startsWith(mark, [0xff, 0xfe])
    ? "utf-16le"
    : startsWith(mark, [0xfe, 0xff])
      ? "utf-16be"
      : null;
  if (encoding === null) return file;
  if (file.bytes > limits.valueBytes)
    throw new RewardsmithError(
      "TooLarge",
      `${file.name} is UTF-16 of ${file.bytes} bytes; up to ${limits.valueBytes} are read so. Save it as UTF-8`,
      { path: file.name },
    );
  const text = new TextDecoder(encoding).decode(await file.read(0, file.bytes));
  return memoryAccess(file, new TextEncoder().encode(text));
}
