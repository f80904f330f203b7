import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ADVANTAGE_RULES } from "../../../../src/core/advantages/registry";
import { Comparison } from "../../../../src/schema/trajectoryView";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { compareTrajectories } from "../../../../src/services/trajectories/compare";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";

const folder = mkdtempSync(join(tmpdir(), "rewardsmith-compare-"));
const store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
afterAll(() => {
  store.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** 200 messages: the first three are everybody's, then each says its own where `at` is a multiple of 7. */
const messages = (who: number) =>
  Array.from({ length: 200 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: at >= 3 && at % 7 === 0 ? `${at} by ${who}` : `${at}`,
  }));
const REWARDS = Array.from({ length: 16 }, (_, who) => [0.25, 1, 0, 0.5][who % 4] ?? 0);

async function open(name: string, rewards: readonly number[]) {
  const path = join(folder, name);
  const trajectories = rewards.map((reward, who) => ({
    reward,
    metrics: {},
    metadata: {},
    messages_and_choices: messages(who),
  }));
  writeFileSync(path, `${JSON.stringify({ trajectories, exceptions: [] })}\n`);
  const source = await store.open(path);
  await source.whenComplete();
  return source;
}

it("lays 16 trajectories of 200 messages side by side, best first, with the trainer's advantages", async () => {
  const source = await open("group.jsonl", REWARDS);
  const compared = Comparison.parse(
    await compareTrajectories(source, { indexes: [], group: 5, rule: "trl" }),
  );
  const order = compared.columns.map(({ row }) => row.reward);
  expect(order).toEqual([...REWARDS].sort((a, b) => b - a));
  // Equal ones stay in order of the file.
  expect(compared.columns.slice(0, 4).map(({ row }) => row.index)).toEqual([1, 5, 9, 13]);
  expect(compared.columns.map(({ mark }) => mark)).toEqual([
    ...Array.from({ length: 4 }, () => "best"),
    ...Array.from({ length: 8 }, () => null),
    ...Array.from({ length: 4 }, () => "worst"),
  ]);
  expect(compared.mean).toBeCloseTo(0.4375, 12);
  expect(compared.group).toBe(compared.columns[0]?.row.group);

  const rule = ADVANTAGE_RULES.find(({ id }) => id === compared.rule);
  const { advantages } = rule?.compute({
    values: Float32Array.from(REWARDS),
    weights: [1],
    groups: [16],
  }) ?? { advantages: [] };
  for (const { row, ruleAdvantage } of compared.columns) expect(ruleAdvantage).toBe(advantages[row.index]);

  expect(compared.shared).toBe(7);
  expect(compared.lines).toHaveLength(193);
  expect(compared.parts).toBe(0);
  compared.lines.forEach((line, at) => {
    const position = at + 7;
    expect(line.map((cell) => cell?.position)).toEqual(REWARDS.map(() => position));
    const alike = new Set(line.map((cell) => cell?.alike));
    expect(alike.size).toBe(position % 7 === 0 ? 16 : 1);
  });
});

it("marks none where all are equal", async () => {
  const source = await open("tied.jsonl", [1, 1]);
  const { columns } = await compareTrajectories(source, { indexes: [0, 1], group: null, rule: null });
  expect(columns.map(({ mark }) => mark)).toEqual([null, null]);
});

it("says which components separate: shares of the spread, largest first, of 1 in all", async () => {
  const path = join(folder, "rollouts.jsonl");
  const gym = (reward: number, parts: Record<string, number>) => ({
    responses_create_params: { input: "q" },
    response: { object: "response", status: "completed", output: [] },
    reward,
    reward_components: parts,
    _ng_task_index: 0,
    _ng_rollout_index: reward,
  });
  writeFileSync(
    path,
    [gym(3, { style: 1, right: 2, same: 1 }), gym(0, { style: 0, right: 0, same: 1 })]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  const source = await store.open(path);
  await source.whenComplete();
  const { separatedBy } = await compareTrajectories(source, { indexes: [0, 1], group: null, rule: null });
  // Variances 1 and 0.25 (values 2 and 0, 1 and 0).
  expect(separatedBy).toEqual([
    { component: "right", share: 0.8 },
    { component: "style", share: 0.2 },
  ]);
});
