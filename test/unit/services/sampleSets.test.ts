import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import type { FileStore, Hasher } from "../../../src/core/ports";
import { encodeParts } from "../../../src/core/scoring/encode";
import { SampleSetInfo } from "../../../src/schema/sample";
import { SamplesPart } from "../../../src/schema/worker";
import { SampleSets } from "../../../src/services/sampleSets";

const hasher: Hasher = {
  hash(parts) {
    const sum = createHash("sha256");
    for (const part of parts) {
      const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
      sum.update(`${bytes.length}:`).update(bytes);
    }
    return sum.digest("hex");
  },
};

class MemoryFiles implements FileStore {
  readonly files = new Map<string, Uint8Array>();
  reads = 0;

  set(path: string, text: string | Uint8Array): this {
    this.files.set(path, typeof text === "string" ? new TextEncoder().encode(text) : text);
    return this;
  }

  read(path: string): Promise<Uint8Array> {
    this.reads++;
    const bytes = this.files.get(path);
    return bytes
      ? Promise.resolve(bytes)
      : Promise.reject(new RewardsmithError("FileMissing", `no ${path}`, { path }));
  }
  stat(): Promise<null> {
    return Promise.resolve(null);
  }
  list(): Promise<readonly []> {
    return Promise.resolve([]);
  }
  head(): Promise<null> {
    return Promise.resolve(null);
  }
}

function jsonl(...rows: unknown[]): string {
  return rows.map((row) => JSON.stringify(row) + "\n").join("");
}

function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../fixtures/samples/${name}`, import.meta.url)));
}

async function open(text: string | Uint8Array, name = "/w/a.jsonl", mapping = null) {
  const sets = new SampleSets(new MemoryFiles().set(name, text), hasher);
  return { sets, table: await sets.open([name], mapping) };
}

describe("case T01: torn lines", () => {
  it("reads the four whole records and lists the half ones at their lines", async () => {
    const { table } = await open(fixture("T01_torn.jsonl"));
    expect(table.ids).toEqual(["0", "1", "4", "5"]);
    expect(table.lines).toEqual([1, 2, 5, 6]);
    expect(table.info.problems.map((p) => [p.line, p.code])).toEqual([
      [3, "glued"],
      [7, "unfinished"],
    ]);
  });

  it("forgives a half line before a blank one too", async () => {
    const { table } = await open(fixture("T01_torn_then_blank.jsonl"));
    expect(table.ids).toEqual(["0"]);
    expect(table.info.problems.map((p) => p.line)).toEqual([2]);
  });

  it("shows the record once its writer has completed it", async () => {
    const files = new MemoryFiles().set("/w/a.jsonl", fixture("T01_torn.jsonl"));
    const sets = new SampleSets(files, hasher);
    const before = await sets.open(["/w/a.jsonl"], null);
    const torn = new TextDecoder().decode(fixture("T01_torn.jsonl"));
    files.set("/w/a.jsonl", torn + 'letion": "text 6", "reward": 0.6}\n');
    const after = await sets.open(["/w/a.jsonl"], null);
    expect(after.ids).toEqual(["0", "1", "4", "5", "6"]);
    expect(after.info.problems.map((p) => p.line)).toEqual([3]);
    expect(after.info.set).not.toBe(before.info.set);
    expect(after.ids.slice(0, before.n)).toEqual(before.ids);
  });
});

describe("case T03: what Python writes and JSON doesn't have", () => {
  it("reads all eight, each reward as written, texts untouched", async () => {
    const { table, sets } = await open(fixture("T03_nonfinite.jsonl"));
    expect(table.n).toBe(8);
    expect(table.info.problemCount).toBe(0);
    expect(table.columns.get("reward")).toEqual([1, NaN, Infinity, -Infinity, null, Infinity, 0.5, 0]);
    expect(table.columns.get("parts")?.[6]).toEqual({ style: NaN, math: 0.5 });
    expect(table.completion[1]).toBe("reward came out NaN, not 0");
    expect(table.completion[7]).toBe('"reward": NaN');
    expect(table.groups.map((g) => [g.id, g.rows])).toEqual([
      ["g0", [0, 1, 2, 3]],
      ["g1", [4, 5, 6, 7]],
    ]);
    const shown = sets.rows(table.info.set, 0, 10, 1000).rows.map((r) => r.columns["reward"]);
    expect(shown).toEqual([
      1,
      { nonFinite: "nan" },
      { nonFinite: "inf" },
      { nonFinite: "-inf" },
      null,
      { nonFinite: "inf" },
      0.5,
      0,
    ]);
  });
});

describe("case T05: marks, line ends, half characters, stray bytes", () => {
  it("reads all five and notes the stray byte on its line only", async () => {
    const { table } = await open(fixture("T05_encodings.jsonl"));
    expect(table.ids).toEqual(["0", "1", "2", "3", "4"]);
    expect(table.completion[0]).toBe("café 東京 😀");
    expect(table.completion[1]).toBe("half a pair: \ud835");
    expect(table.completion[2]).toBe("whole pair: 𝐀");
    expect(table.completion[3]).toBe("stray byte: \ufffd here");
    expect(table.completion[4]).toBe("nul \u0000 and bell \u0007 and <b>tag</b>");
    expect(table.info.problems.map((p) => [p.line, p.code])).toEqual([
      [2, "lone-surrogate"],
      [4, "bad-bytes"],
    ]);
  });

  it("sends the half pair as an escape, so that the text stays valid UTF-8", async () => {
    const { table } = await open(fixture("T05_encodings.jsonl"));
    const [part = ""] = encodeParts(table, 100);
    expect(part).toContain('"half a pair: \\ud835"');
    expect(new TextDecoder().decode(new TextEncoder().encode(part))).toBe(part);
  });
});

describe("guessing what the columns are", () => {
  it.each([
    ["prompt/completion", { prompt: "p", completion: "c" }, "prompt", "completion"],
    ["question/response", { question: "p", response: "c" }, "question", "response"],
    ["verl dump", { input: "p", output: "c", gts: "1", score: 1, step: 1 }, "input", "output"],
    ["SkyRL dump", { input_prompt: "p", output_response: "c", score: 1 }, "input_prompt", "output_response"],
    ["only text", { text: "c" }, null, "text"],
  ])("%s", async (_, row, prompt, completion) => {
    const { table } = await open(jsonl(row, row));
    expect(table.info.mapping).toMatchObject({ prompt, completion });
    expect(table.info.mappingSource).toBe("guessed");
    expect(table.completion).toEqual(["c", "c"]);
  });

  it("splits a single conversation after the last user message", async () => {
    const user = { role: "user", content: "6 times 7?" };
    const reply = { role: "assistant", content: "42" };
    const { table } = await open(jsonl({ messages: [user, reply] }, { messages: [user] }));
    expect(table.prompt).toEqual([[user]]);
    expect(table.completion).toEqual([[reply]]);
    expect(table.info.shape).toBe("chat");
    expect(table.info.problems.map((p) => [p.line, p.code])).toEqual([[2, "missing-completion"]]);
  });

  it("takes a repeated id for the group and a unique one for the identity", async () => {
    const rows = [0, 0, 1, 1].map((id, i) => ({ id, prompt: "p", completion: `c${i}` }));
    const { table } = await open(jsonl(...rows));
    expect(table.info.mapping.group).toEqual({ by: "column", column: "id" });
    expect(table.info.mapping.id).toBeNull();
    expect(new Set(table.ids).size).toBe(4);
  });

  it("tells verdicts from references in a column called label", async () => {
    const verdicts = await open(jsonl({ completion: "a", label: "good" }, { completion: "b", label: null }));
    expect(verdicts.table.label).toEqual(["good", null]);
    const references = await open(jsonl({ completion: "a", label: "42" }, { completion: "b", label: "7" }));
    expect(references.table.label).toBeNull();
    expect(references.table.columns.get("label")).toEqual(["42", "7"]);
  });

  it("says which columns there are when none can be the completion", async () => {
    await expect(open(jsonl({ a: 1, b: 2 }))).rejects.toMatchObject({
      code: "ColumnMissing",
      detail: { columns: "a, b" },
    });
  });
});

describe("groups", () => {
  it("tells equal prompts apart where reference or seed differ", async () => {
    const row = (answer: string, completion: string) => ({ prompt: "Continue.", answer, completion });
    const { table } = await open(jsonl(row("1", "a"), row("2", "b"), row("1", "c"), row("2", "d")));
    expect(table.info.mapping.group).toEqual({ by: "prompt" });
    expect(table.groups.map((g) => g.rows)).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it("doesn't take an answer extracted from each completion for a reference", async () => {
    const rows = [1, 2, 3].map((i) => ({ prompt: "p", completion: `it is ${i}`, answer: `${i}` }));
    const { table } = await open(jsonl(...rows));
    expect(table.groups.map((g) => g.rows)).toEqual([[0, 1, 2]]);
  });

  it("keeps steps of a trainer's dump apart", async () => {
    const rows = [1, 1, 2, 2].map((step) => ({ input: "p", output: "o", gts: "1", score: 0, step }));
    const { table } = await open(jsonl(...rows));
    expect(table.groups.map((g) => g.rows)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it("cuts n in a row across what is read", async () => {
    const files = new MemoryFiles().set(
      "/w/a.jsonl",
      jsonl({ completion: "a" }, { completion: "b" }, { completion: "c" }),
    );
    const table = await new SampleSets(files, hasher).open(["/w/a.jsonl"], null, {
      hints: { group: { by: "size", size: 2 } },
    });
    expect(table.groups.map((g) => g.rows)).toEqual([[0, 1], [2]]);
    expect(table.info.mappingSource).toBe("project");
  });
});

describe("identity", () => {
  it("survives reordering, appending and a new column", async () => {
    const a = { prompt: "p", completion: "a" };
    const b = { prompt: "p", completion: "b" };
    const first = await open(jsonl(a, b));
    const second = await open(jsonl(b, { ...a, added: null }, { prompt: "p", completion: "c", added: 1 }));
    expect(second.table.ids[1]).toBe(first.table.ids[0]);
    expect(second.table.ids[0]).toBe(first.table.ids[1]);
  });

  it("marks an id that the file gives twice, but not equal completions", async () => {
    const given = await open(
      jsonl(
        { id: "x", completion: "a" },
        { id: "x", completion: "b" },
        { id: "y", completion: "c" },
        { id: "z", completion: "d" },
      ),
    );
    expect(given.table.ids).toEqual(["x", "x#2", "y", "z"]);
    expect(given.table.info.problems.map((p) => [p.line, p.code])).toEqual([[2, "duplicate-id"]]);
    const hashed = await open(jsonl({ prompt: "p", completion: "a" }, { prompt: "p", completion: "a" }));
    expect(new Set(hashed.table.ids).size).toBe(2);
    expect(hashed.table.info.problemCount).toBe(0);
  });

  it("gives the same table for unchanged content and another handle for changed content", async () => {
    const files = new MemoryFiles().set("/w/a.jsonl", jsonl({ completion: "a" }));
    const sets = new SampleSets(files, hasher);
    const first = await sets.open(["/w/a.jsonl"], null);
    expect(await sets.open(["/w/a.jsonl"], null)).toBe(first);
    files.set("/w/a.jsonl", jsonl({ completion: "b" }));
    const second = await sets.open(["/w/a.jsonl"], null);
    expect(second.info.set).not.toBe(first.info.set);
    expect(second.info.hash).not.toBe(first.info.hash);
    expect(sets.get(first.info.set)).toBe(first);
  });

  it("names groups of equal prompts by their first words, each by its own", async () => {
    const long = "What is the sum of the first hundred whole numbers";
    const chat = [{ role: "user", content: "Say\n hello" }];
    const { table } = await open(
      jsonl(
        ...["short", "short", `${long}?`, `${long}, then?`, chat, ""].map((prompt) => ({
          prompt,
          completion: "c",
        })),
      ),
    );
    expect(table.groups.map(({ id }) => id)).toEqual([
      "short",
      "What is the sum of the…",
      "What is the sum of the… #2",
      "Say hello",
      "(empty prompt)",
    ]);
  });

  it("takes a column called task for the group where it repeats, but not beside a better one", async () => {
    const rows = [0, 1, 2, 3].map((i) => ({ task: `t${i % 2}`, prompt: `p${i}`, completion: "c" }));
    expect((await open(jsonl(...rows))).table.info.mapping.group).toEqual({ by: "column", column: "task" });
    const one = rows.map((row) => ({ ...row, task: "math", prompt: "p" }));
    expect((await open(jsonl(...one))).table.info.mapping.group).toEqual({ by: "prompt" });
    const asked = rows.map(({ task, completion }) => ({ task, completion }));
    expect((await open(jsonl(...asked))).table.info.mapping).toMatchObject({
      prompt: "task",
      group: { by: "prompt" },
    });
  });

  it("reads files that call their parts otherwise as one set", async () => {
    const files = new MemoryFiles()
      .set("/w/a.jsonl", jsonl({ prompt: "p", completion: "c0", label: true, answer: "4" }))
      .set("/w/b.csv", "question,response,verdict,answer\np,7,good,4\nq,c2,bad,5\n")
      .set("/w/c.jsonl", jsonl({ prompt: "q", text: "c3", output: "the less likely name" }));
    const sets = new SampleSets(files, hasher);
    const table = await sets.open(["/w/a.jsonl", "/w/b.csv"], null);
    expect(table.completion).toEqual(["c0", "7", "c2"]);
    expect(table.prompt).toEqual(["p", "p", "q"]);
    expect(table.label).toEqual([true, "good", "bad"]);
    expect(table.columns.get("answer")).toEqual(["4", 4, 5]);
    expect(table.info).toMatchObject({ rows: 3, leftOut: 0, mapping: { completion: "completion" } });
    expect((await sets.open(["/w/b.csv", "/w/c.jsonl"], null)).completion).toEqual([
      "7",
      "c2",
      "the less likely name",
    ]);
  });

  it("leaves names alone that the user gave, and counts the rows that are left out then", async () => {
    const files = new MemoryFiles()
      .set("/w/a.jsonl", jsonl({ prompt: "p", completion: "c0" }))
      .set("/w/b.csv", "prompt,response\np,c1\n");
    const table = await new SampleSets(files, hasher).open(["/w/a.jsonl", "/w/b.csv"], null, {
      hints: { completion: "completion" },
    });
    expect(table.completion).toEqual(["c0"]);
    expect(table.info).toMatchObject({ rows: 1, leftOut: 1, problems: [{ code: "missing-completion" }] });
  });

  it("reads several files as one set and says which file a problem is in", async () => {
    const files = new MemoryFiles()
      .set("/w/a.jsonl", jsonl({ prompt: "p", completion: "a" }))
      .set("/w/b.csv", "prompt,completion\np,b\nq,\n");
    const table = await new SampleSets(files, hasher).open(["/w/a.jsonl", "/w/b.csv"], null);
    expect(table.completion).toEqual(["a", "b"]);
    expect(table.groups).toHaveLength(1);
    expect(table.info.problems).toMatchObject([{ line: 3, code: "missing-completion" }]);
    expect(table.info.problems[0]?.message).toMatch(/^b\.csv: /);
  });
});

describe("values", () => {
  it("gives columns the names that the reward knows", async () => {
    const files = new MemoryFiles().set(
      "/w/a.jsonl",
      jsonl({ prompt: "p", completion: "a", answer: 4, other: 1 }),
    );
    const table = await new SampleSets(files, hasher).open(["/w/a.jsonl"], null, {
      hints: { columns: { gold: "answer" } },
    });
    expect([...table.columns.keys()].sort()).toEqual(["gold", "other"]);
    expect(table.columns.get("gold")).toEqual([4]);
  });

  it("keeps number cells of a CSV as text where they are the completion", async () => {
    const { table } = await open("prompt,completion,answer\n1+1,2.0,2\n2+2,4.50,4\n", "/w/a.csv");
    expect(table.completion).toEqual(["2.0", "4.50"]);
    expect(table.columns.get("answer")).toEqual([2, 4]);
  });

  it("points out numbers that some rows hold as text", async () => {
    const { table } = await open(jsonl({ completion: "a", answer: 4 }, { completion: "b", answer: "5" }));
    expect(table.columns.get("answer")).toEqual([4, "5"]);
    expect(table.info.problems.map((p) => [p.line, p.code])).toEqual([[2, "encoded-number"]]);
  });

  it("counts values, most frequent first", async () => {
    const { table, sets } = await open(
      jsonl(...["x", "y", "y", null].map((kind) => ({ completion: "a", kind }))),
    );
    expect(sets.columnValues(table.info.set, "kind", 10)).toEqual({
      present: 3,
      distinct: 2,
      values: [
        { text: "y", count: 2 },
        { text: "x", count: 1 },
      ],
    });
  });

  it("fits its own schemas", async () => {
    const { table } = await open(jsonl({ prompt: "p", completion: "a", n: 1 }));
    expect(SampleSetInfo.safeParse(table.info).error).toBeUndefined();
    const [part = ""] = encodeParts(table, 10);
    expect(SamplesPart.safeParse(JSON.parse(part)).error).toBeUndefined();
  });

  it("leaves out a record that Python could not read, and reads the rest", async () => {
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    const { table } = await open(`{"completion":"a","x":${deep}}\n{"completion":"b"}\n`);
    expect(table.completion).toEqual(["b"]);
    expect(table.info.problems).toMatchObject([{ line: 1, code: "too-large" }]);
  });
});
