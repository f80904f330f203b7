import { createWorker, type WorkerOptions } from "../../../src/runtime/worker/pythonWorker";
import type { Job } from "../../../src/schema/worker";

/**
 * Stands for the engine in tests that kill it: starts a worker, runs the job it is given, and says what it sees, one
 * JSON object a line.
 */
const say = (message: Record<string, unknown>): void =>
  void process.stdout.write(`${JSON.stringify(message)}\n`);
const note = (text: string): void => say({ log: text });

const { options, completions, job } = JSON.parse(process.argv[2] ?? "{}") as {
  options: Omit<WorkerOptions, "logger">;
  completions: string[];
  job: Omit<Job, "job">;
};
const worker = createWorker({ ...options, logger: { debug: note, info: note, warn: note, error: note } });
say({ marker: worker.marker });

const part = {
  set: "s",
  from: 0,
  count: completions.length,
  total: completions.length,
  prompt: null,
  completion: completions,
  completionIds: null,
  columns: {},
};
await worker.load("s", () => [JSON.stringify(part)]);
await worker.ready();
say({ ready: true, ...worker.describe() });
const end = await worker.run(job, (frame) => say({ frame: frame.t, ...worker.describe() }));
say({ end });
