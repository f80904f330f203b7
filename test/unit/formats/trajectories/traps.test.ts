import { readFileSync } from "node:fs";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { LAYOUTS } from "../../../../src/core/trajectories/runLayouts";
import { runOf } from "../../../../src/core/trajectories/runs";
import { FILE_LIMITS } from "../../../../src/formats/trajectories/container";
import { crc32 } from "../../../../src/formats/trajectories/containers/crc32";
import { parquetContainer } from "../../../../src/formats/trajectories/containers/parquet";
import { artParquet } from "../../../../src/formats/trajectories/forms/art";
import { trlCompletions } from "../../../../src/formats/trajectories/forms/trlCompletions";
import type { Message, Trajectory } from "../../../../src/schema/trajectory";
import { nodeFileStore } from "../../../../src/runtime/fileStore";
import { readAsSamples } from "../../../../src/services/trajectories/asSamples";
import { zstd } from "../../../contract/trajectories/mutate";
import { anyForm, memoryFile, scanAll } from "../../../support/memoryFile";
import { readForm } from "../../../support/readForm";
import { readMemory } from "../../../support/readMemory";

/** The traps of real files, by their numbers on the sheet of contracts. */
const FIXTURES = "test/fixtures/trajectories";
const jsonl = (...rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const chat = [
  { role: "user", content: "2+2?" },
  { role: "assistant", content: "4" },
];
const verl = (input: string, score: unknown = 1, more: Record<string, unknown> = {}) => ({
  input,
  output: "4",
  score,
  step: 1,
  ...more,
});

async function read(path: string, content: string | Uint8Array): Promise<readonly Trajectory[]> {
  return (await readMemory(path, content)).trajectories.map(({ trajectory }) => trajectory);
}
const messagesOf = (one: Trajectory | undefined): readonly Message[] => one?.branches[0]?.messages ?? [];
const textsOf = (one: Trajectory | undefined): readonly unknown[] =>
  messagesOf(one).map(({ parts }) => (parts[0]?.type === "text" ? parts[0].text : parts[0]));

/** Groups as the store finds them, by row. */
async function groupsOf(path: string, content: string): Promise<readonly unknown[]> {
  const rows = await readAsSamples(utf8(content), path, nodeFileStore, { at: 0 });
  return rows?.rows.map((row) => row["group"]) ?? [];
}

describe("traps of real files", () => {
  it("trap 1: NaN, Infinity and -Infinity, as numbers, in arguments and in documents", async () => {
    const rows = await read(
      "x.jsonl",
      `{"messages":${JSON.stringify(chat)},"reward":NaN}\n{"messages":${JSON.stringify(chat)},"reward":-Infinity,"rewards":{"a":Infinity,"b":1}}\n`,
    );
    expect(rows.map(({ reward }) => reward)).toEqual([{ nonFinite: "nan" }, { nonFinite: "-inf" }]);
    expect(rows[1]?.rewards).toEqual({ a: { nonFinite: "inf" }, b: 1 });
    const log = `{"version":2,"eval":{},"plan":{},"samples":[{"id":1,"epoch":1,"input":"q","messages":${JSON.stringify(chat)},"scores":{"s":{"value":NaN}}}]}`;
    const [sample] = await read("log.json", log);
    expect(sample?.rewards).toEqual({ s: { nonFinite: "nan" } });
    const call = { name: "f", arguments: '{"x": NaN, "id": 12345678901234567890}' };
    const [called] = await read(
      "x.jsonl",
      jsonl({ messages: [chat[0], { role: "assistant", content: null, tool_calls: [call] }] }),
    );
    expect(messagesOf(called)[1]?.calls[0]).toMatchObject({
      problem: null,
      arguments: { x: Number.NaN, id: 12345678901234567890n },
    });
    const object =
      '{"role":"assistant","content":null,"tool_calls":[{"name":"f","arguments":{"id":12345678901234567890}}]}';
    const rows2 = await readAsSamples(
      utf8(`{"messages":[${object},${JSON.stringify(chat[1])}],"reward":1}\n`),
      "x.jsonl",
      nodeFileStore,
      { at: 0 },
    );
    expect(JSON.stringify(rows2?.rows[0]?.["completion"])).toContain('{\\"id\\":12345678901234567890}');
  });

  it("trap 2: torn and glued lines, and a half last line, each a problem of its line; the rest is read", async () => {
    const [one, two, three] = [verl("a?"), verl("b?"), verl("c?")].map((row) => JSON.stringify(row));
    const torn = `${one}\n${two?.slice(0, 14)}${three}\n${one}{${two}\n${three}${one}\n${two?.slice(0, 30)}`;
    const { trajectories, problems } = await readMemory("1.jsonl", torn);
    expect(trajectories.map(({ line, trajectory }) => [line, textsOf(trajectory)[0]])).toEqual([
      [1, "a?"],
      [3, "a?"],
      [4, "c?"],
      [4, "a?"],
    ]);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([
      [2, "glued"],
      [3, "glued"],
      [4, "glued"],
      [5, "unfinished"],
    ]);
  });

  it("trap 3: numbers as strings are numbers where they are scores, and texts where they are answers", async () => {
    const [one] = await read("1.jsonl", jsonl(verl("2+2?", "0.5", { acc: "1.0", format: "nan", pred: "4" })));
    expect([one?.reward, one?.rewards]).toEqual([0.5, { acc: 1, format: { nonFinite: "nan" } }]);
    expect(one?.columns["pred"]).toBe("4");
  });

  it("trap 4: values wrapped in lists of one are those values", async () => {
    const row = { content: [["2+2?", "4"]], rewards: [0.5], sample_loss_mask: [1.0], note: ["n"], idx: 3 };
    const [one] = await read("train_data_step7.jsonl", jsonl(row));
    expect(one).toMatchObject({ id: "3", step: 7, reward: 0.5, columns: { note: "n" } });
    expect(textsOf(one)).toEqual(["2+2?", "4"]);
  });

  it("trap 5: tool calls as objects, as texts, flat; arguments as text, object, twice encoded or neither", async () => {
    const args = { city: "Oslo" };
    const text = JSON.stringify(args);
    const calls = [
      { id: "a", type: "function", function: { name: "f", arguments: text } },
      { id: "a", type: "function", function: { name: "f", arguments: args } },
      JSON.stringify({ id: "a", function: { name: "f", arguments: text } }),
      { id: "a", name: "f", arguments: args },
      { id: "a", name: "f", args: args },
      { id: "a", function: { name: "f", arguments: JSON.stringify(text) } },
      { id: "a", function: { name: "f", arguments: '{"city": ' } },
      { id: "a", function: { name: "f", arguments: "[1]" } },
      { id: "a", function: { name: "f", arguments: '{"city": "a\nb"}' } },
    ];
    const rows = await read(
      "x.jsonl",
      jsonl(
        ...calls.map((call) => ({
          messages: [chat[0], { role: "assistant", content: null, tool_calls: [call] }],
        })),
      ),
    );
    const found = rows.map((row) => messagesOf(row)[1]?.calls[0]);
    expect(found.map((call) => [call?.id, call?.name])).toEqual(calls.map(() => ["a", "f"]));
    expect(found.map((call) => [call?.arguments, call?.problem])).toEqual([
      [args, null],
      [args, null],
      [args, null],
      [args, null],
      [args, null],
      [args, "encoded-twice"],
      [null, "not-json"],
      [[1], "not-an-object"],
      [null, "not-json"],
    ]);
  });

  it("trap 6: content as text, null or parts; a conversation as one templated text", async () => {
    const contents = [
      "4",
      null,
      [
        { type: "text", text: "4" },
        { type: "image_url", image_url: { url: "a.png" } },
      ],
    ];
    const rows = await read(
      "x.jsonl",
      jsonl(...contents.map((content) => ({ messages: [chat[0], { role: "assistant", content }] }))),
    );
    expect(rows.map((row) => messagesOf(row)[1]?.parts.map(({ type }) => type))).toEqual([
      ["text"],
      [],
      ["text", "image"],
    ]);
    const templated = "<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n";
    const [one] = await read(
      "g.jsonl",
      jsonl({ tokens: [[1]], masks: [[1]], scores: [1], messages: [templated] }),
    );
    expect(messagesOf(one).map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(textsOf(one)).toEqual(["2+2?", "4"]);
  });

  it("trap 7: rows out of order and groups interleaved find their groups", async () => {
    const gym = (task: number, rollout: number) => ({
      responses_create_params: { input: `q${task}` },
      response: { output: [{ type: "message", role: "assistant", content: "a" }] },
      reward: 0,
      _ng_task_index: task,
      _ng_rollout_index: rollout,
    });
    expect(await groupsOf("r.jsonl", jsonl(gym(1, 0), gym(0, 1), gym(1, 1), gym(0, 0)))).toEqual([
      "1",
      "0",
      "1",
      "0",
    ]);
    const mixed = jsonl(verl("a?"), verl("b?"), verl("a?"), verl("b?"));
    const groups = await groupsOf("1.jsonl", mixed);
    expect([groups[0] === groups[2], groups[1] === groups[3], groups[0] === groups[1]]).toEqual([
      true,
      true,
      false,
    ]);
    const moves = [
      { env_index: 1, step: 0, messages: [{ role: "user", content: "one" }] },
      { env_index: 0, step: 0, messages: [{ role: "user", content: "nought" }] },
      { env_index: 1, step: 1, messages: [{ role: "user", content: "one" }, chat[1]] },
      { env_index: 0, step: 1, messages: [{ role: "user", content: "nought" }, chat[1]] },
    ];
    expect((await read("recording.jsonl", jsonl(...moves))).map((one) => [one.id, textsOf(one)])).toEqual([
      ["env 1", ["one", "4"]],
      ["env 0", ["nought", "4"]],
    ]);
  });

  it("trap 8: scores as floats, per token, negative, above 1, null, letters", async () => {
    const skyrl = (score: unknown) => ({ input_prompt: "2+2?", output_response: "4", score });
    const rows = await read(
      "x.jsonl",
      jsonl(skyrl(0.5), skyrl([0, 0, -1.5]), skyrl(-2), skyrl(17), skyrl(null), skyrl([]), skyrl(["x", 1])),
    );
    expect(rows.map(({ reward }) => reward)).toEqual([0.5, -1.5, -2, 17, null, null, null]);
    expect(rows.map(({ credit }) => credit)).toEqual([
      null,
      "per-token",
      null,
      null,
      null,
      "per-token",
      "per-token",
    ]);
    const sample = (id: number, value: unknown) => ({
      id,
      epoch: 1,
      input: "q",
      messages: chat,
      scores: { match: { value } },
    });
    const log = {
      version: 2,
      eval: {},
      plan: {},
      samples: ["C", "I", "P", "N", null].map((value, id) => sample(id, value)),
    };
    expect((await read("log.json", JSON.stringify(log))).map(({ rewards }) => rewards["match"])).toEqual([
      1,
      0,
      0.5,
      0,
      null,
    ]);
  });

  it("trap 9: without an id of its group, by equal prompts, or by runs of rows", async () => {
    const byPrompt = await groupsOf("1.jsonl", jsonl(verl("a?"), verl("b?"), verl("a?")));
    expect(new Set(byPrompt).size).toBe(2);
    const nemo = (prompt: string, idx: number) => ({ content: [[prompt, "4"]], rewards: [1], idx });
    // One prompt twice in a step, in two groups: rows between them tell.
    const byRuns = await groupsOf(
      "train_data_step1.jsonl",
      jsonl(nemo("a?", 0), nemo("a?", 1), nemo("b?", 2), nemo("b?", 3), nemo("a?", 4), nemo("a?", 5)),
    );
    expect(new Set(byRuns).size).toBe(3);
    expect([byRuns[0] === byRuns[1], byRuns[4] === byRuns[5], byRuns[0] === byRuns[4]]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("trap 10: traces that branch, subagents, and a continuation that isn't there", async () => {
    const trace = readFileSync(`${FIXTURES}/verifiers/v1/traces.jsonl`, "utf8");
    const [branching] = await read("traces.jsonl", trace);
    expect(branching?.branches.length).toBeGreaterThan(1);
    const ids = branching?.branches.flatMap(({ messages }) => messages).length;
    expect(new Set(branching?.branches.flatMap(({ messages }) => messages)).size).toBe(ids);
    const atif = readFileSync(`${FIXTURES}/harbor/job/hello__aB/agent/trajectory.json`, "utf8");
    const { trajectories, problems } = await readMemory("job/hello__aB/agent/trajectory.json", atif);
    expect(trajectories[0]?.trajectory.continuedIn).toBe("trajectory.cont-1.json");
    expect(trajectories[0]?.trajectory.branches.map(({ name }) => name)).toEqual(["terminus", "searcher"]);
    expect(problems).toEqual([]);
    const art = {
      messages_and_choices: chat,
      additional_histories: [{ messages_and_choices: [chat[0], { role: "assistant", content: "5" }] }],
      reward: 1,
    };
    const [forked] = await read("x.jsonl", jsonl(art));
    expect(forked?.branches.map(({ from, messages }) => [from, messages.length])).toEqual([
      [null, 2],
      [{ branch: 0, message: 0 }, 1],
    ]);
  });

  it("trap 11: a reward outside the file is found beside it, and is none where there is none", async () => {
    const atif = JSON.stringify({
      schema_version: "ATIF-v1.5",
      session_id: "s",
      agent: { name: "a" },
      steps: [
        { step_id: 1, source: "user", message: "go" },
        { step_id: 2, source: "agent", message: "done" },
      ],
    });
    const result = utf8('{"task_name":"t","verifier_result":{"rewards":{"reward":0.75}}}');
    const path = "job/t__a/agent/trajectory.json";
    const withResult = await readMemory(path, atif, { "../result.json": result });
    expect(withResult.trajectories[0]?.trajectory.reward).toBe(0.75);
    expect((await read(path, atif))[0]?.reward).toBeNull();
    const swe = readFileSync(`${FIXTURES}/swe-agent/repo__one-1.traj`, "utf8");
    expect((await read("repo__one-1.traj", swe))[0]?.reward).toBeNull();
  });

  it("trap 12: a reward called step keeps its number, and the step is the file's", () => {
    const row = { step: 0.25, prompt: "2+2?", completion: "4", right: 1, advantage: 0.5 };
    const { trajectories, problems } = readForm(trlCompletions, [row], "completions_00005.parquet");
    expect([trajectories[0]?.step, trajectories[0]?.rewards["step"]]).toEqual([5, 0.25]);
    expect(problems.join(" ")).toContain('"step"');
  });

  it("trap 13: every codec of Parquet, tables without rows, rows that stand for a failed group, zip with Zstandard", async () => {
    const rowsOf = async (name: string) => {
      const bytes = new Uint8Array(readFileSync(`test/fixtures/samples/${name}.parquet`));
      const file = await parquetContainer.open(memoryFile("x.parquet", bytes), anyForm, FILE_LIMITS);
      const { records, problems } = await scanAll(file);
      expect(problems).toEqual([]);
      return records.map(({ value }) => value);
    };
    const plain = await rowsOf("all.none");
    expect(plain).toHaveLength(3);
    for (const codec of ["snappy", "zstd", "gzip", "brotli", "lz4"])
      expect(await rowsOf(`all.${codec}`)).toEqual(plain);
    expect(await rowsOf("empty")).toEqual([]);
    const sentinel = {
      group_index: 1,
      group_json: '{"exceptions":[{"type":"<class \'OSError\'>","message":"gone"}]}',
      trajectory_index: null,
      trajectory_json: null,
    };
    expect(readForm(artParquet, [sentinel]).trajectories).toMatchObject([
      { reward: null, errors: [{ kind: "OSError", message: "gone" }] },
    ]);
    const sample = utf8(JSON.stringify({ id: 1, epoch: 1, input: "q", messages: chat, scores: {} }));
    const [one] = await read("log.eval", zstdZip("samples/1_epoch_1.json", sample));
    expect(textsOf(one)).toEqual(["2+2?", "4"]);
  });

  it("trap 14: control characters, ANSI, bytes that aren't UTF-8 and very long lines stay what they are", async () => {
    const odd = "\u001b[31mred\u001b[0m \u0000 \u0007 <script>alert(1)</script> \u202e";
    const [one] = await read("1.jsonl", jsonl(verl(odd)));
    expect(textsOf(one)[0]).toBe(odd);
    const bytes = utf8(jsonl(verl("caf@"), verl("b?")));
    bytes[bytes.indexOf("@".charCodeAt(0))] = 0xe9;
    const { trajectories, problems } = await readMemory("1.jsonl", bytes);
    expect(trajectories.map(({ trajectory }) => textsOf(trajectory)[0])).toEqual(["caf\ufffd", "b?"]);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([[1, "bad-bytes"]]);
    const long = "word ".repeat(1_200_000);
    const [large, small] = await read("1.jsonl", jsonl(verl(long), verl("b?")));
    expect([textsOf(large)[0] === long, textsOf(small)[0]]).toEqual([true, "b?"]);
  });

  it("trap 15: a step of 8,192 completions: all are there, in their groups of eight", async () => {
    const rows = Array.from({ length: 8192 }, (_, at) => verl(`q${at >> 3}`, at % 8));
    const groups = await groupsOf("1.jsonl", jsonl(...rows));
    expect(groups).toHaveLength(8192);
    const sizes = new Map<unknown, number>();
    for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1);
    expect([sizes.size, new Set(sizes.values())]).toEqual([1024, new Set([8])]);
  });

  it("trap 16: pickles are never read, whatever they are called, and no run has any", async () => {
    const pickle = new Uint8Array([0x80, 0x04, 0x95, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0x2e]);
    const torch = zipSync({ "archive/data.pkl": pickle, "archive/version": utf8("3") });
    for (const name of ["rollouts.pkl", "rollouts.jsonl", "rollouts.parquet", "rollouts.json"])
      await expect(readMemory(name, pickle)).rejects.toMatchObject({ detail: { problem: "pickle" } });
    for (const name of ["rollouts.pt", "rollouts.eval"])
      await expect(readMemory(name, torch)).rejects.toMatchObject({ detail: { problem: "pickle" } });
    const names = ["a.pkl", "7.pt", "step_7/rollouts.pt", "demo.pickle", "model.bin", "7.jsonl"];
    const { rolloutFiles, metricsFiles, configFiles } = runOf(names.map((path) => ({ path, bytes: 9 })));
    expect([...rolloutFiles.map(({ path }) => path), ...metricsFiles, ...configFiles]).toEqual(["7.jsonl"]);
    for (const { rollouts } of LAYOUTS)
      for (const path of ["x/rollouts/step_7/a.pkl", "x/7.pt"]) expect(rollouts.test(path)).toBe(false);
  });
});

/** One entry, packed with method 93: what Inspect's newest logs have. */
function zstdZip(name: string, bytes: Uint8Array): Uint8Array {
  const zip = new Uint8Array(
    zipSync({ "header.json": utf8('{"version":2,"eval":{},"plan":{}}'), [name]: zstd(bytes) }, { level: 0 }),
  );
  const view = new DataView(zip.buffer);
  for (let at = 0; at + 30 < zip.length; at++) {
    const central = view.getUint32(at, true) === 0x02014b50;
    if (!central && view.getUint32(at, true) !== 0x04034b50) continue;
    const [method, crc, size, from] = central ? [10, 16, 24, 46] : [8, 14, 22, 30];
    const own = new TextDecoder().decode(zip.subarray(at + from, at + from + name.length));
    if (own !== name) continue;
    view.setUint16(at + method, 93, true);
    view.setUint32(at + crc, crc32(bytes), true);
    view.setUint32(at + size, bytes.length, true);
  }
  return zip;
}
