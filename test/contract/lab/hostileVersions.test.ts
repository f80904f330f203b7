import { describe, expect, it } from "vitest";
import { attributeFlips } from "../../../src/services/lab/hunks";
import { lab, never, until } from "./bench";

/** Code that the user never wrote as it stands runs here: half of a change, and a call more than the trainer makes. */
const SETTINGS = { liveTimeoutSeconds: 1.5, timeoutSeconds: 2 };
const ROWS = ["aa", "b", "cc"].map((completion) => ({ prompt: "p", completion }));
const BASE = [
  "import os, time",
  "BONUS = 0.0",
  "",
  "",
  "def hurt():",
  "    return 0.0",
  "",
  "",
  "",
  "def f(completions, **kwargs):",
  "    return [len(text) + BONUS + hurt() for text in completions]",
  "",
].join("\n");

const HARM: readonly (readonly [what: string, body: string])[] = [
  ["never ends", "while True: pass"],
  ["leaves", "os._exit(3)"],
  ["starts three children that stay", "[os.fork() or time.sleep(600) for _ in range(3)]"],
  ["prints 10 MB and raises", "print('x' * 10_000_000); raise ValueError('no')"],
];

describe("a change that alone", () => {
  it.each(HARM)("%s: the other change is taken apart, and the Lab goes on", async (what, body) => {
    const { session, type } = await lab(BASE, ROWS, { live: true, settings: SETTINGS });
    await until("the first scores", () => session.lab().baseline.scores !== null);
    // Together harmless: the bonus keeps the harm from running.
    const now = BASE.replace("BONUS = 0.0", "BONUS = 2.0").replace(
      "    return 0.0",
      `    if BONUS == 0.0:\n        ${body}\n    return 0.0`,
    );
    type(now);
    await until("scores of the edit", () => {
      const { scored, status, baseline } = session.lab();
      return scored?.text === now && status === "fresh" && baseline.scores !== null;
    });
    const began = performance.now();
    const { hunks, causes } = await attributeFlips(session, never());
    expect(performance.now() - began, what).toBeLessThan(30_000);
    expect(hunks).toHaveLength(2);
    expect(causes).toEqual(ROWS.map((_, row) => ({ row, function: "f", hunks: [0] })));
    const again = await session.score();
    expect(again.functions[0]?.states).toEqual({ scored: 3 });
  });
});

describe("a second call that", () => {
  it.each(HARM)("%s: the first call's scores stay", async (what, body) => {
    const text = [
      "import os, time",
      "CALLS = []",
      "def f(completions, **kwargs):",
      "    CALLS.append(1)",
      "    if len(CALLS) > 1:",
      `        ${body}`,
      "    return [float(len(text)) for text in completions]",
      "",
    ].join("\n");
    const { session } = await lab(text, ROWS, { settings: SETTINGS });
    const began = performance.now();
    await session.score();
    expect(performance.now() - began, what).toBeLessThan(30_000);
    expect(session.rows("f", 0, 3, null).rows.map(({ value, state }) => [value, state])).toEqual([
      [2, "scored"],
      [1, "scored"],
      [2, "scored"],
    ]);
    await session.score();
    expect(session.rows("f", 0, 3, null).rows.map(({ value }) => value)).toEqual([2, 1, 2]);
  });
});
