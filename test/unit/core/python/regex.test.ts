import { describe, expect, test } from "vitest";
import { literalValue, translatePattern } from "../../../../src/core/python/regex";

const matches = (literal: string, text: string, method = "search", flags = "", dotAll = false) =>
  translatePattern(literal, flags)?.matches(text, method, dotAll);

test("literals as Python reads them", () => {
  expect(literalValue(String.raw`r"\d+\n"`)).toBe(String.raw`\d+\n`);
  expect(literalValue(String.raw`"\\d\n\s"`)).toBe("\\d\n\\s");
  expect(literalValue(`'a' r"b"\n  '''c'''`)).toBe("abc");
  expect(literalValue('f"{x}"')).toBeNull();
  expect(literalValue('b"x"')).toBeNull();
  expect(literalValue(String.raw`"\x41"`)).toBeNull();
});

describe("means the same as in Python", () => {
  // Each verdict was made with Python 3.11's re.
  test.each<[string, string, string, string, boolean]>([
    [`r"^<t>.*?</t>$"`, "<t>a</t>", "match", "", true],
    [`r"^<t>.*?</t>$"`, "<t>a</t>\n", "match", "", true],
    [`r"^<t>.*?</t>$"`, "<t>a\nb</t>", "match", "", false],
    [`r"^<t>.*?</t>$"`, "<t>a\nb</t>", "match", "re.DOTALL", true],
    [`r"(?s)^<t>.*?</t>$"`, "<t>a\nb</t>", "match", "", true],
    [`r"a.b"`, "a\rb", "search", "", true],
    [`r"^b$"`, "a\nb\nc", "search", "", false],
    [`r"^b$"`, "a\nb\nc", "search", "re.M", true],
    [`r"b"`, "ab", "match", "", false],
    [`r"ab|a"`, "abc", "fullmatch", "", false],
    [`r"a|ab"`, "ab", "fullmatch", "", true],
    [`r"x{,2}y"`, "xxy", "fullmatch", "", true],
    [`r"[]x]+"`, "]x", "fullmatch", "", true],
    [`r"(?P<n>a)\\Z"`, "ba", "search", "", true],
    [`r"\\boxed{(.+?)}"`, "so \\boxed{4}", "search", "", false],
    [`r"\\\\boxed\\{(.+?)\\}"`, "so \\boxed{4}", "search", "", true],
    [`r"\\w+"`, "word", "fullmatch", "", true],
    [`r"ANSWER"`, "answer", "search", "re.IGNORECASE", true],
  ])("%s on %j, %s %s", (literal, text, method, flags, expected) => {
    expect(matches(literal, text, method, flags)).toBe(expected);
  });
});

test("says nothing where the languages part, or where a try could take long", () => {
  expect(matches(String.raw`r"\w+"`, "é")).toBeNull();
  expect(matches(String.raw`r"é.*x"`, "é x")).toBe(true);
  expect(matches(`r".x"`, "😀x")).toBeNull();
  for (const literal of [
    String.raw`r"(?:<step>(?:\s*\w+\s*)+</step>)+"`,
    `r"(?:a|aa)+b"`,
    `r"(?>a)b"`,
    `r"a++b"`,
    `r"(?i:a)b"`,
    `r"(?x) a"`,
    `r"(a)(?(1)b|c)"`,
    String.raw`r"\N{DASH}"`,
  ])
    expect([literal, translatePattern(literal, "")]).toEqual([literal, null]);
  expect(translatePattern(`r"a"`, "re.VERBOSE")).toBeNull();
  expect(translatePattern(`r"a"`, "FLAGS")).toBeNull();
  const started = performance.now();
  expect(matches(String.raw`r"\s*\s*\s*\s*\s*x"`, " ".repeat(5000))).toBeNull();
  expect(performance.now() - started).toBeLessThan(100);
});
