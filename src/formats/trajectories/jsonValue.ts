import { JsonTextError, parseJsonText } from "../jsonText";

/** Whole numbers that a double can't hold: ids of some frameworks. Checked cheaply before the exact reader is used. */
const LONG_INTEGER = /[\s:[,]-?\d{16,}(?=[\s,\]}])/;

export type JsonOutcome =
  | { readonly ok: true; readonly value: unknown }
  /** `unfinished`: the text ended inside a value. `at`: UTF-16 position. */
  | { readonly ok: false; readonly message: string; readonly at: number; readonly unfinished: boolean };

/**
 * JSON as Python writes it (NaN, Infinity, long integers as bigint). The engine's own parser reads nearly all of it;
 * the tolerant one only what that refuses. Never throws.
 */
export function parseValue(text: string): JsonOutcome {
  if (!LONG_INTEGER.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      return { ok: true, value };
    } catch {
      // NaN, Infinity, raw control characters: the tolerant reader decides.
    }
  }
  try {
    return {
      ok: true,
      value: parseJsonText(
        text,
        () => undefined,
        () => null,
      ),
    };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return { ok: false, message: error.message, at: error.at, unfinished: error.unfinished };
  }
}
