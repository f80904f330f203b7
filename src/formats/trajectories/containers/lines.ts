import type { Container, FileAccess, FileLimits, RecordFile, ScanBatch, ScanOptions } from "../container";
import { START } from "../container";
import { isFields } from "../build";
import { parseValue } from "../jsonValue";

const CHUNK = 4_000_000;
const HEAD_RECORDS = 8;
const NEWLINE = 10;

/** JSON objects, one a line. */
export const linesContainer: Container = {
  id: "lines",
  sniff: (first) => new TextDecoder().decode(first.subarray(0, 200)).trimStart().startsWith("{"),
  async head(file, limits) {
    const found: unknown[] = [];
    for await (const batch of scan(file, limits, { from: START, last: true })) {
      found.push(...batch.records.map((record) => record.value));
      if (found.length >= HEAD_RECORDS) break;
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
  open: (file, _form, limits) =>
    Promise.resolve<RecordFile>({
      container: "lines",
      bytes: file.bytes,
      shared: null,
      scan: (options) => scan(file, limits, options),
      async at({ at, length }) {
        const parsed = parseValue(new TextDecoder().decode(await file.read(at, length)));
        return parsed.ok ? parsed.value : null;
      },
      close: () => undefined,
    }),
};

async function* scan(
  file: FileAccess,
  _limits: FileLimits,
  { from, signal }: ScanOptions,
): AsyncGenerator<ScanBatch> {
  let position = from;
  let rest = new Uint8Array(0);
  while (position.bytes + rest.length < file.bytes) {
    signal?.throwIfAborted();
    const start = position.bytes + rest.length;
    const read = await file.read(start, Math.min(CHUNK, file.bytes - start));
    const chunk = new Uint8Array(rest.length + read.length);
    chunk.set(rest);
    chunk.set(read, rest.length);
    const records: ScanBatch["records"][number][] = [];
    const problems: ScanBatch["problems"][number][] = [];
    let at = 0;
    let { lines } = position;
    const atEnd = start + read.length >= file.bytes;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, at);
      if (end < 0 && !(atEnd && at < chunk.length)) break;
      const stop = end < 0 ? chunk.length : end;
      lines++;
      const text = new TextDecoder().decode(chunk.subarray(at, stop));
      if (text.trim() !== "") {
        const parsed = parseValue(text);
        if (parsed.ok && isFields(parsed.value))
          records.push({
            place: { at: position.bytes + at, length: stop - at },
            line: lines,
            value: parsed.value,
          });
        else problems.push({ line: lines, code: "not-json", message: "The line isn't a JSON object." });
      }
      at = end < 0 ? chunk.length : end + 1;
    }
    position = { bytes: position.bytes + at, lines, records: position.records + records.length };
    rest = chunk.slice(at);
    yield { records, problems, position };
  }
}
