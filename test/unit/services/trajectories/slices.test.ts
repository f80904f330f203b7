import { describe, expect, it } from "vitest";
import { message, textMessage, trajectory } from "../../../../src/formats/trajectories/build";
import type { Branch, Message } from "../../../../src/schema/trajectory";
import { imageBytes, safeImage } from "../../../../src/services/trajectories/images";
import { bounded, placed, safeCut, textAt, wayOf } from "../../../../src/services/trajectories/slices";

const say = (...texts: string[]): Message[] => texts.map((text) => textMessage("assistant", text));
const branch = (id: string, from: Branch["from"], ...texts: string[]): Branch => ({
  id,
  name: null,
  from,
  messages: say(...texts),
});
const words = (branches: Branch[], at: number): string[] =>
  wayOf(trajectory({ branches }), at).map(({ message: { parts }, shared }) => {
    const [part] = parts;
    return `${part?.type === "text" ? part.text : ""}${shared ? "*" : ""}`;
  });

describe("the way of a branch", () => {
  const tree = [
    branch("a", null, "a0", "a1", "a2", "a3"),
    branch("b", { branch: 0, message: 2 }, "b3", "b4"),
    branch("c", { branch: 1, message: 3 }, "c4"),
    branch("d", { branch: 1, message: 1 }, "d2"),
  ];
  it("begins with what it shares, through as many branches as it has to", () => {
    expect(words(tree, 0)).toEqual(["a0", "a1", "a2", "a3"]);
    expect(words(tree, 1)).toEqual(["a0*", "a1*", "a2*", "b3", "b4"]);
    expect(words(tree, 2)).toEqual(["a0*", "a1*", "a2*", "b3*", "c4"]);
  });
  it("may leave a branch within what that one shares itself", () => {
    expect(words(tree, 3)).toEqual(["a0*", "a1*", "d2"]);
  });
  it("ends where a file names a circle, or a branch that isn't there", () => {
    const circle = [branch("x", { branch: 1, message: 0 }, "x"), branch("y", { branch: 0, message: 0 }, "y")];
    expect(words(circle, 0)).toEqual(["x"]);
    expect(words([branch("z", { branch: 7, message: 3 }, "z")], 0)).toEqual(["z"]);
    expect(words(tree, 9)).toEqual([]);
  });
});

describe("cuts", () => {
  it("never leave half of a surrogate pair", () => {
    expect(safeCut("ab😀c", 3)).toBe("ab");
    expect(safeCut("ab😀c", 4)).toBe("ab😀");
    const [shown] = wayOf(trajectory({ branches: [branch("a", null, "ab😀c")] }), 0);
    if (!shown) throw new Error("no message");
    const cut = placed(shown, 0, 3);
    expect(cut.parts).toEqual([{ type: "text", text: "ab" }]);
    expect(cut.cut).toEqual([{ what: "part:0", length: 5 }]);
    expect(Object.keys(bounded({ ["k".repeat(199) + "😀"]: 1 }, 9))).toEqual(["k".repeat(199)]);
  });
  it("share one allowance between parts, reasoning and calls, and each can be read whole", () => {
    const one = message({
      role: "assistant",
      parts: [{ type: "text", text: "12345" }],
      reasoning: "abcdef",
      calls: [{ id: null, name: "f", arguments: { x: 1 }, raw: '{"x": 1}', problem: null, answers: [] }],
    });
    const shown = placed({ message: one, shared: false }, 4, 8);
    expect(shown.reasoning).toBe("abc");
    expect(shown.calls[0]).toMatchObject({ raw: "", arguments: null });
    expect(shown.cut).toEqual([
      { what: "reasoning", length: 6 },
      { what: "call:0", length: 8 },
    ]);
    const way = [{ message: one, shared: false }];
    const text = (what: string) => textAt(way, { index: 0, branch: 0, message: 0, what });
    expect([text("reasoning"), text("call:0"), text("part:0"), text("part:1"), text("error")]).toEqual([
      "abcdef",
      '{"x": 1}',
      "12345",
      null,
      null,
    ]);
  });
});

describe("pictures", () => {
  const base64 = (bytes: number[]): string => Buffer.from(bytes).toString("base64");
  it("are told by their bytes: what can hold a script is none", () => {
    expect(safeImage(base64([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]))).toBe("image/png");
    expect(safeImage(base64([0xff, 0xd8, 0xff, 0xe0]))).toBe("image/jpeg");
    expect(safeImage(Buffer.from("GIF89a").toString("base64"))).toBe("image/gif");
    expect(safeImage(Buffer.from("RIFF\u0010\u0000\u0000\u0000WEBPVP8 ").toString("base64"))).toBe(
      "image/webp",
    );
    expect(safeImage(Buffer.from("<svg onload=x>").toString("base64"))).toBeNull();
    expect(safeImage("")).toBeNull();
  });
  it("say how many bytes they have", () => {
    for (const n of [0, 1, 2, 3, 100]) expect(imageBytes(Buffer.alloc(n).toString("base64"))).toBe(n);
  });
});
