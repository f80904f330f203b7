import { randomBytes } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";

/** A file of ours for blocks of bytes, written at its end and read by place; gone when it is closed. */
export async function fileSpill(folder: string) {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `texts-${randomBytes(6).toString("hex")}.tmp`);
  const file = await open(path, "wx+", 0o600);
  // Where the system allows it, it is gone with the process, however that ends.
  if (process.platform !== "win32") await rm(path, { force: true });
  let end = 0;
  return {
    async write(block: Uint8Array) {
      const at = end;
      end += block.length;
      for (let written = 0; written < block.length;)
        written += (await file.write(block, written, block.length - written, at + written)).bytesWritten;
      return { at, length: block.length };
    },
    async read(at: number, length: number) {
      const block = new Uint8Array(length);
      for (let read = 0; read < length;) {
        const { bytesRead } = await file.read(block, read, length - read, at + read);
        if (bytesRead === 0) throw new Error("the texts were cut short");
        read += bytesRead;
      }
      return block;
    },
    async close() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}
