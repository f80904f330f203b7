import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { encodeParts } from "../../src/core/scoring/encode";
import { sha256 } from "../../src/runtime/hasher";
import { nodeFileStore } from "../../src/runtime/fileStore";
import { SampleSets } from "../../src/services/sampleSets";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What Python's own json makes of the file, and of what we send: they must print the same. */
const SAME = `
import json, sys
path, columns = sys.argv[1], sys.argv[2].split(",")
rows = [json.loads(line) for line in open(path, encoding="utf-8-sig", errors="replace") if line.strip()]
sent = {}
for line in sys.stdin.buffer:
    part = json.loads(line)
    for name in columns:
        sent.setdefault(name, []).extend(part[name] if name in ("prompt", "completion") else part["columns"][name])
for name in columns:
    for row, got in zip(rows, sent[name]):
        want = row.get(name)
        if repr(want) != repr(got):
            print(f"{name}: {want!r} became {got!r}")
    if len(rows) != len(sent[name]):
        print(f"{name}: {len(rows)} rows became {len(sent[name])}")
`;

async function differences(path: string, columns: string): Promise<string> {
  const table = await new SampleSets(nodeFileStore, sha256).open([path], null);
  const input = [...encodeParts(table, 3)].map((part) => `${part}\n`).join("");
  const { stdout, stderr, status } = spawnSync("python3", ["-c", SAME, path, columns], { input });
  expect(stderr.toString()).toBe("");
  expect(status).toBe(0);
  return stdout.toString();
}

describe("samples as Python reads them", () => {
  it.each([
    ["T03_nonfinite.jsonl", "completion,reward,parts"],
    ["T05_encodings.jsonl", "completion,reward,id"],
  ])("case file %s arrives as json.load gives it", async (name, columns) => {
    const path = new URL(`../fixtures/samples/${name}`, import.meta.url).pathname;
    expect(readFileSync(path).length).toBeGreaterThan(0);
    expect(await differences(path, columns)).toBe("");
  });

  it("numbers, big and small, keep their type, their digits and their sign", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rewardsmith-samples-"));
    try {
      const path = join(folder, "a.jsonl");
      const rows = [
        '{"completion": "a", "f": 4.0, "i": 4, "big": 9007199254740993, "info": {"x": 1.0, "n": 1, "l": [2.0, 1e5]}}',
        '{"completion": "b", "f": -0.0, "i": -0, "big": -123456789012345678901234567890, "info": {"x": 1e22, "n": 2, "l": []}}',
        '{"completion": "\\ud83d\\ude00 \\udc00 \\u2028", "f": 1e-7, "i": 12345678901234567, "big": 1, "info": null}',
        '{"completion": "d", "f": 1e16, "i": 0, "big": 0, "info": {"x": 123456789.0, "n": 3, "l": [0.1]}}',
      ];
      writeFileSync(path, rows.join("\n") + "\n");
      expect(await differences(path, "completion,f,i,big,info")).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
