import * as z from "zod";

/**
 * Rewards may be NaN or infinite. JSON can't carry them and zod's numbers refuse them, so they
 * cross every boundary as a tagged object.
 */
export const NonFinite = z.strictObject({ nonFinite: z.enum(["nan", "inf", "-inf"]) });
export type NonFinite = z.infer<typeof NonFinite>;

export const TaggedNumber = z.union([z.number(), NonFinite]);
export type TaggedNumber = z.infer<typeof TaggedNumber>;

export function toTagged(value: number): TaggedNumber {
  if (Number.isFinite(value)) return value;
  return { nonFinite: Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf" };
}

export function fromTagged(value: TaggedNumber): number {
  if (typeof value === "number") return value;
  switch (value.nonFinite) {
    case "nan":
      return Number.NaN;
    case "inf":
      return Number.POSITIVE_INFINITY;
    case "-inf":
      return Number.NEGATIVE_INFINITY;
  }
}
