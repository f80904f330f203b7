import * as z from "zod";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Any JSON value. */
export const Json: z.ZodType<Json> = z.json();

export const JsonObject = z.record(z.string(), Json);

/** An object with any names, which `z.record` is not: it leaves out `__proto__`. */
export function anyNames<V extends z.ZodType>(value: V) {
  return z.custom<Record<string, z.input<V>>>(
    (given) =>
      typeof given === "object" &&
      given !== null &&
      !Array.isArray(given) &&
      Object.values(given).every((one) => value.safeParse(one).success),
    "an object",
  );
}

/** Parses text without throwing. */
export function parseJson(text: string): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
