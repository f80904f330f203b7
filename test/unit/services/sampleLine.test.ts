import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import type { FileStore } from "../../../src/core/ports";
import type { SampleMapping } from "../../../src/schema/sample";
import { sampleLine, samplePlace } from "../../../src/services/sampleLine";
import { SampleSets } from "../../../src/services/sampleSets";

const hasher = { hash: (parts: readonly unknown[]) => JSON.stringify(parts.map(String)) };

async function open(texts: Record<string, string>, hints: Partial<SampleMapping> = {}) {
  const files: FileStore = {
    read: (path) => {
      const text = texts[path];
      if (text === undefined) return Promise.reject(new RewardsmithError("FileMissing", path));
      return Promise.resolve(new TextEncoder().encode(text));
    },
    stat: () => Promise.resolve(null),
    list: () => Promise.resolve([]),
    head: () => Promise.resolve(null),
  };
  return new SampleSets(files, hasher).open(Object.keys(texts), null, { hints });
}
const lines = (...rows: string[]) => rows.join("\n");

describe("a sample with another completion", () => {
  it("keeps the file's names and every digit, leaves out label and token ids, and has a new id", async () => {
    const table = await open(
      {
        "/w/s.jsonl": lines(
          '{"id": "a", "question": "q", "response": "x", "gold": 4.0, "big": 12345678901234567890, "label": "good", "response_ids": [1, 2], "rare": null}',
          '{"id": "a-2", "question": "q", "response": "y", "gold": 0.1, "big": 2, "label": "bad", "response_ids": [3]}',
        ),
      },
      { columns: { answer: "gold" } },
    );
    expect(table.columns.has("gold")).toBe(false);
    expect(sampleLine(table, 0, 'a "new" one')).toEqual({
      json: '{"id": "a-3", "question": "q", "response": "a \\"new\\" one", "gold": 4.0, "big": 12345678901234567890}',
      file: "/w/s.jsonl",
      format: "jsonl",
    });
  });

  it("ids that are numbers stay numbers", async () => {
    const table = await open({
      "/w/s.jsonl": lines(
        '{"id": 7, "prompt": "p", "completion": "x"}',
        '{"id": 9, "prompt": "p", "completion": "y"}',
      ),
    });
    expect(sampleLine(table, 0, "z").json).toBe('{"id": 10, "prompt": "p", "completion": "z"}');
  });

  it("one conversation for both: the prompt's messages stay before the reply", async () => {
    const table = await open({
      "/w/s.jsonl": '{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}',
    });
    const reply = [{ role: "assistant", content: "b" }];
    const { json } = sampleLine(table, 0, reply);
    expect(JSON.parse(json)).toEqual({ messages: [{ role: "user", content: "q" }, ...reply] });
  });

  it("of several files each line has its own file's names and place", async () => {
    const table = await open({
      "/w/a.jsonl": lines(
        '{"prompt": "p", "completion": "x", "n": 1}',
        '{"prompt": "p", "completion": "x2", "n": 2}',
      ),
      "/w/b.jsonl": lines(
        "",
        '{"question": "q", "output": "y", "uid": "u1"}',
        '{"question": "q", "output": "z", "uid": "u2"}',
      ),
    });
    expect(samplePlace(table, 1)).toEqual({ file: "/w/a.jsonl", line: 2 });
    expect(samplePlace(table, 2)).toEqual({ file: "/w/b.jsonl", line: 2 });
    expect(JSON.parse(sampleLine(table, 0, "new").json)).toEqual({ prompt: "p", completion: "new", n: 1 });
    const line = sampleLine(table, 2, "new");
    expect(line.file).toBe("/w/b.jsonl");
    expect(JSON.parse(line.json)).toMatchObject({ question: "q", output: "new" });
    expect(JSON.parse(line.json)).not.toHaveProperty("completion");
    expect(() => samplePlace(table, 9)).toThrow(/no row 10/);
  });

  it("the line, added to its file, is read as the same sample with another completion and an id of its own", async () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.bigInt({ min: 2n ** 60n, max: 2n ** 70n }),
      fc.array(fc.double()),
      fc.dictionary(fc.string({ minLength: 1 }), fc.double()),
    );
    const { encodeValue } = await import("../../../src/core/scoring/encode");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ gold: value, note: fc.option(value) }), { minLength: 1, maxLength: 4 }),
        fc.string(),
        async (rows, completion) => {
          const text = rows
            .map(({ gold, note }, i) =>
              encodeValue({ sample_id: `s${i}`, prompt: "p", completion: `c${i}`, gold, note }),
            )
            .join("\n");
          const hints = { columns: { answer: "gold" } };
          const before = await open({ "/w/s.jsonl": text }, hints);
          const { json } = sampleLine(before, 0, completion);
          const after = await open({ "/w/s.jsonl": `${text}\n${json}` }, hints);
          const last = after.n - 1;
          expect(last).toBe(rows.length);
          expect(new Set(after.ids).size).toBe(after.n);
          expect(after.completion[last]).toBe(completion);
          expect(after.prompt?.[last]).toBe("p");
          for (const name of ["answer", "note"]) {
            const column = after.columns.get(name);
            if (column) expect(column[last]).toEqual(column[0]);
          }
          expect(after.floats).toEqual(before.floats);
          const codes = (table: typeof after) => [...new Set(table.info.problems.map(({ code }) => code))];
          expect(codes(after)).toEqual(codes(before));
        },
      ),
      { numRuns: 100 },
    );
  });
});
