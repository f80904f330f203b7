// @ts-check
// What the benchmark scores: written anew for each run, the same each time.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Groups of eight completions a prompt, as in training. */
const GROUP = 8;

/** A reward as people write it: a pattern, a comparison, a length rule. `SCALE` is what the benchmark edits. */
const TYPICAL = `import re

NUMBER = re.compile(r"-?\\d+(?:\\.\\d+)?")


def correctness(completions, answer, **kwargs):
    rewards = []
    for text, gold in zip(completions, answer):
        found = NUMBER.findall(text)
        score = 1.0 if found and found[-1] == gold else 0.0
        if len(text) > 400:
            score -= 0.1
        rewards.append(score * SCALE)
    return rewards


SCALE = 1
`;

/** About 50 µs of Python for each row. @param {number} steps Turns of the inner loop; calibrated by the caller. */
const busy = (steps) => `def busy(completions, **kwargs):
    rewards = []
    for text in completions:
        total = 0
        for step in range(${steps}):
            total += step & 7
        rewards.append(float(len(text) % 2))
    return rewards
`;

/** @param {number} rows */
export function jsonl(rows) {
  const lines = [];
  for (let i = 0; i < rows; i++) {
    const group = Math.floor(i / GROUP);
    const answer = (group * 7) % 100;
    const said = i % 3 === 0 ? answer : (answer + (i % GROUP)) % 100;
    lines.push(
      JSON.stringify({
        prompt: `What is ${group} times 7, modulo 100?`,
        completion: `${group} times 7 is ${group * 7}. ${"So we reduce it. ".repeat(i % 9)}The answer is ${said}`,
        answer: String(answer),
        prompt_id: `p${group}`,
      }),
    );
  }
  return `${lines.join("\n")}\n`;
}

/** @param {string} folder @param {number} steps */
export async function writeInputs(folder, steps) {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "reward.py"), TYPICAL);
  await writeFile(path.join(folder, "busy.py"), busy(steps));
  await writeFile(path.join(folder, "peer.txt"), "one line\n");
  for (const rows of [10, 1000, 10_000, 20_000])
    await writeFile(path.join(folder, `rows-${rows}.jsonl`), jsonl(rows));
}
