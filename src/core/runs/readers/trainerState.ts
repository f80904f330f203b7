import { fieldsOf, listOf } from "../../../base/fields";
import type { TelemetryReader } from "../telemetry";
import { parsePythonJson } from "./pythonJson";
import { rowOf, valuesOf, type Row } from "./rows";

const NOT_METRICS = new Set(["step", "total_flos"]);

/** Entries of `log_history`, in order: what they hold by name, with the step in it. */
export function logHistory(document: unknown): readonly Row[] {
  return listOf(fieldsOf(document)["log_history"]).flatMap((item) => {
    const fields = fieldsOf(item);
    const row = rowOf(fields["step"], valuesOf(Object.entries(fields), NOT_METRICS));
    return row === null ? [] : [row];
  });
}

/**
 * `trainer_state.json` of Transformers 4 and 5 (and so of TRL and Unsloth): flat entries with `step` and `epoch`, NaN as
 * a bare word. The file is written anew at each checkpoint and not in one piece: a text that isn't whole gives nothing,
 * the next one will. Entries that were given before are not given again; after a resume the changed ones are.
 */
export const trainerState: TelemetryReader = {
  id: "trainer-state",
  shape: "document",
  open() {
    let given: readonly string[] = [];
    return {
      push(text) {
        const document = parsePythonJson(text);
        if (document === undefined) return [];
        const rows = logHistory(document);
        const now = rows.map((row) => JSON.stringify(row));
        const fresh = rows.filter((_, at) => now[at] !== given[at]);
        given = now;
        return fresh;
      },
      end: () => [],
    };
  },
};
