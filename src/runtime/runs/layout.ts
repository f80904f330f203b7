import { join } from "node:path";

/** Where things lie in a run's folder; the whole form is in src/schema/run.ts and docs/runs.md. */
export const paths = {
  record: (folder: string) => join(folder, "run.json"),
  status: (folder: string) => join(folder, "status.json"),
  control: (folder: string) => join(folder, "control"),
  events: (folder: string) => join(folder, "events.jsonl"),
  metrics: (folder: string) => join(folder, "metrics.jsonl"),
  console: (folder: string) => join(folder, "console.log"),
  /** Who watches, which process the job is, how it ended: what an adopter needs. */
  process: (folder: string) => join(folder, "process"),
  job: (folder: string) => join(folder, "process", "job.json"),
  exit: (folder: string) => join(folder, "process", "exit.json"),
  followed: (folder: string) => join(folder, "process", "followed.json"),
  supervisorLog: (folder: string) => join(folder, "process", "supervisor.log"),
} as const;

/** The environment variable that marks a supervisor, a keeper and a job, each with a token of its own. */
export const TOKEN = "REWARDSMITH_RUN_TOKEN";
