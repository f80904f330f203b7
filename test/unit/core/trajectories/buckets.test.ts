import { describe, expect, it } from "vitest";
import { BUCKETS, bucketsOf } from "../../../../src/core/trajectories/buckets";
import {
  linkCalls,
  message,
  textMessage,
  toolCall,
  trajectory,
} from "../../../../src/formats/trajectories/build";
import type { Message, OutcomeKind, Trajectory } from "../../../../src/schema/trajectory";

const say = (text: string, fields: Partial<Message> = {}): Message => textMessage("assistant", text, fields);
const ask = textMessage("user", "Do it.");
const call = (name: string, args: unknown, id = "c1"): Message =>
  message({ role: "assistant", calls: [toolCall(name, args, id)] });
const result = (text: string, fields: Partial<Message> = {}): Message =>
  textMessage("tool", text, { callId: "c1", ...fields });

function made(
  messages: Message[],
  kind: OutcomeKind = "unknown",
  fields: Partial<Trajectory> = {},
): Trajectory {
  linkCalls(messages);
  return trajectory({
    branches: [{ id: "0", name: null, from: null, messages: [ask, ...messages] }],
    outcome: { kind, inFile: null },
    ...fields,
  });
}

const tools = [{ name: "search", description: null, schema: { type: "object", required: ["q"] } }];
const wants = { reference: { tool_calls: [{ function: { name: "search" } }] } };
const turns = (n: number): Message[] => Array.from({ length: n }, (_, at) => say(`thought ${at}`));

/** One that shows it, one that may, one that doesn't; null where the bucket has no such. */
const CASES: Readonly<
  Record<string, readonly [sure: Trajectory | null, unsure: Trajectory | null, not: Trajectory]>
> = {
  truncation: [made([say("and th")], "length"), null, made([say("done")], "finished")],
  "wrong-arguments": [
    made([call("search", "{ not json")], "unknown", { tools }),
    made([call("search", { q: "x" }), result("", { error: "unexpected keyword argument z" })]),
    made([call("search", { q: "x" }), result("found")], "unknown", { tools }),
  ],
  "invented-api": [
    made([call("seek", { q: "x" })], "unknown", { tools }),
    null,
    made([call("search", { q: "x" })], "unknown", { tools }),
  ],
  "wrong-tool": [
    made([call("other", {})], "unknown", wants),
    null,
    made([call("search", { q: "x" })], "unknown", wants),
  ],
  format: [made([say('<tool_call>{"name": "x"}</tool_call>')]), null, made([say("plain")])],
  refusal: [
    null,
    made([say("I'm sorry, but I can't help with that.")]),
    made([say("I can help with that.")]),
  ],
  loop: [
    made([say("again"), say("again"), say("again")]),
    null,
    made([say("one"), say("two"), say("three")]),
  ],
  retrieval: [
    null,
    made([call("search", { q: "x" }), result("[]", { name: "search" })]),
    made([call("search", { q: "x" }), result("three rows", { name: "search" })]),
  ],
  incomplete: [
    made([say("next I would")], "turns"),
    made([call("search", { q: "x" })]),
    made([call("search", { q: "x" })], "finished"),
  ],
  inconsistent: [
    null,
    made([call("book", {}), result("", { error: "no seats" }), say("Your seat has been booked.")]),
    made([call("book", {}), result("ok"), say("Your seat has been booked.")]),
  ],
  dangerous: [
    null,
    made([call("bash", { command: "rm -rf /" })]),
    made([call("bash", { command: "rm note.txt" })]),
  ],
  "long-horizon": [null, made(turns(30), "turns"), made(turns(30), "finished")],
  environment: [made([say("x")], "environment"), null, made([say("x")], "finished")],
};

describe("buckets", () => {
  it("are all looked at here", () => {
    expect(Object.keys(CASES).sort()).toEqual(BUCKETS.map(({ id }) => id).sort());
  });
  it.each(Object.entries(CASES))("%s", (id, [sure, unsure, not]) => {
    if (sure) expect(bucketsOf(sure).get(id)).toBe("sure");
    if (unsure) expect(bucketsOf(unsure).get(id)).toBe("unsure");
    expect(bucketsOf(not).get(id)).toBeUndefined();
  });
  it("a trajectory without anything to see is in none", () => {
    expect([...bucketsOf(made([say("4")], "finished"))]).toEqual([]);
  });
});
