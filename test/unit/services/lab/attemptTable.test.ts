import { describe, expect, it } from "vitest";
import { inPlaceOf } from "../../../../src/services/lab/attemptTable";

describe("a completion in another's place", () => {
  const user = { role: "user", content: "q" };

  it("text for text, and a conversation as it was pasted", () => {
    expect(inPlaceOf("old", "new")).toBe("new");
    expect(inPlaceOf("old", [user])).toEqual([user]);
    expect(inPlaceOf(null, "new")).toBe("new");
  });

  it("text for a conversation changes its last assistant message and nothing else", () => {
    const own = [
      { role: "assistant", content: "a", tool_calls: [{ id: "1" }] },
      user,
      { role: "assistant", content: "b", name: "n" },
      { role: "tool", content: "t" },
    ];
    const copy = structuredClone(own);
    expect(inPlaceOf(own, "new")).toEqual([own[0], user, { ...own[2], content: "new" }, own[3]]);
    expect(own).toEqual(copy);
    expect(inPlaceOf([user], "new")).toEqual([user, { role: "assistant", content: "new" }]);
  });

  it("content in parts stays in parts", () => {
    const parts = [{ role: "assistant", content: [{ type: "text", text: "a" }, { type: "image" }] }];
    expect(inPlaceOf(parts, "new")).toEqual([
      { role: "assistant", content: [{ type: "text", text: "new" }] },
    ]);
  });
});
