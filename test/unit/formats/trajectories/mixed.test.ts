import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readMemory } from "../../../support/readMemory";
import { readAll } from "../../../support/readAll";

const caseFile = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/cases/${name}`, import.meta.url));
const calls = ({ trajectories }: Awaited<ReturnType<typeof readAll>>) =>
  trajectories.map(({ branches }) => branches[0]?.messages[1]?.calls[0]);

it("case T01: four records around torn lines, each torn line a problem; what is completed appears", async () => {
  const torn = await readAll(caseFile("T01_torn.jsonl"));
  expect(torn.trajectories.map(({ id }) => id)).toEqual(["0", "1", "4", "5"]);
  expect(torn.problems.map(({ line, code }) => [line, code])).toEqual([
    [3, "glued"],
    [7, "unfinished"],
  ]);
  const blank = await readAll(caseFile("T01_torn_then_blank.jsonl"));
  expect(blank.trajectories).toHaveLength(1);
  expect(blank.problems.map(({ line }) => line)).toEqual([2]);
  const text = readFileSync(caseFile("T01_torn.jsonl"), "utf8").trimEnd();
  const whole = await readMemory("T01_torn.jsonl", `${text}letion": "text 6", "reward": 0.6}\n`);
  expect(whole.trajectories.at(-1)).toMatchObject({ line: 7, trajectory: { id: "6", reward: 0.6 } });
  expect(whole.problems.map(({ line }) => line)).toEqual([3]);
});

it("case T03: NaN and infinities are shown as such, none is none, and texts that say NaN stay", async () => {
  const { trajectories, problems } = await readAll(caseFile("T03_nonfinite.jsonl"));
  expect(problems).toEqual([]);
  expect(trajectories.map(({ reward }) => reward)).toEqual([
    1,
    { nonFinite: "nan" },
    { nonFinite: "inf" },
    { nonFinite: "-inf" },
    null,
    { nonFinite: "inf" },
    0.5,
    0,
  ]);
  expect(trajectories.map(({ group }) => group)).toEqual(["g0", "g0", "g0", "g0", "g1", "g1", "g1", "g1"]);
  expect(trajectories[6]?.rewards).toEqual({ style: { nonFinite: "nan" }, math: 0.5 });
  const texts = trajectories.map(({ branches }) => branches[0]?.messages[0]?.parts[0]);
  expect(texts[1]).toEqual({ type: "text", text: "reward came out NaN, not 0" });
  expect(texts[7]).toEqual({ type: "text", text: '"reward": NaN' });
});

it("case T05: marks, line ends, half characters and stray bytes; a note on the one line that is damaged", async () => {
  const { trajectories, problems } = await readAll(caseFile("T05_encodings.jsonl"));
  expect(trajectories.map(({ id }) => id)).toEqual(["0", "1", "2", "3", "4"]);
  expect(
    trajectories
      .map(({ branches }) => branches[0]?.messages[0]?.parts[0])
      .map((part) => part?.type === "text" && part.text),
  ).toEqual([
    "café 東京 😀",
    "half a pair: \ud835",
    "whole pair: \ud835\udc00",
    "stray byte: \ufffd here",
    "nul \u0000 and bell \u0007 and <b>tag</b>",
  ]);
  expect(problems.map(({ line, code }) => [line, code])).toEqual([[4, "bad-bytes"]]);
});

it("case T07, trap 5: arguments as text, as an object, or neither; what the model wrote stays", async () => {
  const read = calls(await readAll(caseFile("T07_tool_arguments.jsonl")));
  const oslo = { city: "Oslo", days: 2 };
  // Row 2 is encoded twice: the same, with a note.
  expect([0, 1, 2, 9].map((row) => read[row]?.arguments)).toEqual([oslo, oslo, oslo, oslo]);
  expect(read.map((call) => call?.name)).toEqual(Array.from({ length: 10 }, () => "weather"));
  expect(read.map((call) => call?.problem)).toEqual([
    null,
    null,
    "encoded-twice",
    "not-json",
    null,
    null,
    null,
    "not-json",
    "not-an-object",
    null,
  ]);
  expect([4, 5, 6].map((row) => read[row]?.arguments)).toEqual([{}, {}, {}]);
  expect([3, 7].map((row) => [read[row]?.arguments, read[row]?.raw])).toEqual([
    [null, '{"city": "Oslo", "days": '],
    [null, "Oslo"],
  ]);
  expect(read[8]?.arguments).toEqual(["Oslo", 2]);
  const written = JSON.stringify(oslo).replaceAll(":", ": ").replaceAll(",", ", ");
  expect(read[2]?.raw).toBe(JSON.stringify(written));
});

it("case T09: eight trajectories of seven lines, one line of no known form, no reward made up", async () => {
  const { trajectories, problems } = await readAll(caseFile("T09_mixed.jsonl"));
  expect(trajectories.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 6, 7]);
  expect(trajectories.map(({ reward }) => reward)).toEqual([1, 0, 1, 1, 0.9, 1, 0, 1]);
  expect(problems.map(({ line, code }) => [line, code])).toEqual([[8, "unknown-form"]]);
  // The file is verl's, which most of its lines are; the others name the form that read them.
  expect(trajectories.map(({ form }) => form)).toEqual([
    null,
    null,
    null,
    "verifiers-results",
    "art-trajectories",
    "art-groups",
    "art-groups",
    "nemo-gym-rollouts",
  ]);
  for (const { branches } of trajectories)
    expect(branches[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  const acc = trajectories.map(
    ({ rewards, metrics, columns }) => ({ ...columns, ...metrics, ...rewards })["acc"],
  );
  expect(acc.filter((value) => value !== undefined)).toHaveLength(1);
});
