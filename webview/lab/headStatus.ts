import type { LabCommand, ViewScores } from "../../src/protocol/lab.contract";
import type { FileScores, FunctionScores } from "../../src/schema/live";
import { blockedInWords, errorAtLine } from "../../src/words/errors";
import { formatCount, formatDuration, type Speech } from "../../src/words/format";

/** What the Lab is in the middle of, or waits for. */
export interface Status {
  readonly kind: "fresh" | "running" | "old" | "blocked" | "problem" | "idle";
  readonly icon: string;
  readonly text: string;
  /** The one command that helps. */
  readonly help: { readonly command: LabCommand; readonly text: string } | null;
  /** Where the reason stands: 1-based line; `file` null = the reward file itself. */
  readonly place: { readonly line: number; readonly file: string | null } | null;
}

type Help = Status["help"];

export function helpFor(blocked: NonNullable<FileScores["blocked"]>, { t }: Speech): Help {
  switch (blocked) {
    case "untrusted":
      return { command: "manageTrust", text: t("Manage Trust") };
    case "consent":
    case "no-samples":
    case "gone":
      return { command: "pickSamples", text: t("Pick Samples…") };
    case "no-python":
      return { command: "selectPython", text: t("Select Python…") };
    case "paused":
      return { command: "resumeLive", text: t("Resume") };
    case "manual":
      return { command: "score", text: t("Score") };
  }
}

/** Why there is no number at all and what to do; null: there is something to show. */
export function emptyReason(view: ViewScores, speech: Speech): Status | null {
  const { scores } = view;
  const { t } = speech;
  const noSet = !scores?.set;
  const status = (kind: Status["kind"], icon: string, text: string, help: Help): Status => ({
    kind,
    icon,
    text,
    help,
    place: null,
  });
  if (!view.trusted)
    return status(
      "blocked",
      "shield",
      t("This folder is not trusted, so nothing runs. Trust it to score."),
      helpFor("untrusted", speech),
    );
  if (scores?.blocked === "no-python")
    return scores.set === null || scores.functions.every((fn) => fn.n === 0)
      ? status(
          "blocked",
          "circle-slash",
          t("Rewardsmith found no Python. Choose an interpreter of version 3.9 or newer."),
          helpFor("no-python", speech),
        )
      : null;
  if (!view.chosen)
    return status(
      "blocked",
      "checklist",
      t(
        "The Lab shows how your reward scores a file of outputs. Choose one: JSONL, JSON, CSV or Parquet, one row a completion.",
      ),
      helpFor("no-samples", speech),
    );
  if (view.problem !== null && noSet)
    return status("problem", "error", view.problem, helpFor("no-samples", speech));
  if (noSet && scores?.blocked)
    return status(
      "blocked",
      "circle-slash",
      sentence(blockedInWords(scores.blocked, speech)),
      helpFor(scores.blocked, speech),
    );
  return null;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** For the head line, where there are samples. */
export function statusOf(view: ViewScores, speech: Speech): Status {
  const { t, language } = speech;
  const { scores } = view;
  if (view.problem !== null)
    return {
      kind: "problem",
      icon: "error",
      text: view.problem,
      help: { command: "showLogs", text: t("Show Logs") },
      place: null,
    };
  if (!scores)
    return { kind: "idle", icon: "loading", text: t("waiting for scores"), help: null, place: null };
  if (scores.blocked !== null)
    return {
      kind: "blocked",
      icon: scores.blocked === "paused" ? "debug-pause" : "circle-slash",
      text: blockedInWords(scores.blocked, speech),
      help: helpFor(scores.blocked, speech),
      place: null,
    };
  const { n, of } = progress(scores.functions);
  if (scores.status === "running")
    return {
      kind: "running",
      icon: "sync",
      text: t("running {0} of {1}", formatCount(n, language), formatCount(of, language)),
      help: { command: "cancel", text: t("Cancel") },
      place: null,
    };
  if (scores.error !== null)
    return {
      kind: "old",
      icon: "error",
      text: t("old: {0}", errorAtLine(scores.error, scores.path, speech)),
      help: errorHelp(scores.error, speech),
      place:
        scores.error.line === null
          ? null
          : {
              line: scores.error.line,
              file:
                scores.error.path === null || scores.error.path === scores.path ? null : scores.error.path,
            },
    };
  if (scores.status === "old")
    return {
      kind: "old",
      icon: "history",
      text: t("old: from before your last change"),
      help: { command: "score", text: t("Score") },
      place: null,
    };
  if (scores.status === "idle")
    return {
      kind: "idle",
      icon: "circle-large-outline",
      text: t("not scored yet"),
      help: { command: "score", text: t("Score") },
      place: null,
    };
  const took = scores.timing === null ? "" : ` · ${formatDuration(scores.timing.passMs, speech)}`;
  return {
    kind: "fresh",
    icon: "pass",
    text:
      (n < of ? t("{0} of {1}", formatCount(n, language), formatCount(of, language)) : t("up to date")) +
      took,
    help: null,
    place: null,
  };
}

function errorHelp(error: NonNullable<FileScores["error"]>, { t }: Speech): Help {
  if (["PythonMissing", "PythonTooOld", "PythonFailed", "ModuleMissing"].includes(error.code))
    return { command: "selectPython", text: t("Select Python…") };
  if (error.code === "WorkerCrashed") return { command: "showLogs", text: t("Show Logs") };
  return null;
}

/** Rows that every function has in this pass, of those in the set. */
export function progress(functions: readonly Pick<FunctionScores, "n" | "of">[]): {
  readonly n: number;
  readonly of: number;
} {
  if (functions.length === 0) return { n: 0, of: 0 };
  return { n: Math.min(...functions.map((fn) => fn.n)), of: Math.max(...functions.map((fn) => fn.of)) };
}

/** `group 8`; where groups differ in size, how many there are. */
export function groupText(rows: number, groups: number, { t, language }: Speech): string {
  if (groups > 0 && rows % groups === 0) return t("group {0}", formatCount(rows / groups, language));
  return groups === 1 ? t("1 group") : t("{0} groups", formatCount(groups, language));
}
