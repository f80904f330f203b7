import type { ProblemList } from "./reader";

/** Lines of about this many bytes are decoded together: one call of the decoder is dear, one huge string too. */
const BLOCK_BYTES = 4_000_000;

export interface TextLine {
  readonly text: string;
  /** 1-based. */
  readonly number: number;
}

/** UTF-16 with a byte order mark (PowerShell's `>` writes it) becomes UTF-8; everything else stays as it is. */
export function toUtf8(bytes: Uint8Array): Uint8Array {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : null;
  if (encoding === null) return bytes;
  return new TextEncoder().encode(new TextDecoder(encoding).decode(bytes));
}

/** Whole text with bad bytes replaced; a problem for each line that holds some. */
export function decodeText(bytes: Uint8Array, problems: ProblemList): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const parts: string[] = [];
    for (const line of cutLines(bytes)) parts.push(decodeLine(line.bytes, line.number, problems));
    return parts.join("\n");
  }
}

/** The file's lines without their ends (LF or CRLF). `lineBytes`: a longer line is a problem, not a crash. */
export function* textLines(
  bytes: Uint8Array,
  lineBytes: number,
  problems: ProblemList,
): Generator<TextLine, void, undefined> {
  let number = 1;
  let from = 0;
  const strict = new TextDecoder("utf-8", { fatal: true });
  while (from < bytes.length) {
    let to = bytes.length;
    if (bytes.length - from > BLOCK_BYTES) {
      const newline = bytes.indexOf(10, from + BLOCK_BYTES);
      if (newline >= 0) to = newline + 1;
    }
    const block = bytes.subarray(from, to);
    from = to;
    let text: string | null = null;
    if (block.length <= lineBytes) {
      try {
        text = strict.decode(block);
      } catch {
        text = null;
      }
    }
    if (text !== null) {
      let at = 0;
      while (at < text.length) {
        const newline = text.indexOf("\n", at);
        const end = newline < 0 ? text.length : newline;
        yield { text: text.slice(at, end), number: number++ };
        at = end + 1;
      }
    } else {
      for (const line of cutLines(block)) {
        const here = number++;
        if (line.bytes.length > lineBytes)
          problems.add(
            here,
            "too-large",
            `The line is ${line.bytes.length} bytes long; lines of up to ${lineBytes} bytes are read.`,
          );
        else yield { text: decodeLine(line.bytes, here, problems), number: here };
      }
    }
  }
}

function* cutLines(bytes: Uint8Array): Generator<{ bytes: Uint8Array; number: number }, void, undefined> {
  let number = 1;
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(10, at);
    const end = newline < 0 ? bytes.length : newline;
    yield { bytes: bytes.subarray(at, end), number: number++ };
    at = end + 1;
  }
}

function decodeLine(bytes: Uint8Array, number: number, problems: ProblemList): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const text = new TextDecoder("utf-8").decode(bytes);
    problems.add(
      number,
      "bad-bytes",
      `The line holds bytes that aren't UTF-8 (near character ${text.indexOf("\ufffd") + 1}); they are shown as \ufffd. The file isn't changed.`,
    );
    return text;
  }
}
