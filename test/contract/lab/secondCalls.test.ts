import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lab, type LabBench } from "./bench";

const values = ({ session }: LabBench, name: string) =>
  session.rows(name, 0, 100, null).rows.map(({ value }) => value);

describe.each(["fork", "spare"] as const)("after one press of Score, %s processes", (workerMode) => {
  it("S13: scores that the next press repeats, and what a second call changes is a finding", async () => {
    const bench = await lab("S13_reward.py", "S13_samples.jsonl", { settings: { workerMode } });
    const { session } = bench;
    const scores = await session.score();
    const messages = (name: string): string =>
      scores.findings
        .filter((finding) => finding.function === name)
        .map(({ code, message }) => `${code}: ${message}`)
        .join("\n");
    expect(messages("coin_reward")).toMatch(/^not-repeatable: .*row/);
    expect(messages("novelty_reward")).toMatch(/^depends-on-earlier-calls: .*\[0(\.0)?, 0(\.0)?, 0(\.0)?\]/);
    expect(messages("reseeding_reward")).toMatch(/^changes-random-state: /);
    expect(session.lab()).toMatchObject({ twice: true });
    const coins = values(bench, "coin_reward");
    expect(values(bench, "novelty_reward")).toEqual([1, 1, 0]);
    const again = await session.score();
    expect(values(bench, "coin_reward")).toEqual(coins);
    expect(values(bench, "novelty_reward")).toEqual([1, 1, 0]);
    expect(again.findings).toEqual(scores.findings);
  });
});

describe("a second call after Score", () => {
  const rows = Array.from({ length: 6 }, (_, i) => ({ prompt: `p${i}`, completion: `c${i}` }));

  it("doesn't repeat what the call does to the world", async () => {
    const text =
      "import os\ndef log_reward(completions, **kwargs):\n" +
      "    with open('log.txt', 'a') as f: f.write('x' * len(completions))\n    return [1.0] * len(completions)\n";
    const bench = await lab(text, rows);
    await bench.session.score();
    expect(values(bench, "log_reward")).toEqual(rows.map(() => 1));
    expect(readFileSync(join(bench.folder, "log.txt"), "utf8")).toBe("xxxxxx");
    expect(bench.session.lab().twice).toBe(false);
  });

  it("of a slow reward tries some batches, and doesn't claim more", async () => {
    const text =
      "import random, time\ndef slow_reward(completions, **kwargs):\n    time.sleep(0.45)\n" +
      "    return [random.random() for _ in completions]\n";
    const bench = await lab(text, rows, { settings: { batch: 1 } });
    const began = performance.now();
    const scores = await bench.session.score();
    expect(performance.now() - began).toBeLessThan(8000);
    const [finding] = scores.findings.filter(({ code }) => code === "not-repeatable");
    expect(finding?.rows).toHaveLength(2);
    expect(bench.session.lab().twice).toBe(false);
  });

  it.each(["fork", "spare"] as const)(
    "that hangs is waited for once, the numbers stay, %s processes",
    async (workerMode) => {
      const text =
        "import time\nseen = set()\ndef stuck_reward(completions, **kwargs):\n" +
        "    if completions[0] in seen:\n        time.sleep(600)\n" +
        "    seen.update(completions)\n    return [1.0] * len(completions)\n";
      const bench = await lab(text, rows, { settings: { batch: 2, liveTimeoutSeconds: 2, workerMode } });
      const began = performance.now();
      await bench.session.score();
      await bench.session.score();
      // Three batches, then each of their rows, twice: 6 waits of 4 seconds at each press.
      expect(performance.now() - began).toBeLessThan(10_000);
      expect(values(bench, "stuck_reward")).toEqual(rows.map(() => 1));
      expect(bench.session.lab().twice).toBe(false);
    },
  );
});
