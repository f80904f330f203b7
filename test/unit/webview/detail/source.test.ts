import { describe, expect, it } from "vitest";
import { changed, framesOf, parametersOf, patternName } from "../../../../webview/lab/detail/source";

it("changes whose offsets are all in the text before, in any order", () => {
  const changes = [
    { offset: 0, length: 1, text: "AAA" },
    { offset: 4, length: 2, text: "" },
    { offset: 2, length: 0, text: "x" },
  ];
  expect(changed("abcdef", changes)).toBe("AAAbxcd");
  expect(changed("abcdef", [...changes].reverse())).toBe("AAAbxcd");
});

describe("parameters of a function", () => {
  const source = `@cached
async def f(
    completions: list[str],  # one, two
    answer=(1, 2),
    *args, key: dict[str, int] = {},
    **kwargs,
) -> list[float]:
    pass`;
  it("with their stars, without types, defaults and comments", () => {
    expect(parametersOf(source, 1)).toEqual(["completions", "answer", "*args", "key", "**kwargs"]);
  });
  it("none where no def stands, or the page has no text", () => {
    expect(parametersOf(source, 0)).toBeNull();
    expect(parametersOf(null, 1)).toBeNull();
  });
});

it("a pattern's name on its line", () => {
  expect(patternName("ok = SHAPE.fullmatch(text)")).toBe("SHAPE");
  expect(patternName("for m in re.finditer(self.pattern, text):")).toBe("self.pattern");
  expect(patternName('re.search(r"a,b", text)')).toBeNull();
  expect(patternName("return text.strip()")).toBeNull();
});

it("only places in the user's own file are places", () => {
  const text =
    'Traceback (most recent call last):\n  File "reward.py", line 19, in f\n    x()\n  File "/usr/lib/re.py", line 3, in y\n  File "lib/reward.py", line 4, in z\nValueError: File "reward.py", line 2\n';
  expect(framesOf(text, "reward.py").map(({ line }) => line)).toEqual([null, 19, null, null, null, null]);
});
