import { diffLines } from "diff";
import { jsonText } from "./values";

export interface SnapshotLine {
  readonly kind: "added" | "removed" | "context";
  readonly text: string;
}

const MOST_LINES = 4000;
const CONTEXT = 3;
/** A diff that takes longer says nothing a reader could use. */
const MOST_MS = 500;

/** What a state has become, line by line of its JSON; null: too much is another to compare. */
export function stateDiff(before: unknown, after: unknown): SnapshotLine[] | null {
  const parts = diffLines(jsonText(before), jsonText(after), { timeout: MOST_MS });
  if (!parts) return null;
  const lines: SnapshotLine[] = [];
  for (const [at, { value, added, removed }] of parts.entries()) {
    const all = value.replace(/\n$/u, "").split("\n");
    const kind = added ? "added" : removed ? "removed" : "context";
    const kept =
      kind === "context" && all.length > 2 * CONTEXT + 1
        ? [
            ...(at === 0 ? [] : all.slice(0, CONTEXT)),
            "⋯",
            ...(at === parts.length - 1 ? [] : all.slice(-CONTEXT)),
          ]
        : all;
    for (const text of kept) lines.push({ kind, text });
  }
  return lines.slice(0, MOST_LINES);
}
