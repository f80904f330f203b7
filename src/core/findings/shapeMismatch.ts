import {
  type Check,
  type FindingContext,
  type FunctionEvidence,
  finding,
  modelOfFunction,
  rowsWhere,
} from "./finding";
import { code, rowList } from "./sentences";

/** What Python says when a text is read as messages, or messages as a text. */
const TEXT_READ_AS_MESSAGES =
  /string (?:indices must be integers|index out of range)|'str' object has no attribute 'get'/;
const MESSAGES_READ_AS_TEXT =
  /'(?:list|dict)' object has no attribute|expected string or bytes-like object|(?:must be str|can only concatenate str).*(?:list|dict)|argument of type 'dict'/;

/** Completions have the other shape than the function expects (huggingface/trl#4202). */
export const shapeMismatch: Check = {
  code: "shape-mismatch",
  run(context) {
    if (!context.table) return [];
    return context.functions.flatMap((evidence) => describe(this.code, evidence, context));
  },
};

function describe(check: string, evidence: FunctionEvidence, { source, trainer }: FindingContext) {
  const access = modelOfFunction(source, evidence.fn.name)?.access;
  if (!access || trainer.shape === "mixed") return [];
  const text = trainer.shape === "text";
  const reads = text ? access.message : access.text;
  const [first] = reads;
  if (!first) return [];
  const told = text ? TEXT_READ_AS_MESSAGES : MESSAGES_READ_AS_TEXT;
  const raised = rowsWhere(
    evidence,
    ({ state, reason }) => state === "raised" && told.test(reason?.text ?? ""),
  );
  // It asks for the type, or it ran: then only rows that failed tell.
  const ran = evidence.outcome?.rows.some((row) => row?.state === "scored") ?? false;
  if (raised.length === 0 && (access.asksType || ran)) return [];
  const { fn } = evidence;
  const rows = text ? "The rows are text" : "The rows are lists of messages";
  const expects = text ? "messages" : "text";
  return [
    finding(check, {
      severity: raised.length > 0 ? "error" : "warning",
      fn,
      rows: raised,
      range: first,
      message:
        `${rows}, and ${code(fn.name)} expects ${expects}` +
        `${raised.length > 0 ? ` (it fails on ${rowList(raised)})` : ""}. ` +
        "The shape of completions follows the shape of the data's prompt.",
      cure: text
        ? "Use the completion itself, or samples whose prompt and completion are lists of messages."
        : `Read the text with completion[-1]["content"], or use samples whose prompt and completion are text.`,
    }),
  ];
}
