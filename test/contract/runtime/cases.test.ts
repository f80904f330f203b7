import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MODES, job, marked, repository, run, samples, start, until, write } from "./harness";

const cases = join(repository, "test", "fixtures", "cases");
const completions = (file: string): string[] =>
  readFileSync(join(cases, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { completion: string }).completion);

describe.runIf(process.platform !== "win32").each(MODES)("cases, in %s mode", (mode) => {
  it("B15: programs that don't stop or leave something behind; nothing of them is left", async () => {
    const { worker } = start(mode);
    await samples(worker, completions("B15_samples.jsonl"));
    const path = join(cases, "B15_reward.py");
    const rows = [0, 1, 2, 3, 4, 5];
    const { values, end, ms } = await run(
      worker,
      job(path, ["runs_reward"], [rows], { limits: { unitSeconds: 15 } }),
    );
    expect(end.reason).toBe("done");
    expect(values).toHaveLength(6);
    expect([values[0], values[5]]).toEqual([1, 0]);
    expect(values.slice(1, 3)).toEqual([0, 0]);
    expect(ms).toBeLessThan(15_000);
    expect(end.killed).toBeGreaterThanOrEqual(1);
    expect(marked(worker.marker).filter((line) => line.includes(" -c "))).toEqual([]);
  });

  it("L03: a stubborn reward is stopped, with its child", async () => {
    const { worker, root } = start(mode);
    const path = write(join(root, "reward.py"), readFileSync(join(cases, "L03_stubborn_reward.py"), "utf8"));
    await samples(worker, ["a"]);
    const child = (): boolean => marked(worker.marker).some((line) => line.includes("time.sleep(900)"));
    const controller = new AbortController();
    const running = run(
      worker,
      job(path, ["stubborn_reward"], [[0]], { limits: { unitSeconds: 600 } }),
      controller.signal,
    );
    await until("its child runs", child);
    controller.abort();
    expect((await running).end).toMatchObject({ reason: "cancelled", killed: 1 });
    expect(child()).toBe(false);
  });
});
