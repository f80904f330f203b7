import { describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../src/base/errors";
import { below } from "../../../src/core/scoring/paths";
import { DEFAULT_LIMITS, ProblemList } from "../../../src/formats/reader";
import { readSampleFile } from "../../../src/formats/registry";
import { sniff } from "../../../src/formats/sniff";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = async (text: string | Uint8Array, name = "a.jsonl", limits = DEFAULT_LIMITS) => {
  const result = await readSampleFile(typeof text === "string" ? bytes(text) : text, name, limits);
  return { ...result, problems: result.problems.items.map((p): [number, string] => [p.line, p.code]) };
};

describe("JSON Lines", () => {
  it("counts lines from 1, blank ones and CRLF included", async () => {
    const { rows, lines, problems } = await read('\ufeff{"a":1}\r\n\r\n{"a":2}\r\n{"a":3}');
    expect(rows).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
    expect(lines).toEqual([1, 3, 4]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["two whole records", '{"a":1}{"a":2}', [1, 2], [[1, "glued"]]],
    ["a whole one and half of one", '{"a":1}{{"a":2', [1], [[1, "glued"]]],
    ["three, with spaces", '{"a":1} {"a":2} {"a":3}', [1, 2, 3], [[1, "glued"]]],
  ])("reads what is whole of a line that holds %s", async (_, text, values, expected) => {
    const { rows, problems } = await read(`${text}\n{"a":9}\n`);
    expect(rows.map((row) => row["a"])).toEqual([...values, 9]);
    expect(problems).toEqual(expected);
  });

  it("names what each bad line is", async () => {
    const { rows, problems } = await read(
      [
        '{"a":1}',
        "[1,2]",
        '"text"',
        "null",
        "Traceback (most recent call last):",
        '{"a": oops}',
        '{"a":2}',
      ].join("\n"),
    );
    expect(rows).toEqual([{ a: 1 }, { a: 2 }]);
    expect(problems).toEqual([
      [2, "not-an-object"],
      [3, "not-an-object"],
      [4, "not-an-object"],
      [5, "not-json"],
      [6, "not-json"],
    ]);
  });

  it("says unfinished for the last line only, torn for one in between", async () => {
    const { problems } = await read('{"a":1,\n{"a":2}\n{"a":3');
    expect(problems).toEqual([
      [1, "torn"],
      [3, "unfinished"],
    ]);
  });

  it("replaces bad bytes on their line only", async () => {
    const text = bytes('{"a":"ok é"}\n{"a":"b?d"}\n{"a":"ok 日"}\n');
    text[text.indexOf("?".charCodeAt(0))] = 0xb2;
    const { rows, problems } = await read(text);
    expect(rows.map((row) => row["a"])).toEqual(["ok é", "b\ufffdd", "ok 日"]);
    expect(problems).toEqual([[2, "bad-bytes"]]);
  });

  it("reads UTF-16 with a mark, as PowerShell writes it", async () => {
    const text = '\ufeff{"a":"é 😀"}\r\n{"a":2}\r\n';
    const raw = new Uint8Array(text.length * 2);
    for (let i = 0; i < text.length; i++) {
      raw[2 * i] = text.charCodeAt(i) & 255;
      raw[2 * i + 1] = text.charCodeAt(i) >> 8;
    }
    expect((await read(raw)).rows).toEqual([{ a: "é 😀" }, { a: 2 }]);
  });

  it("numbers lines across the blocks that are decoded together", async () => {
    const filler = `{"x":"${"y".repeat(1000)}"}\n`.repeat(9000);
    const { rows, lines } = await read(`${filler}{"last":1}\n`);
    expect(rows).toHaveLength(9001);
    expect(lines.at(-1)).toBe(9001);
  });

  it("reads one line of 100 MB, and makes one beyond the limit a problem", async () => {
    const long = `{"a":"${"x".repeat(100_000_000)}"}\n{"a":"short"}\n`;
    const whole = await read(long);
    expect(whole.rows.map((row) => String(row["a"]).length)).toEqual([100_000_000, 5]);
    const limited = await read(long, "a.jsonl", { ...DEFAULT_LIMITS, lineBytes: 1_000_000 });
    expect(limited.rows).toEqual([{ a: "short" }]);
    expect(limited.problems).toEqual([[1, "too-large"]]);
  }, 30_000);

  it("stays bounded when every line is bad", async () => {
    const result = await readSampleFile(bytes('{"a":1}\n' + "oops\n".repeat(5000)), "a.jsonl");
    expect(result.problems.count).toBe(5000);
    expect(result.problems.items).toHaveLength(ProblemList.kept);
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    controller.abort();
    const text = bytes('{"a":1}\n'.repeat(5000));
    await expect(readSampleFile(text, "a.jsonl", DEFAULT_LIMITS, controller.signal)).rejects.toThrow();
  });
});

describe("JSON", () => {
  it("reads a list of rows with the row as line", async () => {
    const { reader, rows, lines, floats } = await read('[\n {"a": 1.0},\n {"a": 2}\n]', "a.json");
    expect(reader).toBe("json");
    expect(rows).toEqual([{ a: 1 }, { a: 2 }]);
    expect(lines).toEqual([1, 2]);
    expect([...floats]).toEqual(["a"]);
  });

  it.each([
    ["a wrapping object", '{"meta": 1.5, "samples": [{"a": 2.0}]}', [{ a: 2 }], ["a"]],
    [
      "columns, as pandas writes them",
      '{"a": [1.0, 2.0], "b": ["x", "y"]}',
      [
        { a: 1, b: "x" },
        { a: 2, b: "y" },
      ],
      ["a"],
    ],
    [
      "a table of Weights & Biases",
      '{"columns": ["a", "b"], "data": [[1, 0.5], [2, 1.0]]}',
      [
        { a: 1, b: 0.5 },
        { a: 2, b: 1 },
      ],
      ["b"],
    ],
    ["one row", '{\n"completion": "c",\n"score": 1.0}', [{ completion: "c", score: 1 }], ["score"]],
    [
      "rows one after another, over several lines",
      '{\n"a": 1\n}\n{\n"a": 2.5\n}',
      [{ a: 1 }, { a: 2.5 }],
      ["a"],
    ],
  ])("reads %s", async (_, text, expected, places) => {
    const { rows, floats, problems } = await read(text, "a.json");
    expect(rows).toEqual(expected);
    expect([...floats]).toEqual(places);
    expect(problems).toEqual([]);
  });

  it("says at which line a broken file breaks", async () => {
    expect((await read('[\n{"a": 1},\n{"a": 2', "a.json")).problems).toEqual([[3, "unfinished"]]);
    expect((await read('[\n{"a": 1},\noops]', "a.json")).problems).toEqual([[3, "not-json"]]);
  });

  it("leaves out what isn't a row", async () => {
    const { rows, lines, problems } = await read('[{"a":1}, 5, {"a":2}]', "a.json");
    expect(rows).toEqual([{ a: 1 }, { a: 2 }]);
    expect(lines).toEqual([1, 3]);
    expect(problems).toEqual([[2, "not-an-object"]]);
  });

  it("keeps places of nested floats apart from their column", async () => {
    const { floats } = await read('[{"info": {"x": [1.0]}}]', "a.json");
    expect([...floats]).toEqual([below(below("info", "x"), "[]")]);
  });
});

describe("CSV", () => {
  it("makes of cells what pandas makes of them", async () => {
    const { rows, floats } = await read(
      "text,int,float,mixed,bool,zeros,big\na,1,1.5,x,True,007,9007199254740993\nb,,2,3,False,010,1\n",
      "a.csv",
    );
    expect(rows).toEqual([
      { text: "a", int: 1, float: 1.5, mixed: "x", bool: true, zeros: "007", big: 9007199254740993n },
      { text: "b", int: null, float: 2, mixed: "3", bool: false, zeros: "010", big: 1 },
    ]);
    expect([...floats]).toEqual(["float"]);
  });

  it("takes NA for missing among numbers and bools, and for text among texts", async () => {
    const { rows, floats } = await read(
      "int,float,bool,gold,marks\n1,0.5,True,null,NA\nNA,null,None,NA,NA\n3,2,False,Paris,\n",
      "a.csv",
    );
    expect(rows).toEqual([
      { int: 1, float: 0.5, bool: true, gold: "null", marks: "NA" },
      { int: null, float: null, bool: null, gold: "NA", marks: "NA" },
      { int: 3, float: 2, bool: false, gold: "Paris", marks: null },
    ]);
    expect([...floats]).toEqual(["float"]);
  });

  it("gives each row its first line, over quoted line breaks", async () => {
    const { rows, lines } = await read('a,b\n"one\ntwo",1\nx,2\n"say ""hi""",3\n', "a.csv");
    expect(rows.map((row) => row["a"])).toEqual(["one\ntwo", "x", 'say "hi"']);
    expect(lines).toEqual([2, 4, 5]);
  });

  it.each([
    ["tabs", "a\tb\n1,5\t2\n"],
    ["semicolons", "a;b\n1,5;2\n"],
  ])("finds %s", async (_, text) => {
    expect((await read(text, "a.csv")).rows).toEqual([{ a: "1,5", b: 2 }]);
  });

  it("reads ragged rows and says where they are", async () => {
    const { rows, problems } = await read("a,b\n1\n2,3,4\n5,6\n", "a.csv");
    expect(rows).toEqual([
      { a: 1, b: null },
      { a: 2, b: 3 },
      { a: 5, b: 6 },
    ]);
    expect(problems).toEqual([
      [2, "bad-csv"],
      [3, "bad-csv"],
    ]);
  });

  it("keeps every column of a repeated heading, named as pandas names them, and says so once", async () => {
    const { rows, problems } = await read("a,b,a,a.1,,a,\n1,2,3,4,5,6,7\n", "a.csv");
    expect(rows).toEqual([{ a: 1, b: 2, "a.2": 3, "a.1": 4, "Unnamed: 4": 5, "a.3": 6, "Unnamed: 6": 7 }]);
    expect(problems).toEqual([[1, "bad-csv"]]);
    const { problems: list } = await readSampleFile(bytes("gold,gold\n1,2\n"), "a.csv");
    expect(list.items[0]?.message).toContain('column 2 repeats the heading "gold" and is called "gold.1"');
  });

  it("has no complaint about a column without a name", async () => {
    const { rows, problems } = await read(",text\n0,a\n", "a.csv");
    expect(rows).toEqual([{ "Unnamed: 0": 0, text: "a" }]);
    expect(problems).toEqual([]);
  });

  it.each([
    ["text behind a closing quote", 'p,"a"b,1', ["p", "ab", 1]],
    ["a comma in quotes, text behind them", 'p,"a,"b,1', ["p", "a,b", 1]],
    ["doubled quotes, text behind them", 'p,"a""b"c"d,1', ["p", 'a"bc"d', 1]],
    ["a quote within an unquoted cell", 'p,5" long,1', ["p", '5" long', 1]],
    ["a quote behind a space", 'p, "a",1', ["p", ' "a"', 1]],
    ["nothing but quotes", 'p,"""",1', ["p", '"', 1]],
    ["an empty quoted cell", 'p,"",1', ["p", null, 1]],
  ])("splits %s as Python's csv does", async (_, row, expected) => {
    const { rows, problems } = await read(`x,y,z\n${row}\n`, "a.csv");
    expect(Object.values(rows[0] ?? {})).toEqual(expected);
    expect(problems).toEqual([]);
  });

  it("counts lines over blank ones, CRLF and a last cell that is empty", async () => {
    const { rows, lines } = await read('a,b\r\n\r\n"x\r\ny",1\r\n2,', "a.csv");
    expect(rows).toEqual([
      { a: "x\r\ny", b: 1 },
      { a: "2", b: null },
    ]);
    expect(lines).toEqual([3, 5]);
  });

  it("survives a quote that never closes", async () => {
    const { problems } = await read('a,b\n1,2\n"open,3\nmore,4\n', "a.csv");
    expect(problems.map(([, code]) => code)).toContain("bad-csv");
  });
});

describe("recognising a file by its content", () => {
  it.each([
    ["a.txt", '{"a":1}\n{"a":2}\n', "jsonl"],
    ["a.json", '{"a":1}\n{"a":2}\n', "jsonl"],
    ["a.json", '{"a":1}', "json"],
    ["a.jsonl", '{"a":1}', "jsonl"],
    ["a.txt", '{"half": \n{"a":1}\n{"a":2}', "jsonl"],
    ["a.txt", '{\n  "a": 1\n}\n', "json"],
    ["a.txt", ' [ {"a":1} ]', "json"],
    ["a.txt", "a,b\n1,2\n", "csv"],
    ["a.csv", "only\none\n", "csv"],
    ["a.bin", "PAR1....", "parquet"],
  ])("%s holding %j", (name, text, reader) => {
    expect(sniff(bytes(text), name).reader).toBe(reader);
  });

  it.each([
    [
      "a Git LFS pointer",
      "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
      "git lfs pull",
    ],
    ["an empty file", " \n\n", "empty"],
  ])("reads no row of %s and says what it is", async (_, text, words) => {
    const result = await readSampleFile(bytes(text), "a.jsonl");
    expect(result.rows).toEqual([]);
    expect(result.problems.items[0]?.message).toContain(words);
  });

  it.each([
    ["a ZIP archive", [0x50, 0x4b, 3, 4]],
    ["gzip", [0x1f, 0x8b, 8]],
    ["Zstandard", [0x28, 0xb5, 0x2f, 0xfd]],
    ["a pickle", [0x80, 4, 0x95]],
    ["prose", [...bytes("Dear reader\nthis is prose\n")]],
  ])("refuses %s with FormatUnknown", async (_, head) => {
    const failure = readSampleFile(new Uint8Array(head), "a.dat");
    await expect(failure).rejects.toBeInstanceOf(RewardsmithError);
    await expect(failure).rejects.toMatchObject({ code: "FormatUnknown" });
  });
});
