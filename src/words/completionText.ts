import * as z from "zod";

const Part = z.union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)]);
const Content = z.union([z.string(), z.array(Part.catch("")).transform((parts) => parts.join(" "))]);
const Message = z.object({ content: Content }).transform(({ content }) => content);

/** A completion to read: text as it is, of a conversation the last message's text, anything else as JSON. */
export function lastText(completion: unknown): string {
  if (typeof completion === "string") return completion;
  const last: unknown = Array.isArray(completion) ? completion.at(-1) : completion;
  const message = Message.safeParse(last);
  return message.success && message.data !== "" ? message.data : JSON.stringify(completion ?? null);
}
