import { finiteOrNull, isFields } from "../../../base/fields";
import { jsonLinesReader } from "./jsonLines";
import { rowOf, valuesOf } from "./rows";

const SPECIAL: Readonly<Record<string, string>> = { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" };

/**
 * What `python/rewardsmith_log` writes: `{"step": n, "at": ms, "values": {name: number | {"nonFinite": …} | null}}`, one
 * a line.
 */
export const rewardsmithLog = jsonLinesReader("rewardsmith-log", ({ step, at, values }) => {
  if (!isFields(values)) return null;
  const plain = Object.entries(values).map(([name, value]) => [name, untagged(value)] as const);
  return rowOf(step, valuesOf(plain), finiteOrNull(at));
});

function untagged(value: unknown): unknown {
  if (!isFields(value)) return value;
  const word = value["nonFinite"];
  return typeof word === "string" && Object.hasOwn(SPECIAL, word) ? SPECIAL[word] : value;
}
