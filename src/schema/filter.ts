import * as z from "zod";

/** What can be wrong with a filter; `filterErrorInWords` (src/words) has the sentences. */
export const FilterProblemCode = z.enum([
  /** `subject` is no field; `near` is the nearest one. */
  "unknown-field",
  /** `subject` is none of the field's words; `near` is the nearest one. */
  "unknown-value",
  "not-a-number",
  /** Rows are counted from 1: `row:17`, `row:10..20`, `row:1,5,9`. */
  "not-a-row",
  /** The field `subject` has no order: only `:` may stand behind it. */
  "not-ordered",
  /** Nothing stands behind the operator `subject`. */
  "no-value",
  /** Nothing stands before the operator `subject`. */
  "no-field",
  /** Nothing stands beside `subject` (and, or, not, an opening parenthesis). */
  "no-term",
  "open-quote",
  "open-parenthesis",
  "stray-parenthesis",
  /** `/…/`: patterns aren't supported. */
  "regex",
  "too-deep",
]);

/** The first thing wrong with a filter; `from` to `to` is where, in UTF-16 units of its text. */
export const FilterProblem = z.object({
  code: FilterProblemCode,
  subject: z.string(),
  near: z.string().nullable(),
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
});
export type FilterProblem = z.infer<typeof FilterProblem>;
