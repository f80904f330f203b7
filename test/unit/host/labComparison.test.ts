import { describe, expect, test } from "vitest";
import { literalOf, openComparison } from "../../../src/host/model/comparison";

describe("a text literal that is compared with a column", () => {
  test.each([
    ['    if answer == "', { name: "answer", quote: '"', typed: "" }],
    ["    if answer != 'fo", { name: "answer", quote: "'", typed: "fo" }],
    ['    if level in ("easy", "', { name: "level", quote: '"', typed: "" }],
    [
      'for text, gold in zip(completions, answer):\n    if gold == "4',
      { name: "answer", quote: '"', typed: "4" },
    ],
    ['    return [1.0 for a in answer if a == "', { name: "answer", quote: '"', typed: "" }],
    ['for x in prompts:\n    pass\nfor x in level:\n    if x == "', { name: "level", quote: '"', typed: "" }],
  ])("%j", (before, expected) => {
    expect(openComparison(before)).toEqual(expected);
  });

  test.each(['answer = "', 'print("', 'answer == "4" ', 'row.answer == "', 'answer == "a\\"', ""])(
    "not in %j",
    (before) => {
      expect(openComparison(before)).toBeNull();
    },
  );

  test("quotes and backslashes are written as Python has them; several lines are no value to type", () => {
    expect(literalOf('say "hi"\\', '"')).toBe('say \\"hi\\"\\\\');
    expect(literalOf('say "hi"', "'")).toBe('say "hi"');
    expect(literalOf("two\nlines", '"')).toBeNull();
  });
});
