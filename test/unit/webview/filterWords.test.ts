import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accept, choicesAt, historyChoices, remember } from "../../../webview/shared/filterWords";

const NAMES = { functions: ["correctness"], columns: ["answer", "my column"] };
const texts = (text: string, asked = false) =>
  choicesAt(text, text.length, NAMES, asked).map((one) => one.text);

describe("choices of the filter box", () => {
  it("are the names that begin like the word, and a field's words behind its colon", () => {
    expect(texts("tot")[0]).toBe("total:");
    expect(texts("label:g")).toEqual(["good"]);
    expect(texts("state:raised,cra")).toEqual(["crashed"]);
  });

  it("stay away until a letter is typed or they are asked for", () => {
    expect(texts("")).toEqual([]);
    expect(texts("flip ")).toEqual([]);
    expect(texts("", true).length).toBeGreaterThan(5);
  });

  it("replace the word at the caret and leave the rest", () => {
    const text = "flip or sta tied";
    const [choice] = choicesAt(text, 11, NAMES, false);
    expect(choice && accept(text, choice)).toEqual({ text: "flip or state: tied", caret: 14 });
  });

  it("put names with a space in quotes", () => {
    expect(texts('"my')).toContain('"my column":');
  });

  it("have their place within the text, whatever is typed", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.boolean(), (text, caret, asked) => {
        for (const { from, to } of choicesAt(text, Math.min(caret, text.length), NAMES, asked)) {
          expect(from).toBeLessThanOrEqual(to);
          expect(to).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});

describe("filters of the session", () => {
  it("stand once each, the newest first, up to a number", () => {
    let history: string[] = [];
    for (const text of ["flip", "tied", " flip ", ""]) history = remember(history, text, 2);
    expect(history).toEqual(["flip", "tied"]);
    expect(remember(history, "new", 2)).toEqual(["new", "flip"]);
  });

  it("replace the whole filter", () => {
    const [first] = historyChoices("tied", ["tied", "flip"]);
    expect(first && accept("tied", first).text).toBe("flip");
  });
});
