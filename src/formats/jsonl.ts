import { type Row, ProblemList, type ReadLimits, type ReadResult, type SampleReader } from "./reader";
import { JsonTextError, JsonTextReader, hasLoneSurrogate, isRow, parseJsonText } from "./jsonText";
import { textLines } from "./text";

/** JSON objects, one a line. What a killed or careless writer left behind is a problem at its line; the rest is read. */
export const jsonlReader: SampleReader = {
  id: "jsonl",
  read(bytes: Uint8Array, limits: ReadLimits, signal?: AbortSignal): ReadResult {
    const problems = new ProblemList();
    const rows: Row[] = [];
    const lines: number[] = [];
    const floats = new Set<string>();
    const note = (place: string): void => void floats.add(place);
    const accept = (value: unknown, line: number, text: string): void => {
      if (!isRow(value)) {
        problems.add(line, "not-an-object", `The line holds ${describe(value)}, not an object with columns.`);
        return;
      }
      if (hasLoneSurrogate(text, value))
        problems.add(
          line,
          "lone-surrogate",
          "A text holds half of a surrogate pair. It is shown as \ufffd and goes to Python as it is.",
        );
      rows.push(value);
      lines.push(line);
    };
    /** A line cut off at its end: "unfinished" if nothing follows, else "torn". */
    let cut: { line: number; message: string } | null = null;
    for (const { text, number } of textLines(bytes, limits.lineBytes, problems)) {
      if (number % 1024 === 0) signal?.throwIfAborted();
      if (text.trim() === "") continue;
      if (cut)
        problems.add(cut.line, "torn", `${cut.message} Other records follow, so it can't be completed.`);
      cut = null;
      try {
        accept(parseJsonText(text, note), number, text);
      } catch (error) {
        if (!(error instanceof JsonTextError)) throw error;
        cut = readBroken(text, number, error, note, accept, problems);
      }
    }
    if (cut)
      problems.add(cut.line, "unfinished", `${cut.message} It is read as soon as its writer completes it.`);
    if (rows.length === 0 && problems.count === 0) problems.add(1, "empty", "The file holds no records.");
    return { reader: "jsonl", rows, lines, problems, floats };
  },
};

/** Reads whole records at the start of a line that isn't one record, and says what is left. */
function readBroken(
  text: string,
  line: number,
  first: JsonTextError,
  note: (place: string) => void,
  accept: (value: unknown, line: number, text: string) => void,
  problems: ProblemList,
): { line: number; message: string } | null {
  const reader = new JsonTextReader(text, note);
  let at = reader.skipSpace(0);
  let whole = 0;
  let failure: JsonTextError | null = null;
  while (at < text.length) {
    try {
      const value = reader.next(at);
      if (!isRow(value)) break;
      accept(value, line, text);
      whole++;
      at = reader.skipSpace(reader.end);
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error;
      failure = error;
      break;
    }
  }
  if (whole > 0) {
    const read = whole === 1 ? "The first record is read" : `The first ${whole} records are read`;
    problems.add(
      line,
      "glued",
      at >= text.length
        ? `${whole} records stand on one line. All are read.`
        : `More than one record stands on this line. ${read}; the rest, from character ${at + 1}, isn't.`,
    );
    return null;
  }
  const error = failure ?? first;
  if (!text.trimStart().startsWith("{"))
    problems.add(line, "not-json", `The line isn't JSON: ${error.message} at character ${error.at + 1}.`);
  else if (error.unfinished)
    return { line, message: `The record ends after ${text.length} characters, inside a value.` };
  else if (text.slice(1, error.at + 1).includes("{") && /[{,]\s*$/.test(text.slice(0, error.at)))
    problems.add(
      line,
      "glued",
      `A record breaks off and another begins at character ${error.at + 1}; neither is read.`,
    );
  else problems.add(line, "not-json", `The line isn't JSON: ${error.message} at character ${error.at + 1}.`);
  return null;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
