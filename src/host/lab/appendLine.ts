import { open } from "node:fs/promises";

/** Bytes at the end of a file that say how its lines end. */
const TAIL = 4096;

/** What is to be written after a text that ends so, for `line` to stand on a line of its own, ended as the others are. */
export function appended(tail: string, line: string): string {
  const end = tail.includes("\r\n") ? "\r\n" : "\n";
  return `${tail === "" || tail.endsWith("\n") ? "" : end}${line}${end}`;
}

/**
 * Adds a line at the end of a UTF-8 file in one write; makes the file where it isn't there. Rejects with the system's
 * error, and where the file is UTF-16.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, "a+");
  try {
    const { size } = await file.stat();
    const start = Buffer.alloc(Math.min(2, size));
    await file.read(start, 0, start.length, 0);
    if (start.equals(Buffer.of(0xff, 0xfe)) || start.equals(Buffer.of(0xfe, 0xff)))
      throw new Error(`${path} is UTF-16; a line of UTF-8 can't be added to it.`);
    const tail = Buffer.alloc(Math.min(TAIL, size));
    await file.read(tail, 0, tail.length, size - tail.length);
    await file.appendFile(appended(tail.toString("utf8"), line));
    await file.sync();
  } finally {
    await file.close();
  }
}
