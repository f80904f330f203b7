import { open } from "node:fs/promises";

/** The last bytes of a file as text; "" where it can't be read. */
export async function tailOf(path: string, bytes = 32 * 1024): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.min(size, bytes));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}
