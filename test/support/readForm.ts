import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { TrajectoryForm } from "../../src/formats/trajectories/form";
import { parseValue } from "../../src/formats/trajectories/jsonValue";
import type { Trajectory } from "../../src/schema/trajectory";

/** What a form makes of values, without a container: for forms whose containers have tests of their own. */
export function readForm(
  form: TrajectoryForm,
  values: readonly unknown[],
  name = "file",
): { readonly trajectories: readonly Trajectory[]; readonly problems: readonly string[] } {
  const placed = values.map((value, at) => ({ value, line: at + 1 }));
  const { shared, records } = form.split?.(placed) ?? { shared: null, records: placed };
  const problems: string[] = [];
  const trajectories = records.flatMap(({ value, line }, index) =>
    form.read(value, {
      name,
      folders: [],
      line,
      index,
      shared,
      learnt: null,
      beside: new Map(),
      problem: (message) => problems.push(message),
    }),
  );
  return { trajectories, problems };
}

/** The values of a file: its lines where it is JSON lines, else the whole. */
export function valuesOf(path: string): unknown[] {
  const text = readFileSync(path, "utf8");
  const texts = path.endsWith(".jsonl") ? text.split("\n").filter((line) => line.trim() !== "") : [text];
  return texts.map((one) => {
    const parsed = parseValue(one);
    if (!parsed.ok) throw new Error(parsed.message);
    return parsed.value;
  });
}

export function readFormFile(form: TrajectoryForm, path: string): ReturnType<typeof readForm> {
  return readForm(form, valuesOf(path), basename(path));
}
