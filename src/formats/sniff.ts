import { JsonTextError, isRow, parseJsonText } from "./jsonText";
import type { RowReaderId } from "./reader";

export type Sniffed =
  | { readonly reader: RowReaderId }
  | {
      readonly reader: null;
      readonly why: "git-lfs-pointer" | "empty" | "unknown";
      readonly message: string;
    };

const HEAD_BYTES = 65_536;

/**
 * Tells a sample file's form by its content (contracts' sniffing order); the name decides only what content leaves
 * open: a one-line object, or text without any brace.
 */
export function sniff(bytes: Uint8Array, name: string): Sniffed {
  const head = new TextDecoder("utf-8").decode(bytes.subarray(0, HEAD_BYTES));
  if (head.startsWith("version https://git-lfs.github.com/spec"))
    return {
      reader: null,
      why: "git-lfs-pointer",
      message: 'This is a Git LFS pointer, not the file itself. Run "git lfs pull" in its folder.',
    };
  if (head.startsWith("PAR1")) return { reader: "parquet" };
  const binary = binaryForm(bytes, head);
  if (binary !== null) return { reader: null, why: "unknown", message: binary };
  const text = head.trimStart();
  if (text === "")
    return { reader: null, why: "empty", message: "The file is empty: there are no samples in it." };
  const lower = name.toLowerCase();
  if (/\.(jsonl|ndjson)$/.test(lower)) return { reader: "jsonl" };
  if (text.startsWith("[")) return { reader: /^\[[^\n]*\]\s*\n\s*\[/.test(text) ? "jsonl" : "json" };
  if (text.startsWith("{")) return { reader: objectForm(text, bytes.length > HEAD_BYTES) };
  if (/\.(csv|tsv)$/.test(lower)) return { reader: "csv" };
  const [first = "", second] = text.split(/\r?\n/);
  if (second !== undefined && second.startsWith("{")) return { reader: "jsonl" };
  // Prose has commas too: without the name, two lines must have equally many.
  const isTable = [",", "\t", ";"].some((delimiter) => {
    const cells = first.split(delimiter).length;
    return cells > 1 && cells === second?.split(delimiter).length;
  });
  if (isTable) return { reader: "csv" };
  return {
    reader: null,
    why: "unknown",
    message: "The file isn't JSON Lines, JSON, CSV or Parquet, so no samples can be read from it.",
  };
}

/** Objects line by line, or one that spans lines? Half lines at the start don't hide the whole ones after them. */
function objectForm(text: string, cut: boolean): RowReaderId {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (cut) lines.pop();
  const whole = lines.slice(0, 50).filter((line) => isWholeObject(line)).length;
  if (lines.length <= 1) return cut ? "jsonl" : "json";
  return whole > 0 && !text.startsWith("{\n") && !text.startsWith("{\r\n") ? "jsonl" : "json";
}

function isWholeObject(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    return isRow(parseJsonText(line, () => undefined));
  } catch (error) {
    if (error instanceof JsonTextError) return false;
    throw error;
  }
}

function binaryForm(bytes: Uint8Array, head: string): string | null {
  if (head.startsWith("PK\u0003\u0004"))
    return "The file is a ZIP archive; samples are read from its parts once unpacked.";
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "The file is compressed with gzip: unpack it first.";
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd)
    return "The file is compressed with Zstandard: unpack it first.";
  if (head.startsWith("SQLite format 3")) return "The file is a SQLite database, which isn't a sample file.";
  if (bytes[0] === 0x80 && bytes[1] !== undefined && bytes[1] <= 5 && bytes[1] >= 2)
    return "The file is a Python pickle. Pickles run code when loaded, so they are never read.";
  return null;
}
