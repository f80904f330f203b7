import type { TelemetryReader, TelemetryReading } from "../telemetry";
import { rowOf, valuesOf, type Row } from "./rows";
import { Segments } from "./segments";

/** `========== Step 12/1000 ==========`, of `grpo_train` */
const STEP = /=+ Step (\d+)\/\d+ =+/;
const SECTION = /(Training Results|Validation Results|Timing|Performance Metrics)/;
/** `  • Loss: 0.0123`, `  • Avg Reward: 0.4200`, `  • Total step time: 12.34s` */
const PAIR = /^\W*[•*-]\s*([^:•]+?):\s*([-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf))\s*(%?)(s?)\b/;

const PREFIX: Readonly<Record<string, string>> = {
  "Training Results": "train",
  "Validation Results": "validation",
  Timing: "timing",
  "Performance Metrics": "performance",
};

/**
 * NeMo RL's console: a heading for each step, sections with emoji headings, a number a bullet. Names are the words of the
 * console under their section (`train/Avg Reward`). Written to the contract sheet, not seen from a real run: NeMo RL
 * needs a GPU.
 */
export const nemoRl: TelemetryReader = { id: "nemo-rl-console", shape: "lines", open };

function open(): TelemetryReading {
  const segments = new Segments();
  let step: number | null = null;
  let section: string | null = null;
  const see = (raw: string): readonly Row[] => {
    // Ray puts the name of the process before what it prints.
    const line = raw.replace(/^\(\w+ pid=\d+[^)]*\)\s*/, "");
    const heading = STEP.exec(line);
    if (heading) {
      step = Number(heading[1]);
      section = null;
      return [];
    }
    const pair = PAIR.exec(line);
    if (!pair) {
      const found = SECTION.exec(line);
      if (found) section = PREFIX[found[1] ?? ""] ?? null;
      return [];
    }
    if (step === null || section === null) return [];
    const name = `${section}/${pair[1] ?? ""}${pair[3] === "%" ? " (%)" : ""}`;
    const row = rowOf(step, valuesOf([[name, pair[2]]]));
    return row === null ? [] : [row];
  };
  return {
    push: (text) => segments.push(text).flatMap(see),
    end: () => segments.end().flatMap(see),
  };
}
