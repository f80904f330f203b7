import type { TelemetryReader, TelemetryReading } from "../telemetry";
import { readPythonDict } from "./pythonDict";
import { rowOf, valuesOf, type Row } from "./rows";
import { Segments } from "./segments";

/**
 * A bar of tqdm without a name at the outermost place: the trainer's own. A bar that stands below another is followed
 * by "one line up" (`ESC [ A`), one of a loop has its name before the percentage.
 */
// eslint-disable-next-line no-control-regex -- terminals' control sequences are looked for
const BAR = /^(?:\x1b\[[0-9;]*[A-Za-z])*\s{0,3}\d{1,3}%\|[^|]*\|\s*(\d+)\/(\d+) \[[^\]]*\](?!\x1b\[A)/;
const NOT_METRICS = new Set(["step", "total_flos"]);

interface Waiting {
  readonly values: Row["values"];
  readonly evaluation: boolean;
}

/**
 * What Transformers' trainer (and so TRL, Unsloth) prints at each logging step: the `repr` of a dict among progress
 * bars. Transformers 5 formats numbers as texts of four digits, 4 prints them as they are; both are read (seen: TRL
 * 1.13 and 1.16 with Transformers 5).
 *
 * The dict has no step. The trainer's bar is drawn anew right after it (`tqdm.write`), and only then is it certain to
 * show the step (before it may be a tenth of a second old), so a row waits for that bar. Without any bar
 * (`disable_tqdm`) the dicts are counted, and the step is the number of the logging event. Where two training dicts
 * come with no bar between them, the output was buffered and lies out of order: from there on nothing is given, as
 * every step would be a guess.
 */
export const trlConsole: TelemetryReader = { id: "trl-console", shape: "lines", open };

function open(): TelemetryReading {
  const segments = new Segments();
  let bar: { readonly step: number; readonly total: number } | null = null;
  let waiting: Waiting[] = [];
  let counted = 0;
  let disordered = false;

  const give = (step: number): readonly Row[] => {
    const rows = waiting.flatMap(({ values }) => rowOf(step, values) ?? []);
    const training = waiting.filter(({ evaluation }) => !evaluation).length;
    waiting = [];
    if (training > 1) disordered = true;
    return disordered ? [] : rows;
  };

  const seeBar = (segment: string): readonly Row[] => {
    const found = BAR.exec(segment);
    if (!found) return [];
    const [step, total] = [Number(found[1]), Number(found[2])];
    // A new training begins with an empty bar; others of another length belong to something else.
    if (bar === null || step === 0) bar = { step, total };
    else if (total !== bar.total) return [];
    else bar = { step, total };
    return give(step);
  };

  const seeDicts = (segment: string): readonly Row[] => {
    const rows: Row[] = [];
    for (let at = segment.indexOf("{"); at >= 0;) {
      const dict = readPythonDict(segment, at);
      at = segment.indexOf("{", dict?.end ?? at + 1);
      const entries = dict?.entries ?? [];
      const values = valuesOf(entries, NOT_METRICS);
      // The trainer adds the epoch to all that it logs; dicts that a reward prints don't have it.
      if (!("epoch" in values) || Object.keys(values).length < 2) continue;
      const own = entries.find(([name]) => name === "step");
      const evaluation = isBeside(Object.keys(values));
      const told = own === undefined ? null : rowOf(own[1], values);
      if (told) rows.push(told);
      else if (bar !== null) waiting.push({ values, evaluation });
      else
        rows.push(
          ...[rowOf(evaluation ? Math.max(1, counted) : ++counted, values)].flatMap((row) => row ?? []),
        );
    }
    return rows;
  };

  const see = (segment: string): readonly Row[] => [...seeBar(segment), ...seeDicts(segment)];

  return {
    push(text) {
      const rows = segments.push(text).flatMap(see);
      // The bar after a dict has its end only when the next one is drawn, which may be minutes later.
      if (waiting.length > 0 && waiting.every(({ evaluation }) => !evaluation)) {
        const found = BAR.exec(segments.rest);
        if (found && Number(found[2]) === bar?.total) return [...rows, ...give(Number(found[1]))];
      }
      return rows;
    },
    end: () => [...segments.end().flatMap(see), ...(bar === null ? [] : give(bar.step))],
  };
}

/** Evaluations and the summary at the end come beside a step's own numbers. */
function isBeside(names: readonly string[]): boolean {
  return (
    names.includes("train_runtime") || names.every((name) => name === "epoch" || name.startsWith("eval_"))
  );
}
