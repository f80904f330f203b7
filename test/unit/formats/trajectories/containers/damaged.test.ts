import { readFileSync } from "node:fs";
import { gzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { RewardsmithError } from "../../../../../src/base/errors";
import { FILE_LIMITS } from "../../../../../src/formats/trajectories/container";
import { documentContainer } from "../../../../../src/formats/trajectories/containers/document";
import { linesContainer } from "../../../../../src/formats/trajectories/containers/lines";
import { Pace } from "../../../../../src/formats/trajectories/containers/pace";
import { parquetContainer } from "../../../../../src/formats/trajectories/containers/parquet";
import { unpack } from "../../../../../src/formats/trajectories/containers/unpack";
import { parseYaml } from "../../../../../src/formats/trajectories/containers/yaml";
import { anyForm, memoryFile, scanAll } from "../../../../support/memoryFile";

describe("gzip", () => {
  const text = Buffer.from("one two three ".repeat(20_000));
  const two = new Uint8Array(Buffer.concat([gzipSync(text), gzipSync(Buffer.from("four"))]));

  it("reads members one behind the other", async () => {
    const all = await unpack(two, "gzip", 1_000_000);
    expect(Buffer.from(all).toString()).toBe(`${text.toString()}four`);
  });

  it.each([
    ["the first member", gzipSync(text).length - 6],
    ["the last member", two.length - 6],
    ["a size", two.length - 1],
  ])("tells damage by the checksum of %s", async (_, at) => {
    const damaged = two.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await expect(unpack(damaged, "gzip", 1_000_000)).rejects.toThrow("checksum");
  });

  it("tells one that is cut in its checksum", async () => {
    await expect(unpack(two.slice(0, -3), "gzip", 1_000_000)).rejects.toThrow();
  });
});

describe("bytes that no writer of JSON writes", () => {
  it("are a problem of their line, and the record is shown", async () => {
    const content = '{"a":"x\u0000y"}\n{"a":"z"}\n{"a":"\\u0000"}\n';
    const file = await linesContainer.open(memoryFile("x.jsonl", content), anyForm, FILE_LIMITS);
    const { records, problems } = await scanAll(file);
    expect(records).toHaveLength(3);
    expect(problems.map(({ line, code }) => [line, code])).toEqual([[1, "bad-bytes"]]);
  });

  it.each([
    ["NUL", Buffer.from('{"a":"x\u0000y"}')],
    ["not UTF-8", Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')])],
  ])("are a problem of a document: %s", async (_, content) => {
    const file = await documentContainer.open(memoryFile("x.json", content), anyForm, FILE_LIMITS);
    const { records, problems } = await scanAll(file);
    expect(records).toHaveLength(1);
    expect(problems.map(({ code }) => code)).toEqual(["bad-bytes"]);
  });
});

it("refuses a Parquet file whose footer lacks parts", async () => {
  const bytes = new Uint8Array(readFileSync("test/fixtures/samples/all.none.parquet"));
  const length = new DataView(bytes.buffer).getUint32(bytes.length - 8, true);
  let refused = 0;
  for (let at = bytes.length - 8 - length; at < bytes.length - 8; at += 7) {
    const damaged = bytes.slice();
    damaged[at] = 0;
    try {
      const { names } = await parquetContainer.head(memoryFile("x.parquet", damaged), FILE_LIMITS);
      expect(names.every((name) => typeof name === "string")).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(RewardsmithError);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(5);
});

it("doesn't begin with a YAML value that can't be read in pieces and would hold everybody up", async () => {
  const item = "  - {role: user, content: hello}\n";
  const map = `messages:\n${item.repeat(150_000)}`;
  await expect(parseYaml(map, "x.yaml", new Pace())).rejects.toMatchObject({ code: "TooLarge" });
});
