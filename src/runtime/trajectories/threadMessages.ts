import * as z from "zod";
import { ERROR_CODES } from "../../base/errors";
import { TrajectoryProblemCode } from "../../schema/trajectory";

/** What the main thread and the threads that index tell each other. Columns are handed over, not copied. */
const Id = z.int().nonnegative();
const Position = z.object({ bytes: z.number(), lines: z.number(), records: z.number() });

export const ThreadAsk = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("index"),
    id: Id,
    job: z.object({ path: z.string(), name: z.string(), from: Position.nullable(), last: z.boolean() }),
  }),
  z.object({ kind: z.literal("cancel"), id: Id }),
]);
export type ThreadAsk = z.infer<typeof ThreadAsk>;

const Doubles = z.instanceof(Float64Array);
const Bytes = z.instanceof(Uint8Array);
const Numbers = z.union([Doubles, z.instanceof(Uint32Array), z.instanceof(Uint16Array), Bytes]);

const Batch = z.object({
  n: z.int(),
  columns: z.record(z.string(), Numbers),
  components: z.array(z.object({ name: z.string(), values: Doubles, states: Bytes })),
  metrics: z.array(z.object({ name: z.string(), values: Doubles })),
  splits: z.array(z.string()),
  texts: Bytes,
});

export const ToldEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("opened"),
    facts: z.object({
      form: z.string(),
      formTitle: z.string(),
      framework: z.string().nullable(),
      grouping: z.enum(["given", "prompt", "runs"]),
      container: z.string(),
      resumes: z.boolean(),
      bytes: z.number(),
      beside: z.array(z.string()),
    }),
  }),
  z.object({
    kind: z.literal("batch"),
    batch: Batch,
    position: Position,
    problems: z.array(z.object({ line: z.number(), code: TrajectoryProblemCode, message: z.string() })),
  }),
  z.object({ kind: z.literal("reached"), bytes: z.number() }),
]);

export const ThreadTell = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("event"), id: Id, event: ToldEvent }),
  z.object({ kind: z.literal("indexed"), id: Id, position: Position }),
  z.object({
    kind: z.literal("failed"),
    id: Id,
    code: z.enum(ERROR_CODES),
    message: z.string(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  }),
]);
export type ThreadTell = z.infer<typeof ThreadTell>;
