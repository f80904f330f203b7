import * as z from "zod";
import { Observation } from "./lab";
import { TaggedNumber } from "./number";
import { Reason, ScoreState, SideEffect } from "./score";

/** What the engine and the Python worker tell each other; the wire itself is `protocol/worker.contract.ts`. */
export const WORKER_PROTOCOL = 1;

const Row = z.int().nonnegative();
const Count = z.int().nonnegative();

/** How a contract calls the function; made by `core/contracts`, carried out by the worker. */
export const CallPlan = z.object({
  /** One call for a whole batch, or one call a sample. */
  unit: z.enum(["batch", "sample"]),
  /** Keyword arguments by name and where each comes from, in order; `columns` expands to all further columns. */
  arguments: z.array(
    z.discriminatedUnion("from", [
      z.object({
        name: z.string(),
        from: z.enum(["prompt", "completion", "completion_ids", "trainer_state", "log_extra", "log_metric"]),
      }),
      z.object({ name: z.string(), from: z.literal("column"), column: z.string() }),
      z.object({ from: z.literal("columns") }),
    ]),
  ),
  /** `keyword`: by name only. `named`: by name, and only those names the function asks for (or all with **kwargs). */
  passing: z.enum(["keyword", "named"]),
  /** What comes back: one number (or None) per completion in an iterable, or a single number (or None). */
  returns: z.enum(["list", "number"]),
  /** Which callables are awaited: `functions` = `async def` only; `callables` = objects with an async `__call__` too. */
  awaits: z.enum(["functions", "callables"]),
});
export type CallPlan = z.infer<typeof CallPlan>;

export const JobFunction = z.object({
  name: z.string(),
  plan: CallPlan,
  /** Side effects the user allowed for this function while live. */
  allow: z.array(SideEffect),
});

/** One piece of work: every function over every batch, in that order (function-major). */
export const Job = z.object({
  job: z.int().positive(),
  /** Absolute path of the module that holds the functions, as the user's editor names it. */
  path: z.string(),
  /** Name under which the module is registered in `sys.modules` before it runs. */
  module: z.string(),
  /** Put at the front of `sys.path`: the import root (as pytest's rootdir / `rootdir`-like rule gives it). */
  roots: z.array(z.string()),
  /** Unsaved text laid over the disk: absolute path → text. Read before any file. */
  overlays: z.record(z.string(), z.string()),
  functions: z.array(JobFunction),
  set: z.string(),
  /** Rows of each batch. Row-by-row isolation = batches of one with `isolated`. */
  batches: z.array(z.array(Row)),
  /** Announce each unit with a `start` frame before it runs. */
  isolated: z.boolean(),
  limits: z.object({
    /** Wall clock for one unit (a call over one batch), seconds. */
    unitSeconds: z.number().positive(),
    /** Wall clock for loading the module, seconds. */
    loadSeconds: z.number().positive(),
    /** Resident size of the child and its tree, MiB. */
    memoryMb: z.number().positive(),
    /** Captured output kept per unit, bytes; the rest is counted and dropped. */
    outputBytes: z.int().positive(),
  }),
  /** True while typing: side effects outside `allow` end the unit as held. */
  guarded: z.boolean(),
  /** Seeds Python's (and numpy's, torch's where loaded) generators before each unit, so that passes are comparable. */
  seed: z.int(),
  /** Calls of each unit in the same process; 2 shows whether a second call differs (`again` in the unit frame). */
  calls: z.int().min(1).max(2),
  /** Follow lines and values (batches must be of one row). */
  trace: z
    .object({
      pinned: Row.nullable(),
      maxText: z.int().positive(),
      /** Note what the pinned row's call asked of its texts: `observations` of the unit frame. */
      explain: z.boolean().optional(),
    })
    .nullable(),
});
export type Job = z.infer<typeof Job>;

/**
 * A part of a sample set, in columns; all parts of a set arrive in order before a job uses it. Its JSON text may hold
 * the literals NaN, Infinity and -Infinity (Python reads them), integers of any size, and lone surrogates as escapes.
 */
export const SamplesPart = z.object({
  set: z.string(),
  from: Row,
  count: Count,
  total: Count,
  prompt: z.array(z.unknown()).nullable(),
  completion: z.array(z.unknown()),
  /** Null: the file has no token ids; a reward that reads them is then not applicable. */
  completionIds: z.array(z.unknown()).nullable(),
  columns: z.record(z.string(), z.array(z.unknown())),
});
export type SamplesPart = z.infer<typeof SamplesPart>;

export const Ready = z.object({
  t: z.literal("ready"),
  protocol: z.int(),
  pid: z.int(),
  python: z.object({
    version: z.tuple([z.int(), z.int(), z.int()]),
    implementation: z.string(),
    executable: z.string(),
    prefix: z.string(),
    basePrefix: z.string(),
  }),
  platform: z.string(),
  capabilities: z.object({
    fork: z.boolean(),
    subreaper: z.boolean(),
    deathSignal: z.boolean(),
    monitoring: z.boolean(),
  }),
  /** Threads in the parent after preloading; forking with more than one is refused. */
  threads: z.int().positive(),
  /** Installed version, or null. */
  packages: z.record(z.string(), z.string().nullable()),
  /** Preloads that failed: module → message. */
  preloadFailed: z.record(z.string(), z.string()),
});

export const LoadedFunction = z.object({
  name: z.string(),
  found: z.boolean(),
  callable: z.boolean(),
  /** `async def`. */
  isAsync: z.boolean(),
  /** An object whose `__call__` is async. */
  asyncCall: z.boolean(),
  /** Python's message when the planned arguments don't bind to the signature, else null. */
  bindError: z.string().nullable(),
  /** 1-based line of the definition in the file, where known. */
  line: z.int().positive().nullable(),
});

export type Ready = z.infer<typeof Ready>;

export const LoadedFrame = z.object({
  t: z.literal("loaded"),
  job: z.int(),
  ms: z.number(),
  functions: z.array(LoadedFunction),
  /** Files of the user's own that were loaded (the module itself first), absolute. */
  files: z.array(z.string()),
  /** Top-level third-party modules now in `sys.modules`, for the next parent's preload. */
  thirdParty: z.array(z.string()),
  /** Versions of the distributions behind `thirdParty`, where known. */
  versions: z.record(z.string(), z.string()),
  /** What the module printed while it loaded, capped. */
  output: z.string().optional(),
});
export type LoadedFrame = z.infer<typeof LoadedFrame>;

export const LoadFailedFrame = z.object({
  t: z.literal("loadFailed"),
  job: z.int(),
  kind: z.enum(["syntax", "import", "exception", "missing-file"]),
  type: z.string(),
  message: z.string(),
  path: z.string().nullable(),
  /** 1-based. */
  line: z.int().positive().nullable(),
  column: z.int().nullable(),
  /** The module that isn't installed, for `import`. */
  module: z.string().nullable(),
  traceback: z.string(),
  output: z.string(),
  /** The module's own code did something while live that isn't allowed (`kind` is then `exception`). */
  held: Reason.optional(),
});
export type LoadFailedFrame = z.infer<typeof LoadFailedFrame>;

export const StartFrame = z.object({ t: z.literal("start"), job: z.int(), fn: z.int(), batch: z.int() });
export type StartFrame = z.infer<typeof StartFrame>;

export const UnitFrame = z.object({
  t: z.literal("unit"),
  job: z.int(),
  /** Index in `job.functions` and `job.batches`. */
  fn: z.int(),
  batch: z.int(),
  ms: z.number(),
  /** One a row of the batch, in its order. Null where there is no number. */
  values: z.array(TaggedNumber.nullable()),
  /** One a row; left out when all are `scored`. */
  states: z.array(ScoreState).optional(),
  /** Position in the batch → reason, for rows that aren't scored. */
  reasons: z.record(z.string(), Reason).optional(),
  /** The whole call failed (raised, wrong count, held): why. The rows' states say the same. */
  failed: Reason.optional(),
  /** Rows whose batch had an unusable item: the trainer would have stopped, so good rows count as recovered. */
  spoiled: z.boolean().optional(),
  output: z.string().optional(),
  outputBytes: z.int().optional(),
  /** Global state that user code changed: `random`, `numpy.random`, `torch`. */
  changed: z.array(z.string()).optional(),
  /** Shared generators that the (first) call drew from: with `again`, why it isn't repeatable. Same names. */
  drew: z.array(z.string()).optional(),
  /** Values of the second call where `calls` is 2 and it differed. */
  again: z.array(TaggedNumber.nullable()).optional(),
  /** Calls of log_metric / log_extra: names only. */
  logged: z.array(z.string()).optional(),
  /** Lines (1-based, in the job's file) that ran for this row; with `trace` only. */
  lines: z.array(z.int().positive()).optional(),
  /** The pinned row's way through the file: line and the values that became visible after it. */
  steps: z.array(z.object({ line: z.int().positive(), values: z.record(z.string(), z.string()) })).optional(),
  /** With `explain`: matches and comparisons of the pinned row's call, in the order of their steps. */
  observations: z.array(Observation).max(500).optional(),
  /** There were more steps or observations than are kept. */
  cut: z.boolean().optional(),
});
export type UnitFrame = z.infer<typeof UnitFrame>;

export const EndFrame = z.object({
  t: z.literal("end"),
  job: z.int(),
  reason: z.enum([
    "done",
    "cancelled",
    "load-failed",
    "unit-timeout",
    "load-timeout",
    "memory",
    "exit",
    "signal",
  ]),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** Innermost line of the user's file where a hang stood, 1-based. */
  hangLine: z.int().positive().nullable(),
  hangText: z.string().nullable(),
  /** Output of the unit that didn't finish, capped. */
  output: z.string(),
  /** Further processes of the job that were ended. */
  killed: z.int().nonnegative(),
  peakMb: z.number().nullable(),
});
export type EndFrame = z.infer<typeof EndFrame>;
