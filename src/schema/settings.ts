import * as z from "zod";

/** Settings the engine needs; the host reads them from VS Code, the command line from arguments. */
export const EngineSettings = z.object({
  /** Interpreter as given (never resolved); null = found by the host or on PATH. */
  python: z.string().nullable(),
  /** Extra environment for the worker (from the Python extension's env file). */
  env: z.record(z.string(), z.string()),
  liveMode: z.enum(["onType", "onSave", "manual"]),
  workerMode: z.enum(["auto", "fork", "spare"]),
  /** Seconds one call may take while live, and when asked for. */
  liveTimeoutSeconds: z.number().positive(),
  timeoutSeconds: z.number().positive(),
  memoryMb: z.number().positive(),
  outputBytes: z.int().positive(),
  /** Most rows scored while typing. */
  liveRows: z.int().positive(),
  /** Most rows traced for previews while typing. */
  traceRows: z.int().nonnegative(),
  previews: z.boolean(),
  batch: z.int().positive(),
  baseline: z.enum(["saved", "head"]),
  /** Written beside each label; empty = nobody is named. */
  labeller: z.string().max(100),
});
export type EngineSettings = z.infer<typeof EngineSettings>;

export const DEFAULT_SETTINGS: EngineSettings = {
  python: null,
  env: {},
  liveMode: "onType",
  workerMode: "auto",
  liveTimeoutSeconds: 2,
  timeoutSeconds: 10,
  memoryMb: 2048,
  outputBytes: 20_000,
  liveRows: 1000,
  traceRows: 200,
  previews: true,
  batch: 32,
  baseline: "saved",
  labeller: "",
};
