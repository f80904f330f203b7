import { expect, it } from "vitest";
import type { FileAccess } from "../../../../src/formats/trajectories/container";
import { indexFile } from "../../../../src/formats/trajectories/indexing";

it("says how far it is inside one long line", async () => {
  const output = "0123456789abcde\\n".repeat(50_000);
  const items = Array.from({ length: 200_000 }, (_, at) => `{"n":${at}}`).join(",");
  const text = `{"input":"a","output":"${output.repeat(20)}","score":1,"step":1,"x":[${items}]}\n`;
  const bytes = new TextEncoder().encode(text);
  const file: FileAccess = {
    name: "1.jsonl",
    folders: [],
    bytes: bytes.length,
    // A slow disk, so that the line takes long on any machine.
    read: async (from, length) => {
      await new Promise((resolve) => setTimeout(resolve, 25));
      return bytes.subarray(from, from + length);
    },
    beside: () => Promise.resolve(null),
  };
  const reached: number[] = [];
  let rows = 0;
  const job = { path: "1.jsonl", name: "1.jsonl", from: null, last: true };
  await indexFile(
    file,
    job,
    (event) => {
      if (event.kind === "reached") reached.push(event.bytes);
      if (event.kind === "batch") rows += event.batch.n;
    },
    new AbortController().signal,
  );
  expect(rows).toBe(1);
  expect(reached.length).toBeGreaterThan(0);
  expect(reached).toEqual(reached.toSorted((a, b) => a - b));
  expect(reached.at(-1)).toBeLessThanOrEqual(bytes.length);
});
