import { describe, expect, it } from "vitest";
import { message, textMessage, toolCall, trajectory } from "../../../../src/formats/trajectories/build";
import type { Branch, Message } from "../../../../src/schema/trajectory";
import { wayOf } from "../../../../src/services/trajectories/slices";

const calling = (...ids: (string | null)[]): Message =>
  message({ role: "assistant", calls: ids.map((id) => toolCall("count", {}, id)) });
const answer = (text: string, callId: string | null): Message => textMessage("tool", text, { callId });
const branch = (from: Branch["from"], ...messages: Message[]): Branch => ({
  id: "b",
  name: null,
  from,
  messages,
});

describe("answers to calls that branches share", () => {
  it.each([
    ["by id", "c1", "c2"],
    ["in order, without ids", null, null],
  ])(
    "%s: each branch's own answer names the call, and the call on each way has that way's answer",
    (_, a, b) => {
      const made = trajectory({
        branches: [
          branch(null, textMessage("user", "go"), calling(a, b), answer("one", a), answer("two", b)),
          branch({ branch: 0, message: 2 }, answer("other two", b), textMessage("assistant", "done")),
          branch({ branch: 0, message: 1 }, answer("neither", a)),
        ],
      });
      expect(
        made.branches.map(({ messages }) => messages.flatMap(({ answersTo }) => answersTo ?? [])),
      ).toEqual([
        [
          { message: 1, call: 0 },
          { message: 1, call: 1 },
        ],
        [{ message: 1, call: 1 }],
        [{ message: 1, call: 0 }],
      ]);
      expect(
        made.branches.flatMap(({ messages }) =>
          messages.flatMap(({ role, name }) => (role === "tool" ? [name] : [])),
        ),
      ).toEqual(["count", "count", "count", "count"]);
      const answersOn = (at: number) => wayOf(made, at)[1]?.message.calls.map(({ answers }) => answers);
      expect([0, 1, 2].map(answersOn)).toEqual([
        [[2], [3]],
        [[2], [3]],
        [[2], []],
      ]);
      expect(wayOf(made, 1)[3]?.message.parts).toEqual([{ type: "text", text: "other two" }]);
    },
  );

  it("counts positions from the start of the way, also of a branch's own calls", () => {
    const made = trajectory({
      branches: [
        branch(null, textMessage("user", "go"), textMessage("assistant", "a")),
        branch({ branch: 0, message: 0 }, calling("x"), answer("y", "x")),
      ],
    });
    expect(made.branches[1]?.messages[1]?.answersTo).toEqual({ message: 1, call: 0 });
    expect(made.branches[1]?.messages[0]?.calls[0]?.answers).toEqual([2]);
  });
});

describe("whether a tool failed", () => {
  const failed = (text: string, extra: Record<string, unknown> = {}) => {
    const one = textMessage("tool", text, { extra });
    trajectory({ messages: [one] });
    return [one.error, one.errorGuessed];
  };
  it("is what the file marks, and only without a mark what the answer's first words say", () => {
    expect(failed("Error: no such table")).toEqual(["Error: no such table", true]);
    expect(failed("Traceback (most recent call last):\n …")).toEqual([
      "Traceback (most recent call last):\n …",
      true,
    ]);
    expect(failed("Errors are listed below")).toEqual([null, false]);
    for (const fine of [{ is_error: false }, { isError: false }, { status: "success" }, { returncode: 0 }])
      expect(failed("Error: 0 of 12 found in the log", fine)).toEqual([null, false]);
    for (const wrong of [{ is_error: true }, { isError: true }, { status: "error" }, { returncode: 2 }])
      expect(failed("no such table", wrong)).toEqual(["no such table", false]);
    expect(failed("", { is_error: true })).toEqual(["error", false]);
  });
});
