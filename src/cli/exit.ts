import type { ErrorCode, RewardsmithError } from "../base/errors";

/** 0 fine, 1 a gate or finding failed, 2 used wrongly, 3 the product failed. */
export const EXIT = { fine: 0, failed: 1, usage: 2, product: 3, interrupted: 130 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Faults of the reward itself fail like a finding; what the caller can put right is usage; the rest is ours. */
export function exitFor(code: ErrorCode): Exit {
  switch (code) {
    case "SyntaxError":
    case "ImportFailed":
    case "ModuleFailed":
    case "ModuleMissing":
    case "NotCallable":
    case "BadSignature":
      return EXIT.failed;
    case "Untrusted":
    case "ConsentNeeded":
    case "PythonMissing":
    case "PythonTooOld":
    case "FileMissing":
    case "FileUnreadable":
    case "FormatUnknown":
    case "TooLarge":
    case "NoFunction":
    case "NoSamples":
    case "ColumnMissing":
    case "BadProject":
    case "BadArguments":
      return EXIT.usage;
    case "Cancelled":
      return EXIT.interrupted;
    case "Disposed":
    case "TimedOut":
    case "ProtocolMismatch":
    case "Internal":
    case "PythonFailed":
    case "WorkerCrashed":
      return EXIT.product;
  }
}

/** The document that `--json` gives in place of a result. */
export function errorDocument(error: RewardsmithError): string {
  return `${JSON.stringify({
    schema: 1,
    error: { code: error.code, message: error.message, detail: error.detail },
  })}\n`;
}
