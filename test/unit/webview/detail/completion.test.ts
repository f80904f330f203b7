import { describe, expect, it } from "vitest";
import { editable, messagesOf, textsOf } from "../../../../webview/lab/detail/completion";

const chat = [
  {
    role: "assistant",
    content: "Let me add.",
    tool_calls: [{ function: { name: "add", arguments: '{"a":2}' } }],
  },
  { role: "tool", name: "add", content: "4" },
  { role: "assistant", content: "It is 4.", extra: true },
  { role: "user", content: "Thanks" },
];

describe("what of a completion can be edited", () => {
  it("text as it is", () => {
    expect(editable("a").text).toBe("a");
    expect(editable("a").put("b")).toBe("b");
  });
  it("of a conversation the last assistant's content; the rest stays, whatever keys it has", () => {
    const edit = editable(chat);
    expect(edit.text).toBe("It is 4.");
    expect(edit.put("It is 5.")).toEqual([
      chat[0],
      chat[1],
      { role: "assistant", content: "It is 5.", extra: true },
      chat[3],
    ]);
    expect(chat[2]?.content).toBe("It is 4.");
  });
  it("parts that aren't text aren't lost: such a completion is edited as JSON", () => {
    const mixed = [
      {
        role: "assistant",
        content: [
          { type: "image", url: "x" },
          { type: "text", text: "y" },
        ],
      },
    ];
    const edit = editable(mixed);
    expect(JSON.parse(edit.text)).toEqual(mixed);
    expect(edit.put("[1")).toBeNull();
    expect(edit.put("[1]")).toEqual([1]);
  });
});

describe("messages", () => {
  it("tool calls have their arguments by name, from JSON or as an object", () => {
    const [first] = messagesOf(chat) ?? [];
    expect(first?.calls).toMatchObject([{ name: "add", arguments: [["a", 2]] }]);
    const plain = messagesOf([
      { role: "assistant", content: null, tool_calls: [{ name: "f", arguments: { x: [1] } }] },
    ]);
    expect(plain?.[0]).toMatchObject({ text: "", calls: [{ name: "f", arguments: [["x", [1]]] }] });
    const torn = messagesOf([
      { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: "{" } }] },
    ]);
    expect(torn?.[0]?.calls).toMatchObject([{ name: "f", arguments: null }]);
  });
  it("anything else isn't a conversation", () => {
    for (const value of [null, 3, [], ["a"], [{ content: "x" }], { a: 1 }])
      expect(messagesOf(value)).toBeNull();
  });
});

it("texts that may have been searched: the last assistant's before others", () => {
  expect(textsOf("a")).toEqual(["a"]);
  expect(textsOf(chat).slice(0, 2)).toEqual(["It is 4.", "Thanks"]);
});
