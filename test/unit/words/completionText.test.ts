import { expect, test } from "vitest";
import { lastText } from "../../../src/words/completionText";

test.each<[string, unknown, string]>([
  ["text is itself", "so: 4", "so: 4"],
  [
    "the last message of a conversation",
    [
      { role: "assistant", content: "let me see" },
      { role: "assistant", content: "4" },
    ],
    "4",
  ],
  [
    "a message of parts",
    [{ role: "assistant", content: [{ type: "text", text: "a" }, { type: "image" }] }],
    "a ",
  ],
  [
    "a message without text stays whole",
    [{ role: "assistant", content: null }],
    '[{"role":"assistant","content":null}]',
  ],
  ["anything else", { answer: 4 }, '{"answer":4}'],
  ["nothing", undefined, "null"],
])("%s", (_, completion, text) => {
  expect(lastText(completion)).toBe(text);
});
