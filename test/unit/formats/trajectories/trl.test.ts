import { describe, expect, it } from "vitest";
import type { RecordContext } from "../../../../src/formats/trajectories/form";
import { trlCompletions } from "../../../../src/formats/trajectories/forms/trlCompletions";
import type { Trajectory } from "../../../../src/schema/trajectory";

const DOUBLES = ["sql_ok", "few", "advantage"];

/** A row as the Parquet container gives it, with pandas' types of the columns. */
function read(
  row: Record<string, unknown>,
  {
    doubles = DOUBLES,
    weights = { sql_ok: 2, few: 0.5 },
  }: { readonly doubles?: readonly string[]; readonly weights?: Record<string, number> | null } = {},
): { readonly one: Trajectory | undefined; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const pandas = JSON.stringify({
    columns: Object.keys(row).map((column) => ({
      name: column,
      numpy_type: doubles.includes(column) ? "float64" : "object",
    })),
  });
  const context: RecordContext = {
    name: "completions_00005.parquet",
    folders: ["completions"],
    line: 1,
    index: 0,
    shared: { metadata: { pandas } },
    beside: new Map(),
    learnt: weights,
    problem: (message) => problems.push(message),
  };
  return { one: trlCompletions.read(row, context)[0], problems };
}

const call = (name: string, args: Record<string, unknown>): unknown => ({
  type: "function",
  function: { name, arguments: args },
});

const row = {
  step: 5,
  prompt: [{ role: "user", content: "How many?", tool_calls: null, name: null }],
  completion: [
    {
      role: "assistant",
      content: "",
      name: null,
      tool_calls: [
        call("tables", { table: null, query: null }),
        call("run", { table: null, query: "SELECT 1" }),
      ],
    },
    { role: "tool", content: "[]", name: "tables", tool_calls: null },
    { role: "tool", content: "{'error': 'can\\'t: no'}", name: "run", tool_calls: null },
    { role: "assistant", content: "1", name: null, tool_calls: null },
  ],
  sql_ok: 1,
  few: null,
  turns: 2,
  extracted: null,
  advantage: -0.5,
};

describe("TRL completions", () => {
  it("drops Arrow's filling, links calls without ids in order, and takes Python's error apart", () => {
    const messages = read(row).one?.branches[0]?.messages ?? [];
    expect(messages[1]?.calls.map((one) => [one.arguments, one.answers])).toEqual([
      [{}, [2]],
      [{ query: "SELECT 1" }, [3]],
    ]);
    expect(messages.map((one) => one.error)).toEqual([null, null, null, "can't: no", null]);
    expect(messages.map((one) => one.sampled)).toEqual([false, true, false, false, true]);
  });

  it("tells rewards from logged columns by the file's types; None isn't 0", () => {
    const { one, problems } = read(row);
    expect(problems).toEqual([]);
    expect([one?.rewards, one?.reward, one?.advantage]).toEqual([{ sql_ok: 1, few: null }, 2, -0.5]);
    expect(one?.columns).toEqual({ turns: 2, extracted: null });
    expect(read({ ...row, sql_ok: Number.NaN }).one?.reward).toBeNull();
    expect(read({ ...row, few: Number.POSITIVE_INFINITY }).one?.reward).toEqual({ nonFinite: "inf" });
  });

  it("knows no total of several rewards where the weights can't be told, and says so once", () => {
    const { one, problems } = read(row, { weights: null });
    expect([one?.rewards["sql_ok"], one?.reward, problems.length]).toEqual([1, null, 1]);
  });

  it("finds the step in the file's name where a reward called step took its column, and says so", () => {
    const { one, problems } = read({ ...row, step: 0.25 }, { doubles: [...DOUBLES, "step"] });
    expect([one?.step, one?.rewards["step"], problems.length]).toEqual([5, 0.25, 1]);
    expect(problems[0]).toContain('"step"');
  });

  it("does so too where the file doesn't say its types", () => {
    const { one } = read({ ...row, step: 0.25 }, { doubles: [] });
    expect([one?.step, one?.rewards["step"]]).toEqual([5, 0.25]);
  });

  it("keeps text prompts whole among the columns and shows their roles", () => {
    const { one } = read({ ...row, prompt: "user\n2+2?\nassistant\n", completion: "4" });
    expect(one?.branches[0]?.messages.map((message) => [message.role, message.sampled])).toEqual([
      ["user", false],
      ["assistant", true],
    ]);
    expect(one?.columns["prompt"]).toBe("user\n2+2?\nassistant\n");
  });

  it("recognises the table by its columns, and no dataset", () => {
    const head = { container: "parquet" as const, name: "x.parquet", folders: [], records: [], metadata: {} };
    expect(trlCompletions.recognise({ ...head, names: Object.keys(row) })).toBe(true);
    expect(trlCompletions.recognise({ ...head, names: ["data_source", "prompt", "reward_model"] })).toBe(
      false,
    );
  });
});
