import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunListReport } from "../../../src/schema/runReport";
import { Bench, python, until } from "./harness";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

describe("a run's life", () => {
  it("is started, listed, shown, followed and stopped", async () => {
    const started = await bench.start(
      [python, "-c", "import time; print('here'); time.sleep(300)"],
      ["--name", "Lång"],
    );
    const { id } = started.record;
    expect(id).toBe("lang-1");
    expect(started.status.state).toBe("running");
    const listed = RunListReport.parse(JSON.parse((await bench.run(["list", "--json"])).out));
    expect(listed.runs.map((run) => [run.id, run.state])).toEqual([[id, "running"]]);
    await until(() => bench.log(id) === "here\n", 5000, "the job's line");
    expect((await bench.run(["logs", id])).out).toBe("here\n");

    const before = performance.now();
    const stop = await bench.run(["stop", id]);
    expect(stop.code).toBe(0);
    expect(performance.now() - before).toBeLessThan(10_000);
    const { status, sentence } = await bench.show(id);
    expect(status).toMatchObject({ state: "stopped", reason: { code: "stop-asked" } });
    expect(sentence).toMatch(/stopped as you asked/);
    expect(bench.events(id).flatMap(({ state }) => state ?? [])).toEqual([
      "starting",
      "running",
      "stopping",
      "stopped",
    ]);
    expect((await bench.run(["delete", id])).code).toBe(0);
    expect(existsSync(bench.folder(id))).toBe(false);
    expect(existsSync(join(bench.project, ".rewardsmith", "runs", ".gitignore"))).toBe(true);
  });
});
