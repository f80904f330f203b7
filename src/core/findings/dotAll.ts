import type { Range } from "../../schema/reward";
import type { PatternModel } from "../python/model";
import { translatePattern } from "../python/regex";
import { parseLabel } from "../scoring/labels";
import { scoreOf } from "../scoring/states";
import { type FindingContext, closureOf } from "./finding";
import { code, rowList } from "./sentences";

/** Looking at more would cost time for no more certainty. */
const MOST_ROWS = 50;

interface Cause {
  readonly message: string;
  readonly cure: string;
  readonly range: Range;
}

/**
 * Whether a dot that doesn't match a new line explains rows that are labelled good and scored low: the same pattern
 * with DOTALL matches them. Tried here, without Python, for patterns that mean the same in both languages.
 */
export function dotAllCause(context: FindingContext, strict: readonly number[]): Cause | null {
  const { source, table, functions } = context;
  if (!table || strict.length === 0) return null;
  const ranges = functions.flatMap(({ fn }) => closureOf(source, fn.name)).map((fn) => fn.range);
  for (const use of source.patternUses) {
    const pattern = source.patterns[use.pattern];
    if (!pattern || !ranges.some(({ start, end }) => use.line >= start.line && use.line <= end.line))
      continue;
    const translated = translatePattern(pattern.literal, pattern.flags);
    if (!translated || !translated.hasDot) continue;
    const freed = (row: number): boolean => {
      const text = textOf(table.completion[row]);
      if (text === null) return false;
      return (
        translated.matches(text, use.method, false) === false &&
        translated.matches(text, use.method, true) === true
      );
    };
    const matched = strict.slice(0, MOST_ROWS).filter(freed);
    if (matched.length === 0) continue;
    const refused = lowAndBad(context).slice(0, MOST_ROWS);
    const wrongly = refused.filter(freed);
    return describe(pattern, matched, refused, wrongly);
  }
  return null;
}

function describe(
  pattern: PatternModel,
  matched: readonly number[],
  refused: readonly number[],
  wrongly: readonly number[],
): Cause {
  const name =
    pattern.boundTo === null ? `the pattern in line ${pattern.range.start.line + 1}` : code(pattern.boundTo);
  const rest = refused.filter((row) => !wrongly.includes(row));
  const also = wrongly.length > 0 ? `; it would match ${rowList(wrongly)}, labelled bad, too` : "";
  const still = rest.length > 0 && wrongly.length === 0 ? ` and still refuses ${rowList(rest)}` : "";
  return {
    message: `in ${name} a dot doesn't match a new line; the same pattern with DOTALL matches ${rowList(matched)}${still}${also}.`,
    cure: `Add the flag re.DOTALL: re.${pattern.call}(…, ${pattern.flags === "" ? "" : `${pattern.flags} | `}re.DOTALL).`,
    range: pattern.range,
  };
}

/** Rows that reward and label both call bad. */
function lowAndBad({ table, functions }: FindingContext): number[] {
  const [first] = functions;
  const rows: number[] = [];
  table?.label?.forEach((label, row) => {
    if (parseLabel(label) !== 0) return;
    const value = scoreOf(first?.outcome?.rows[row]);
    if (value <= 0) rows.push(row);
  });
  return rows;
}

/** The text of a completion: itself, or the content of the last message. */
function textOf(completion: unknown): string | null {
  if (typeof completion === "string") return completion;
  const last: unknown = Array.isArray(completion) ? completion.at(-1) : null;
  if (typeof last !== "object" || last === null || !("content" in last)) return null;
  return typeof last.content === "string" ? last.content : null;
}
