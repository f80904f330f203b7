import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASES, EngineUnderTest, fn } from "./engineProcess";
import type { EngineSettings } from "../../../src/schema/settings";

const at = (name: string): string => join(CASES, name);
const about = (value: number): unknown => expect.closeTo(value, 6);

describe.each(["fork", "spare"] as const satisfies readonly EngineSettings["workerMode"][])(
  "cases, %s processes",
  (workerMode) => {
    let engine: EngineUnderTest;
    beforeAll(async () => {
      engine = await EngineUnderTest.start({ folder: CASES, settings: { workerMode } });
    });
    afterAll(async () => {
      await engine.stop();
    });

    const scored = async (reward: string, samples: string) => {
      await engine.bind(at(reward), [at(samples)], { live: false });
      const scores = await engine.client.score({ path: at(reward) });
      expect(scores.error).toBeNull();
      expect(scores.timing?.mode).toBe(workerMode);
      return scores;
    };

    it("S01: called as TRL calls, a signature without **kwargs has no scores", async () => {
      const scores = await scored("S01_reward.py", "S01_samples.jsonl");
      const because = fn(scores, "because_reward");
      expect(because.contract).toBe("trl");
      expect(because.estimate).toBeNull();
      expect(await engine.values(at("S01_reward.py"), "because_reward")).toEqual([null, null]);
      const rows = await engine.rows(at("S01_reward.py"), "because_reward");
      expect(rows[0]?.reason?.text).toMatch(/unexpected keyword argument 'completion_ids'/);
      const found = scores.findings.find(({ severity }) => severity === "error");
      expect(`${found?.message} ${found?.cure}`).toMatch(/completion_ids[\s\S]*\*\*kwargs/);
    });

    it("S03: wrong numbers of rewards, and a generator read once", async () => {
      const scores = await scored("S03_reward.py", "S03_samples.jsonl");
      const path = at("S03_reward.py");
      expect(await engine.values(path, "generator_result")).toEqual([2, 5, 3, 2]);
      for (const [name, code, got] of [
        ["one_for_all", "wrong-count", 1],
        ["one_too_many", "wrong-count", 5],
      ] as const) {
        const rows = await engine.rows(path, name);
        expect(rows.map(({ state, value }) => [state, value])).toEqual(
          Array(4).fill(["invalid-return", null]),
        );
        expect(rows[0]?.reason).toMatchObject({ code, got, expected: 4 });
      }
      const bare = await engine.rows(path, "bare_number");
      expect(bare.map(({ state }) => state)).toEqual(Array(4).fill("invalid-return"));
      expect(bare[0]?.reason?.code).toBe("not-a-list");
      for (const name of ["one_for_all", "bare_number", "one_too_many"])
        expect(scores.findings.some((f) => f.function === name && f.message.includes(name))).toBe(true);
      expect(fn(scores, "one_for_all").estimate).toBeNull();
    });

    it("S05: chat and text completions, with the shape beside the scores", async () => {
      const path = at("S05_reward.py");
      const chat = await scored("S05_reward.py", "S05_chat.jsonl");
      expect(chat.set?.shape).toBe("chat");
      expect(await engine.values(path, "chat_reward")).toEqual([1, 0]);
      expect(await engine.values(path, "first_item_reward")).toEqual([1, 0]);
      const text = await scored("S05_reward.py", "S05_text.jsonl");
      expect(text.set?.shape).toBe("text");
      expect(await engine.states(path, "chat_reward")).toEqual(["raised", "raised"]);
      expect(await engine.values(path, "first_item_reward")).toEqual([0, 0]);
      const messages = (name: string): string =>
        text.findings
          .filter((f) => f.function === name)
          .map((f) => f.message)
          .join("\n");
      expect(messages("chat_reward")).toMatch(/text/);
      expect(messages("first_item_reward")).toMatch(/character/);
    });

    it("S07: None for some rows, weights 1 and 0.5, as TRL would train", async () => {
      const path = at("S07_reward.py");
      const scores = await scored("S07_reward.py", "S07_samples.jsonl");
      expect(await engine.values(path, "math_reward")).toEqual([1, 0, null, null]);
      expect(await engine.states(path, "style_reward")).toEqual([
        "scored",
        "scored",
        "not-applicable",
        "scored",
      ]);
      expect(fn(scores, "math_reward").estimate).toMatchObject({ mean: 0.5, n: 2 });
      expect(fn(scores, "style_reward").estimate).toMatchObject({ mean: about(2 / 3), n: 3 });
      const { text } = await engine.client.export({ path, form: "csv" });
      expect(text).not.toMatch(/nan/i);
      expect(text.split("\r\n")[3]).toMatch(/^3,[^,]*,g0,,not applicable,/);
    });

    it("S11: async functions, async objects, a loop of one's own", async () => {
      await scored("S11_reward.py", "S11_samples.jsonl");
      const path = at("S11_reward.py");
      for (const name of ["plain_async", "async_object", "sync_with_own_loop"])
        expect(await engine.values(path, name), name).toEqual([0.5, 1]);
    });

    it("S13: fresh state each time; what a second call changes is a finding", async () => {
      const path = at("S13_reward.py");
      await scored("S13_reward.py", "S13_samples.jsonl");
      expect(await engine.values(path, "novelty_reward")).toEqual([1, 1, 0]);
      const first = await engine.values(path, "coin_reward");
      await engine.client.score({ path });
      expect(await engine.values(path, "novelty_reward")).toEqual([1, 1, 0]);
      expect(await engine.values(path, "coin_reward")).toEqual(first);
      expect(await engine.values(path, "reseeding_reward")).toEqual(
        [5.00844422, 4.00757954, 5.00420572].map(about),
      );
      const { findings } = await engine.client.check({ path });
      const messages = (name: string): string =>
        findings
          .filter((f) => f.function === name)
          .map((f) => f.message)
          .join("\n");
      expect(messages("reseeding_reward")).toMatch(/random state/);
      expect(messages("novelty_reward")).toMatch(
        /second call .*\[0\.0, 0\.0, 0\.0\].*depends on earlier calls/s,
      );
      expect(messages("coin_reward")).toMatch(/repeatable/);
    });

    it("B01: a dot that doesn't match a new line; rows that disagree with their label", async () => {
      const scores = await scored("B01_reward.py", "B01_samples.jsonl");
      expect(await engine.values(at("B01_reward.py"), "format_reward")).toEqual([1, 0, 0, 0]);
      const disagree = scores.findings.find(({ rows }) => rows.includes(1) && rows.includes(2));
      expect(disagree?.rows).toEqual([1, 2]);
      expect(scores.findings.map(({ message, cure }) => `${message} ${cure}`).join("\n")).toMatch(/DOTALL/);
    });

    it("B03: a pattern that never ends costs its own row; the next run works", async () => {
      const path = at("B03_reward.py");
      await engine.client.configure({
        trusted: true,
        folders: [CASES],
        settings: { ...engine.settings, timeoutSeconds: 2 },
      });
      await scored("B03_reward.py", "B03_samples.jsonl");
      const rows = await engine.rows(path, "steps_reward");
      expect(rows.map(({ state }) => state)).toEqual(["scored", "timed-out", "scored"]);
      expect(rows.map(({ value }) => value)).toEqual([1, null, 0]);
      expect(rows[1]?.reason).toMatchObject({ code: "row-timeout", line: 7 });
      expect(rows.map(({ recovered }) => recovered)).toEqual([true, false, true]);
      const again = await scored("B01_reward.py", "B01_samples.jsonl");
      expect(fn(again, "format_reward").states).toEqual({ scored: 4 });
      await engine.client.configure({ trusted: true, folders: [CASES], settings: engine.settings });
    });

    it("B15: code that doesn't stop or leaves something behind: scored, and nothing is left", async () => {
      const path = at("B15_reward.py");
      const started = Date.now();
      await scored("B15_reward.py", "B15_samples.jsonl");
      expect(Date.now() - started).toBeLessThan(15_000);
      const values = await engine.values(path, "runs_reward");
      // Rows 2 and 3 are the reward's own timeouts, which it calls 0.0.
      expect([values[0], values[1], values[2], values[5]]).toEqual([1, 0, 0, 0]);
      const left = engine.processes().filter(({ command }) => /time\.sleep\(600\)/.test(command));
      expect(left).toEqual([]);
    });
  },
);
