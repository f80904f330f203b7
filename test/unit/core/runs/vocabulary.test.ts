import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ALIASES, FRAMEWORK_NAMES } from "../../../../src/core/runs/aliases";
import { READERS } from "../../../../src/core/runs/readers/registry";
import { knownMeaning, MEANINGS, meaningOf } from "../../../../src/core/runs/vocabulary";

describe("the vocabulary of metrics", () => {
  it("has one unit a panel, and each id once", () => {
    const units = new Map<string, Set<string>>();
    for (const { panel, unit } of MEANINGS) units.set(panel, (units.get(panel) ?? new Set()).add(unit));
    expect([...units].filter(([, all]) => all.size > 1)).toEqual([]);
    expect(new Set(MEANINGS.map(({ id }) => id)).size).toBe(MEANINGS.length);
  });

  it("knows every id that a framework's name stands for; no name stands twice", () => {
    for (const framework of FRAMEWORK_NAMES) {
      const aliases = ALIASES[framework];
      for (const [, id] of aliases) expect(knownMeaning(id.replace("*", "x")), id).not.toBeNull();
      expect(new Set(aliases.map(([name]) => name)).size, framework).toBe(aliases.length);
    }
  });

  it.each([
    ["trl-console", "rewards/correctness/mean", "reward/correctness", "reward"],
    ["trainer-state", "rewards/a/b/std", "reward-spread/a/b", "reward"],
    ["trainer-state", "clip_ratio", "clipped", "share"],
    ["verl-file", "response_length/clip_ratio", "truncated", "share"],
    ["verl-console", "actor/ppo_kl", "policy-change", "nats"],
    ["trl-console", "kl", "kl", "nats"],
    ["verl-file", "val-core/openai/gsm8k/acc/mean@1", "eval-success/openai/gsm8k", "share"],
    ["verl-file", "val-core/own/word-maths/acc/mean@16", "eval-success/own/word-maths", "share"],
    // Best of four isn't the rate of success.
    ["verl-file", "val-core/own/acc/best@4/mean", "other/val-core/own/acc/best@4/mean", "none"],
    ["prime-rl-metrics", "reward/all/mean", "reward", "reward"],
    ["prime-rl-metrics", "reward/gsm8k/mean", "reward/gsm8k", "reward"],
    ["tinker-metrics", "reward/total", "reward", "reward"],
    ["art-history", "train/exception_rate", "invalid", "share"],
    ["art-history", "loss", "other/loss", "none"],
    ["nemo-rl-console", "train/Avg Reward", "reward", "reward"],
    ["openrlhf", "rollout/truncated_rate", "truncated", "share"],
    ["rewardsmith-log", "rewards/format/mean", "reward/format", "reward"],
    ["rewardsmith-log", "reward/format", "reward/format", "reward"],
    ["rewardsmith-log", "success", "success", "share"],
    ["step-lines", "eval/math/pass@1", "eval-success/math", "share"],
    ["trl-console", "my_metric", "other/my_metric", "none"],
    ["trl-console", "constructor", "other/constructor", "none"],
  ])("%s: %s is %s", (reader, name, id, unit) => {
    expect(meaningOf(name, reader)).toMatchObject({ id, unit });
  });

  it("has every reader's total reward", () => {
    const names = ["reward", "critic/score/mean", "reward/all/mean", "reward/total", "train/reward"];
    names.push("rollout/reward_mean");
    for (const { id } of READERS)
      expect(
        names.some((name) => meaningOf(name, id).id === "reward"),
        id,
      ).toBe(true);
  });
});

describe("docs/metrics.md", () => {
  const text = readFileSync(new URL("../../../../docs/metrics.md", import.meta.url), "utf8");
  const rows = (heading: string) =>
    (text.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2)
      .map((line) =>
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      );

  it("says what the code says", () => {
    expect(rows("What they mean")).toEqual(
      MEANINGS.map(({ id, panel, unit, direction, means }) => [
        `\`${id.endsWith("/") ? `${id}NAME` : id}\``,
        panel,
        unit,
        direction ?? "–",
        means,
      ]),
    );
    expect(rows("Names of the frameworks")).toEqual(
      FRAMEWORK_NAMES.flatMap((framework) =>
        ALIASES[framework].map(([name, id]) => [framework, `\`${name}\``, `\`${id}\``]),
      ),
    );
  });
});
