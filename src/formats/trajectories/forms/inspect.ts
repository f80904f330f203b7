import type { Fields } from "../build";
import { fieldsOf, isFields, listOf, others } from "../build";
import type { PlacedRecord, TrajectoryForm } from "../form";
import { inspectSample } from "./inspectSample";

const LOG_KEYS = ["version", "eval", "plan"];

/** Inspect log as one JSON value: an EvalLog (version 1 and 2) with its samples. Inspect 0.3.285, `EvalLog`. */
export const inspectJson: TrajectoryForm = {
  id: "inspect-json",
  title: "Inspect log (.json)",
  framework: "inspect",
  containers: ["document"],
  grouping: "given",
  credit: null,
  recognise: ({ records: [log] }) =>
    isFields(log) && "eval" in log && LOG_KEYS.filter((key) => key in log).length >= 2 && "samples" in log,
  split(records) {
    const log = fieldsOf(records[0]?.value);
    return {
      shared: others(log, new Set(["samples", "reductions"])),
      records: listOf(log["samples"]).map((value, at): PlacedRecord => ({ value, line: at + 1 })),
    };
  },
  read(record, { shared, problem }) {
    return isFields(record) ? inspectSample(record, fieldsOf(shared), problem) : [];
  },
};

const HEADER = "header.json";
const START = "_journal/start.json";
const SAMPLE = /^samples\/(.+)_epoch_(\d+)\.json$/;
/** Newest logs keep large samples in pieces; the sample itself lies beside them. */
const LARGE = /^samples\/(.+)_epoch_(\d+)\/sample\.json$/;

/**
 * Inspect log as a zip (`.eval`): `header.json` (missing while it runs, then the journal's start says what is known),
 * one entry a sample. Inspect 0.3.285.
 */
export const inspectEval: TrajectoryForm = {
  id: "inspect-eval",
  title: "Inspect log (.eval)",
  framework: "inspect",
  containers: ["zip"],
  grouping: "given",
  credit: null,
  recognise: ({ names }) => names.includes(HEADER) || names.includes(START),
  entries: (names) => ({
    shared: [HEADER, START].filter((name) => names.includes(name)),
    records: names
      .flatMap((name) => {
        const found = SAMPLE.exec(name) ?? LARGE.exec(name);
        return found ? [{ name, id: found[1] ?? "", epoch: Number(found[2]) }] : [];
      })
      .sort((a, b) => a.epoch - b.epoch || byId(a.id, b.id))
      .map(({ name }) => name),
  }),
  read(record, { shared, problem }) {
    return isFields(record) ? inspectSample(record, logOf(shared), problem) : [];
  },
};

/** Inspect lists samples by epoch, then id; numbers as numbers. */
function byId(a: string, b: string): number {
  const [x, y] = [a, b].map((id) => (/^\d+$/.test(id) ? id.padStart(20, "0") : id));
  return (x ?? "") < (y ?? "") ? -1 : 1;
}

function logOf(shared: unknown): Fields {
  const entry = (name: string): Fields =>
    fieldsOf(shared instanceof Map ? shared.get(name) : fieldsOf(shared)[name]);
  return { ...entry(START), ...entry(HEADER) };
}
