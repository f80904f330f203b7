import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readAll } from "../../../support/readAll";

const caseFile = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/cases/${name}`, import.meta.url));
const calls = ({ trajectories }: Awaited<ReturnType<typeof readAll>>) =>
  trajectories.map(({ branches }) => branches[0]?.messages[1]?.calls[0]);

it("case T07, trap 5: arguments as text, as an object, or neither; what the model wrote stays", async () => {
  const read = calls(await readAll(caseFile("T07_tool_arguments.jsonl")));
  const oslo = { city: "Oslo", days: 2 };
  expect([0, 1, 9].map((row) => read[row]?.arguments)).toEqual([oslo, oslo, oslo]);
  expect(read.map((call) => call?.name)).toEqual(Array.from({ length: 10 }, () => "weather"));
  expect(read.map((call) => call?.problem)).toEqual([
    null,
    null,
    "not-an-object",
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
  // Encoded twice: the text within the text.
  expect(read[2]?.arguments).toBe(JSON.stringify(oslo).replaceAll(":", ": ").replaceAll(",", ", "));
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
