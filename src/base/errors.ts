/**
 * The closed list of error codes that cross a boundary (engine, worker, webview, command line).
 * Who shows an error chooses the words from the code; stacks go to the log only.
 */
export const ERROR_CODES = [
  "Cancelled",
  "Disposed",
  "TimedOut",
  "ProtocolMismatch",
  "Internal",
  "Untrusted",
  "ConsentNeeded",
  "PythonMissing",
  "PythonTooOld",
  "PythonFailed",
  "WorkerCrashed",
  "FileMissing",
  "FileUnreadable",
  "FormatUnknown",
  "TooLarge",
  "NoFunction",
  "NoSamples",
  "ColumnMissing",
  "SyntaxError",
  "ImportFailed",
  "ModuleFailed",
  "ModuleMissing",
  "NotCallable",
  "BadSignature",
  "BadProject",
  "BadArguments",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** JSON-like details that the words for a code may need (a path, a name, a line). */
export type ErrorDetail = Readonly<Record<string, string | number | boolean | null>>;

export class RewardsmithError extends Error {
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "RewardsmithError";
    this.code = code;
    this.detail = detail;
  }
}

/** Whatever was thrown, as one of ours. Unknown errors become `Internal` and keep their cause. */
export function toRewardsmithError(error: unknown): RewardsmithError {
  if (error instanceof RewardsmithError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new RewardsmithError("Internal", message, {}, { cause: error });
}
