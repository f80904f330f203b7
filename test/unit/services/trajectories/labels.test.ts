import { expect, it } from "vitest";
import type { LabelFiles } from "../../../../src/services/labels/labelStore";
import { TrajectoryLabels } from "../../../../src/services/trajectories/labels";
import { inProcessPorts } from "../../../../src/runtime/trajectories/ports";
import { createTrajectoryStore } from "../../../../src/services/trajectories/store";
import { fileURLToPath } from "node:url";

class Memory implements LabelFiles {
  text: string | null = null;
  read(): Promise<string | null> {
    return Promise.resolve(this.text);
  }
  append(_path: string, text: string): Promise<void> {
    this.text = (this.text ?? "") + text;
    return Promise.resolve();
  }
}

const fixture = fileURLToPath(
  new URL("../../../fixtures/trajectories/nemo-gym/rollouts.jsonl", import.meta.url),
);
const ALL = { filter: "", sort: "index", descending: false } as const;

it("appends verdicts, takes them back, and is read past a line that was cut off", async () => {
  const store = createTrajectoryStore(inProcessPorts({ warn: () => undefined }));
  try {
    const source = await store.open(fixture);
    await source.whenComplete();
    const shown = async () => (await source.page(ALL, 0, 10)).rows.map(({ label }) => label);
    const files = new Memory();
    const labels = new TrajectoryLabels(files, () => "2026-01-01T00:00:00.000Z");
    const act = (index: number, value: "good" | "bad" | number | null) =>
      labels.act(source, "x.labels.jsonl", "me", [{ index, value, stream: "chosen" }]);

    expect(await Promise.all([act(0, "good"), act(1, 0.5)])).toEqual([1, 2]);
    expect((await shown()).slice(0, 2)).toEqual(["good", 0.5]);
    expect(files.text?.split("\n")).toHaveLength(3);
    expect(await act(0, null)).toBe(1);
    expect((await shown()).slice(0, 2)).toEqual([null, 0.5]);

    const before = files.text ?? "";
    files.text = `${before}{"v": 1, "at": "20`;
    expect(await act(0, "bad")).toBe(2);
    expect(files.text.startsWith(`${before}{"v": 1, "at": "20\n{`)).toBe(true);
    expect((await shown()).slice(0, 2)).toEqual(["bad", 0.5]);
    expect((await source.page({ ...ALL, filter: "label:bad" }, 0, 10)).total).toBe(1);
  } finally {
    store.dispose();
  }
});
