import * as z from "zod";

/** Replaces `length` UTF-16 units at `offset`; offsets of a change list are all in the text before it. */
export const TextChange = z.object({
  offset: z.int().nonnegative(),
  length: z.int().nonnegative(),
  text: z.string(),
});
export type TextChange = z.infer<typeof TextChange>;

/** Edits of a page that the document doesn't have yet, as far as the page knows; kept over a reload. */
export const UnsentEdits = z.object({
  /** Of the host's side that they were for. */
  session: z.string(),
  /** Of the document that the first edit is based on; hashes of its text before and after the first edit. */
  version: z.int(),
  hash: z.int(),
  hashAfter: z.int(),
  /** That text; null: too long to keep. */
  text: z.string().nullable(),
  /** The first edit was sent and not answered. */
  inFlight: z.boolean(),
  /** Each is on top of the one before. */
  edits: z.array(z.object({ id: z.string(), word: z.int().nonnegative(), changes: z.array(TextChange) })),
});
export type UnsentEdits = z.infer<typeof UnsentEdits>;
