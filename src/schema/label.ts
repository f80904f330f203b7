import * as z from "zod";

/**
 * A person's verdicts, in a sidecar file beside the samples (`outputs.jsonl` → `outputs.labels.jsonl`), one JSON object
 * a line, appended in the order they were given: the last record of a sample counts. Samples are named by identity, so
 * that reordering or appending to the data loses nothing.
 */
export const LABEL_VERSION = 1;

/**
 * How a sample came before the labeller: drawn at random (rates come only from these), hunted for (disagreement, ties,
 * flips), or chosen by hand.
 */
export const LabelStream = z.enum(["random", "hunting", "chosen"]);
export type LabelStream = z.infer<typeof LabelStream>;

/** good, bad, or a number on the labeller's own scale. */
export const LabelValue = z.union([z.enum(["good", "bad"]), z.number()]);
export type LabelValue = z.infer<typeof LabelValue>;

const head = {
  v: z.literal(LABEL_VERSION),
  /** ISO 8601, UTC. */
  at: z.string(),
  /** Who, as the setting `rewardsmith.labels.name` says; empty where nothing is set. */
  by: z.string().max(100),
};
const Id = z.string().min(1);

export const LabelRecord = z.discriminatedUnion("kind", [
  z.object({ ...head, kind: z.literal("verdict"), id: Id, value: LabelValue, stream: LabelStream }),
  /** Of two completions of one group, the better. */
  z.object({ ...head, kind: z.literal("pair"), better: Id, worse: Id, stream: LabelStream }),
  /** Takes back what was said of the sample. */
  z.object({ ...head, kind: z.literal("clear"), id: Id }),
  /** Looked at during a guided inspection; says nothing of good or bad. */
  z.object({ ...head, kind: z.literal("looked"), id: Id, stream: LabelStream }),
]);
export type LabelRecord = z.infer<typeof LabelRecord>;

/** A sample's label now; `data` = from a column of the data itself. */
export const SampleLabel = z.object({
  value: LabelValue,
  source: z.enum(["sidecar", "data"]),
  stream: LabelStream.nullable(),
  by: z.string(),
});
export type SampleLabel = z.infer<typeof SampleLabel>;
