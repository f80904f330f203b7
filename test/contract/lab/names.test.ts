import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { LabelRecord } from "../../../src/schema/label";
import { groupFilter } from "../../../webview/lab/groups/words";
import { LabView } from "../../../src/engine/labView";
import { LabelStore } from "../../../src/services/labels/labelStore";
import { labDataContract, type LabDataContract } from "../../../src/protocol/labData.contract";
import { createClient, type Channel, type Client } from "../../../src/protocol/rpc";
import { Emitter } from "../../../src/base/event";
import { labelFiles } from "../../../src/engine/labels";
import { lab, never, type LabBench } from "./bench";
import { followWay } from "../../../src/services/lab/way";
import { tryCompletion } from "../../../src/services/lab/attempt";

type Methods = LabDataContract["methods"];

/** The page's client and the engine's view with frames between them as JSON, as processes have them. */
function view({ session, folder }: LabBench): Client<Methods> & { longest(): number } {
  const [toPage, toEngine] = [new Emitter<unknown>(), new Emitter<unknown>()];
  let longest = 0;
  const channel = (out: Emitter<unknown>, from: Emitter<unknown>): Channel => ({
    post: (message) => {
      const text = JSON.stringify(message);
      if (out === toPage) longest = Math.max(longest, text.length);
      const copy: unknown = JSON.parse(text);
      queueMicrotask(() => out.fire(copy));
    },
    onMessage: from.event,
    onClose: () => ({ dispose: () => undefined }),
  });
  const report = (problem: string): void => {
    throw new Error(problem);
  };
  new LabView(channel(toPage, toEngine), {
    session: () => session,
    labels: new LabelStore(labelFiles, () => "2026-01-02T03:04:05.000Z"),
    sidecar: () => `${folder}/samples.labels.jsonl`,
    labeller: () => "mia",
    report,
  });
  const { client } = createClient<Methods, LabDataContract["events"]>(
    labDataContract,
    channel(toEngine, toPage),
    {},
    report,
  );
  return Object.assign(client, { longest: () => longest });
}

const query = (filter = "", weights: Record<string, number> | null = null) => ({
  filter,
  sort: [],
  grouped: false,
  weights,
});
const rowsOf = async (client: Client<Methods>, filter: string): Promise<number[] | string> => {
  const { page, filterError } = await client.page({ query: query(filter), from: 0, count: 100 });
  return filterError ? filterError.message : page.map(({ row }) => row);
};

describe("names that mean something to JavaScript", () => {
  const reward = [
    "def constructor(completions, **kwargs):",
    "    print(sorted(kwargs)[:3], kwargs['__proto__'][0], kwargs['constructor'][0])",
    "    return [float(len(text)) for text in completions]",
    "",
    "def toString(completions, **kwargs):",
    "    return [1.0 if one == 'a' else 0.0 for one in kwargs['__proto__']]",
    "",
  ].join("\n");
  const samples = ["a", "b"].map((name, i) =>
    Object.fromEntries<unknown>([
      ["prompt", "p"],
      ["completion", "x".repeat(i + 1)],
      ["__proto__", name],
      ["constructor", { __proto__: null, hasOwnProperty: i }],
      ["toString", i],
    ]),
  );

  it("a row without such a column has none, not what objects inherit", async () => {
    const bench = await lab(reward, [...samples, { prompt: "p", completion: "xxx" }]);
    await bench.session.score();
    const { columns } = await view(bench).detail({ row: 2, weights: null, maxText: 1000 });
    expect(Object.values(columns)).toEqual([null, null, null]);
    expect(bench.session.rows("constructor", 0, 3, null).rows.map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  it("columns and functions keep them: to Python, in the detail, filters, sorts, weights, the way and a try", async () => {
    const bench = await lab(reward, samples);
    await bench.session.score();
    const client = view(bench);
    const first = await client.page({ query: query(), from: 0, count: 10 });
    expect(first.functions.map(({ name, weight }) => [name, weight])).toEqual([
      ["constructor", 1],
      ["toString", 1],
    ]);
    expect(first.page.map(({ total }) => total)).toEqual([2, 2]);
    expect(first.columns).toEqual(["__proto__", "constructor", "toString"]);
    const weighed = await client.page({ query: query("", { constructor: 3 }), from: 0, count: 10 });
    expect(weighed.page.map(({ total }) => total)).toEqual([4, 6]);

    const detail = await client.detail({ row: 1, weights: null, maxText: 1000 });
    expect(Object.keys(detail.columns)).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getOwnPropertyDescriptor(detail.columns, "__proto__")?.value).toBe("b");
    expect(detail.functions[0]?.output).toContain("['__proto__', ");

    expect(await rowsOf(client, "__proto__=b")).toEqual([1]);
    expect(await rowsOf(client, '"toString">0')).toEqual([1]);
    expect(await rowsOf(client, "constructor>1")).toEqual([1]);
    expect(await rowsOf(client, "toString=0")).toEqual([1]);
    const sort = [{ key: "column:__proto__", descending: true }];
    const sorted = await client.page({ query: { ...query(), sort }, from: 0, count: 10 });
    expect(sorted.page.map(({ row }) => row)).toEqual([1, 0]);

    const way = await followWay(bench.session, { row: 0, function: "toString" }, never());
    expect(way.off).toBeNull();
    const tried = await tryCompletion(bench.session, { row: 0, completion: "xxxx", weights: null }, never());
    expect(tried.total).toBe(5);
  });
});

describe("names of any length, with anything in them", () => {
  const LONG = "x".repeat(1_000_000);
  const NAMES = [
    `${LONG}a`,
    `${LONG}b`,
    'say "hi"',
    String.raw`back\slash`,
    String.raw`ends in \\`,
    "two\nlines\ttab",
    "  spaces  ",
    "a,b",
    "none",
    "(group)",
    "=1+1",
    "-tied",
    "é😀\u2028ü",
  ];
  const samples = NAMES.flatMap((name, i) =>
    [0, 1].map((k) => ({ id: `${name}/${k}`, task: name, prompt: `p${i}`, completion: `c${i},${k}` })),
  );
  const mapping = {
    prompt: "prompt",
    completion: "completion",
    group: { by: "column" as const, column: "task" },
    id: "id",
    completionIds: null,
    label: null,
    columns: {},
  };
  const reward = "def f(completions, **kwargs):\n    return [float(text[-1]) for text in completions]\n";

  it("are short in what the page gets, are told apart, and find their rows again", async () => {
    const bench = await lab(reward, samples, { mapping });
    await bench.session.score();
    const client = view(bench);
    const { page } = await client.page({ query: query(), from: 0, count: 100 });
    const { groups } = await client.groups({
      filter: "",
      weights: null,
      sort: "file",
      descending: false,
      from: 0,
      count: 100,
    });
    expect(groups).toHaveLength(NAMES.length);
    expect(new Set(groups.map(({ id }) => id)).size).toBe(NAMES.length);
    expect(new Set(page.map(({ id }) => id)).size).toBe(samples.length);
    for (const { id } of [...groups, ...page]) {
      expect(id.length).toBeLessThan(250);
      expect(id).not.toMatch(/[\n\t]/u);
    }
    for (const [index, { id }] of groups.entries()) {
      const filter = groupFilter(id);
      expect(await rowsOf(client, filter), filter).toEqual([2 * index, 2 * index + 1]);
      expect(page[2 * index]?.group).toBe(id);
    }
    for (const { row, id } of page) {
      expect(await client.find({ query: query(), row: 0, id })).toEqual({ at: row, row });
      expect((await client.detail({ row, weights: null, maxText: 100 })).id).toBe(id);
    }
    // As a person types a name that can be typed.
    expect(await rowsOf(client, 'group:"two\nlines\ttab"')).toEqual([10, 11]);
    expect(client.longest()).toBeLessThan(100_000);
  });

  it("are whole in a copy as CSV, and Python reads back what is in the file", async () => {
    const bench = await lab(reward, samples, { mapping });
    await bench.session.score();
    const { text } = await view(bench).copy({ query: query(), form: "csv", limit: 1000 });
    const read = spawnSync(
      "python3",
      [
        "-c",
        "import csv, json, sys; csv.field_size_limit(10**9); print(json.dumps(list(csv.DictReader(sys.stdin))))",
      ],
      { input: text, encoding: "utf8", maxBuffer: 1e9, env: { ...process.env, PYTHONUTF8: "1" } },
    );
    const rows = z.array(z.record(z.string(), z.string())).parse(JSON.parse(read.stdout));
    expect(rows.map(({ id, group, completion }) => ({ id, task: group, completion }))).toEqual(
      samples.map(({ id, task, completion }) => ({ id, task, completion })),
    );
    expect(rows.map(({ f }) => Number(f))).toEqual(samples.map((_, i) => i % 2));
  });

  it("carry labels: by row, in the sidecar by the whole id, found again by another store", async () => {
    const bench = await lab(reward, samples, { mapping });
    await bench.session.score();
    const acts = samples.map((_, row) => ({
      kind: "verdict" as const,
      row,
      value: row % 3 ? ("good" as const) : ("bad" as const),
      stream: "random" as const,
    }));
    await view(bench).label({ acts });
    const written = readFileSync(`${bench.folder}/samples.labels.jsonl`, "utf8").trimEnd().split("\n");
    expect(written.map((one) => LabelRecord.parse(JSON.parse(one)))).toMatchObject(
      samples.map(({ id }) => ({ kind: "verdict", id })),
    );
    const { page } = await view(bench).page({ query: query("label:bad"), from: 0, count: 100 });
    expect(page.map(({ row }) => row)).toEqual(samples.flatMap((_, row) => (row % 3 ? [] : [row])));
  });
});
