import { isFields } from "../../../base/fields";
import type { TelemetryReader } from "../telemetry";
import { jsonLinesReader } from "./jsonLines";
import { lineReading, rowOf, valuesOf, type Row } from "./rows";

/** verl's `FileLogger` (0.9.1): `{"step": n, "data": {metric: number}}`, one a line; NaN is written as null. */
export const verlFileLogger = jsonLinesReader("verl-file", ({ step, data }) =>
  isFields(data) ? rowOf(step, valuesOf(Object.entries(data))) : null,
);

const START = /(?<![\w/])step:(\d+) - (?=\S+?:)/g;
/** A colour code of Ray's, which puts `(TaskRunner pid=12)` before what its workers print. */
// eslint-disable-next-line no-control-regex -- terminals' control sequences are looked for
const COLOUR = /\x1b\[[0-9;]*m/g;
const PAIR = /^(.+):(?:np\.\w+\()?([-+]?(?:[\d.]+(?:[eE][-+]?\d+)?|inf|nan)|None)\)?$/;

/** verl's console logger (0.9.1, `LocalLogger`): `step:12 - critic/score/mean:0.61 - actor/lr:1e-06`. */
export const verlConsole: TelemetryReader = {
  id: "verl-console",
  shape: "lines",
  open: () => lineReading(consoleRows),
};

function consoleRows(segment: string): readonly Row[] {
  if (!segment.includes("step:")) return [];
  const line = segment.replace(COLOUR, "");
  const starts = [...line.matchAll(START)];
  return starts.flatMap((start, at) => {
    const text = line.slice(start.index + start[0].length, starts[at + 1]?.index ?? line.length);
    const pairs = text.split(" - ").flatMap((part): (readonly [string, unknown])[] => {
      const found = PAIR.exec(part.trim());
      return found ? [[found[1] ?? "", found[2] === "None" ? null : found[2]]] : [];
    });
    return rowOf(start[1], valuesOf(pairs)) ?? [];
  });
}
