import { ERROR_CODES, type ErrorCode, type RewardsmithError } from "../base/errors";
import type { FileScores } from "../schema/live";
import { oneLine, type Speech } from "./format";

type LiveError = NonNullable<FileScores["error"]>;
export type Blocked = NonNullable<FileScores["blocked"]>;

function isErrorCode(code: string): code is ErrorCode {
  return ERROR_CODES.some((known) => known === code);
}

function basename(path: string): string {
  return path.split(/[\\/]/u).at(-1) ?? path;
}

/** Short enough to stand at the end of a line: `syntax error line 12`. */
export function errorAtLine(error: LiveError, ownPath: string, { t }: Speech): string {
  const line = error.line ?? 0;
  const elsewhere = error.path !== null && error.path !== ownPath ? basename(error.path) : null;
  const message = oneLine(error.message, 120);
  if (!isErrorCode(error.code)) return message;
  switch (error.code) {
    case "SyntaxError":
      if (elsewhere !== null) return t("syntax error in {0} line {1}", elsewhere, line);
      return t("syntax error line {0}", line);
    case "ModuleMissing":
      return t("module {0} is not installed in this Python", error.name ?? message);
    case "ImportFailed":
      return line > 0 ? t("import failed line {0}: {1}", line, message) : t("import failed: {0}", message);
    case "ModuleFailed":
      if (elsewhere !== null && line > 0)
        return t("{0} failed to load, line {1}: {2}", elsewhere, line, message);
      return line > 0 ? t("failed to load, line {0}: {1}", line, message) : t("failed to load: {0}", message);
    case "PythonMissing":
      return t("no Python found");
    case "PythonTooOld":
      return t("this Python is too old, 3.9 or newer is needed");
    case "PythonFailed":
      return t("Python did not start: {0}", message);
    case "WorkerCrashed":
      return t("the Python process ended: {0}", message);
    case "TimedOut":
      return line > 0 ? t("timed out at line {0}", line) : t("timed out: {0}", message);
    case "FileMissing":
      return t("{0} is gone", error.path === null ? (error.name ?? message) : basename(error.path));
    case "NoFunction":
      return t("no such function any more");
    case "NotCallable":
      return t("{0} is not callable", error.name ?? message);
    case "ColumnMissing":
      return t("the samples have no column {0}", error.name ?? message);
    default:
      return message;
  }
}

export function blockedInWords(blocked: Blocked, { t }: Speech): string {
  switch (blocked) {
    case "untrusted":
      return t("waits for trust in this folder");
    case "consent":
      return t("waits for your permission to run");
    case "no-samples":
      return t("no samples chosen");
    case "no-python":
      return t("no Python found");
    case "paused":
      return t("paused");
    case "manual":
      return t("press Score");
    case "gone":
      return t("the file is gone");
  }
}

/** For a notification: what failed, why, what to do. */
export function errorSentence(error: RewardsmithError, { t }: Speech): string {
  const detail = (key: string): string => String(error.detail[key] ?? "");
  switch (error.code) {
    case "PythonMissing":
      return t("Rewardsmith found no Python. Choose an interpreter of version 3.9 or newer.");
    case "PythonTooOld":
      return t("This Python is too old for Rewardsmith. Choose version 3.9 or newer. ({0})", error.message);
    case "PythonFailed":
      return t("Python did not start. Choose another interpreter, or see the log. ({0})", error.message);
    case "WorkerCrashed":
      return t(
        "The Python process ended unexpectedly. It starts again with the next edit. ({0})",
        error.message,
      );
    case "FileMissing":
      if (error.detail["open"] === true)
        return t(
          "{0} is not on disk any more: renamed, moved or deleted. The text is still in the editor; saving it brings the file back.",
          basename(detail("path")),
        );
      return t("The file {0} is not there any more. Choose another one.", detail("path") || error.message);
    case "FileUnreadable":
      return t("The file could not be read: {0}", error.message);
    case "FormatUnknown":
      return t(
        "This is not a sample file that Rewardsmith reads (JSONL, JSON, CSV, Parquet): {0}",
        error.message,
      );
    case "TooLarge":
      return t("The file is too large: {0}", error.message);
    case "NoSamples":
      return t("There are no samples in this file: {0}", error.message);
    case "NoFunction":
      return t("There is no reward function here: {0}", error.message);
    case "Untrusted":
      return t("This folder is not trusted, so nothing runs. Trust it to score.");
    case "ConsentNeeded":
      return t("Choose samples first: Rewardsmith runs only files that you have chosen.");
    case "Disposed":
      return t("Rewardsmith's engine has ended. It starts again by itself; if not, run Restart Engine.");
    case "TimedOut":
      return t("It took too long: {0}", error.message);
    default:
      return t("Rewardsmith failed: {0}", error.message);
  }
}
