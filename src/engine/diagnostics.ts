import { homedir } from "node:os";
import type { FileScores } from "../schema/live";
import type { EngineSettings } from "../schema/settings";
import type { Python } from "./python";

export interface DiagnosticsInput {
  readonly version: string;
  readonly settings: EngineSettings;
  readonly trusted: boolean;
  readonly folders: readonly string[];
  readonly python: Python;
  readonly sessions: readonly { readonly scores: FileScores; readonly roots: readonly string[] }[];
}

/** What helps to see why something doesn't score. Names of environment variables, never their values; home as `~`. */
export function diagnosticsText(input: DiagnosticsInput): string {
  const { settings, python, sessions } = input;
  const { ready, error, path } = python.state;
  const lines = [
    `Rewardsmith ${input.version}`,
    `engine: Node ${process.version}, ${process.platform} ${process.arch}, pid ${process.pid}`,
    `folders: ${input.folders.join(", ") || "none"} (trusted: ${input.trusted})`,
    `interpreter: ${path ?? "not chosen yet"}`,
    ...(ready
      ? [
          `  ${ready.python.implementation} ${ready.python.version.join(".")}, prefix ${ready.python.prefix}`,
          `  packages: ${Object.entries(ready.packages)
            .map(([name, version]) => `${name} ${version ?? "not installed"}`)
            .join(", ")}`,
          `  capabilities: ${Object.entries(ready.capabilities)
            .filter(([, has]) => has)
            .map(([name]) => name)
            .join(", ")}; threads ${ready.threads}`,
          ...Object.entries(ready.preloadFailed).map(([name, why]) => `  preload of ${name} failed: ${why}`),
        ]
      : []),
    ...(error ? [`  error: ${error.code}: ${error.message}`] : []),
    `worker: ${python.describe()}`,
    `settings: ${JSON.stringify({ ...settings, env: Object.keys(settings.env) })}`,
    ...sessions.flatMap(({ scores, roots }) => sessionLines(scores, roots)),
  ];
  return `${lines.map((line) => withoutHome(line)).join("\n")}\n`;
}

function sessionLines(scores: FileScores, roots: readonly string[]): string[] {
  const { timing, set, blocked, error } = scores;
  return [
    `file: ${scores.path} (version ${scores.docVersion}): ${scores.status}${blocked === null ? "" : `, ${blocked}`}`,
    `  import roots: ${roots.join(", ")}`,
    ...(set
      ? [`  samples: ${set.files.join(", ")} (${set.rows} rows, ${set.groups} groups, ${set.shape})`]
      : []),
    ...(error ? [`  error: ${error.code}: ${error.message}`] : []),
    ...(timing
      ? [
          `  last pass: ${timing.mode}, queued ${ms(timing.queuedMs)}, pass ${ms(timing.passMs)}, total ${ms(timing.totalMs)}`,
        ]
      : []),
    ...scores.functions.map(
      (fn) =>
        `  ${fn.name} (${fn.contract}): ${fn.status}, ${fn.n} of ${fn.of}, ${Object.entries(fn.states)
          .map(([state, count]) => `${count} ${state}`)
          .join(", ")}`,
    ),
  ];
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function withoutHome(text: string, home = homedir()): string {
  return home.length > 1 ? text.replaceAll(home, "~") : text;
}
