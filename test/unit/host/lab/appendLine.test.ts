import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendLine } from "../../../../src/host/lab/appendLine";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "append-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function after(before: string | Buffer | null): Promise<string> {
  const file = path.join(folder, "samples.jsonl");
  if (before !== null) await writeFile(file, before);
  await appendLine(file, '{"b":2}');
  return readFile(file, "utf8");
}

describe("a line at the end of a file", () => {
  it("makes the file", async () => expect(await after(null)).toBe('{"b":2}\n'));
  it("follows a last line that is ended", async () =>
    expect(await after('{"a":1}\n')).toBe('{"a":1}\n{"b":2}\n'));
  it("ends a last line that isn't", async () => expect(await after('{"a":1}')).toBe('{"a":1}\n{"b":2}\n'));
  it("ends lines as the file does", async () =>
    expect(await after('{"a":1}\r\n{"a":2}')).toBe('{"a":1}\r\n{"a":2}\r\n{"b":2}\r\n'));
  it("looks at the end of a long file alone, whatever character it is cut in", async () => {
    const long = `${"é".repeat(9001)}x`;
    expect(await after(long)).toBe(`${long}\n{"b":2}\n`);
  });
  it("refuses UTF-16 and leaves it as it is", async () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x7b, 0x00]);
    await expect(after(bytes)).rejects.toThrow("UTF-16");
    expect(await readFile(path.join(folder, "samples.jsonl"))).toEqual(bytes);
  });
});
