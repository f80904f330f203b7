import * as z from "zod";

/** Replaces `length` UTF-16 units at `offset`; offsets of a change list are all in the text before it. */
export const TextChange = z.object({
  offset: z.int().nonnegative(),
  length: z.int().nonnegative(),
  text: z.string(),
});
export type TextChange = z.infer<typeof TextChange>;
