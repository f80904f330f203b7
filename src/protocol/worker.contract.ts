import * as z from "zod";
import {
  EndFrame,
  Job,
  LoadFailedFrame,
  LoadedFrame,
  Ready,
  SamplesPart,
  StartFrame,
  UnitFrame,
  WORKER_PROTOCOL,
} from "../schema/worker";

/**
 * Engine ⇄ Python worker: newline-delimited JSON. Requests go to the worker's standard input; frames
 * come back on a private copy of its standard output (fd 1 itself is pointed at stderr, so that user code
 * can print without touching the protocol). The worker writes JSON with `allow_nan=False`.
 *
 * Two modes speak the same messages:
 *  - `fork`: a long-lived single-threaded parent; each job runs in a forked child; the parent enforces the
 *    limits in its select loop and relays the child's frames.
 *  - `spare`: a process that runs one job in its own main thread and then exits; the engine keeps at least
 *    two of them warm and enforces the limits itself.
 *
 * `docs/schema/worker.schema.json` is generated from this file; the Python tests check their frames against it.
 */
export const ToWorker = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("init"),
    protocol: z.literal(WORKER_PROTOCOL),
    mode: z.enum(["fork", "spare"]),
    /** Folder of ours for temporary files; a pass's own folder is made inside it. */
    tmp: z.string(),
    /** Third-party modules that the last pass loaded, imported once by the parent (BLAS threads 1). Never the user's own. */
    preload: z.array(z.string()),
    /** Distributions whose versions `ready` reports. */
    packages: z.array(z.string()),
  }),
  z.object({ t: z.literal("samples"), part: SamplesPart }),
  z.object({ t: z.literal("drop"), set: z.string() }),
  z.object({ t: z.literal("preload"), modules: z.array(z.string()) }),
  z.object({ t: z.literal("run"), job: Job }),
  z.object({ t: z.literal("cancel"), job: z.int() }),
]);
export type ToWorker = z.infer<typeof ToWorker>;

export const Frame = z.discriminatedUnion("t", [
  Ready,
  LoadedFrame,
  LoadFailedFrame,
  StartFrame,
  UnitFrame,
  EndFrame,
  /** Something about the worker itself that belongs in the log. */
  z.object({ t: z.literal("log"), level: z.enum(["debug", "info", "warn", "error"]), text: z.string() }),
]);
export type Frame = z.infer<typeof Frame>;
