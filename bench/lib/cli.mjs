// @ts-check
import { spawnSync } from "node:child_process";
import path from "node:path";
import { root } from "../../scripts/lib/paths.mjs";
import { median } from "./stats.mjs";

/**
 * Wall clock of a whole process, milliseconds, median of `times` runs after one that warms the disk cache.
 * @param {string} program @param {string[]} args @param {number} times
 */
export function wall(program, args, times) {
  const taken = [];
  for (let i = 0; i <= times; i++) {
    const started = performance.now();
    const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (status !== 0)
      throw new Error(
        `${path.basename(program)} ${args.join(" ")} ended with ${status}: ${stderr}${stdout.slice(0, 2000)}`,
      );
    if (i > 0) taken.push(performance.now() - started);
  }
  return median(taken);
}

/** `rewardsmith score`, a cold process. @param {string} python @param {string} folder @param {number} rows */
export function score(python, folder, rows) {
  const args = [
    "score",
    path.join(folder, "reward.py"),
    "--samples",
    path.join(folder, `rows-${rows}.jsonl`),
  ];
  return wall(
    process.execPath,
    [path.join(root, "dist/node/cli.js"), ...args, "--python", python, "--json"],
    5,
  );
}

/** A Python process that reads the same file and calls the same function. @param {string} python @param {string} folder @param {number} rows */
export function barePython(python, folder, rows) {
  const args = [path.join(folder, "reward.py"), "correctness", path.join(folder, `rows-${rows}.jsonl`)];
  return wall(python, [path.join(root, "bench/bare.py"), ...args], 5);
}

/** Time of the calls alone, in batches as the trainer makes them. @param {string} python @param {string} folder @param {number} rows */
export function bareLoop(python, folder, rows) {
  const taken = [];
  for (let i = 0; i < 5; i++) {
    const { stdout, stderr, status } = spawnSync(
      python,
      [
        path.join(root, "bench/bare.py"),
        path.join(folder, "busy.py"),
        "busy",
        path.join(folder, `rows-${rows}.jsonl`),
      ],
      { encoding: "utf8" },
    );
    if (status !== 0) throw new Error(stderr);
    /** @type {{ ms: number }} */
    const { ms } = JSON.parse(stdout);
    taken.push(ms);
  }
  return median(taken);
}
