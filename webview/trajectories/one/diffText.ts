export type DiffKind = "file" | "hunk" | "added" | "removed" | "context";

export interface DiffLine {
  readonly kind: DiffKind;
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u;
const FILE =
  /^(?:diff --git |index [\da-f]+\.\.|--- |\+\+\+ |new file mode|deleted file mode|rename |similarity )/u;

/** A text that is a unified diff, whole or in large part: it has hunks, and a head or nothing before them. */
export function isDiff(text: string): boolean {
  return /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/mu.test(text) && /^(?:diff --git |--- |@@ )/mu.test(text);
}

/** Lines of a text with unified diffs in it; what stands outside of hunks is context. */
export function diffLines(text: string): DiffLine[] {
  let inHunk = false;
  return text.split("\n").map((line): DiffLine => {
    if (HUNK.test(line)) {
      inHunk = true;
      return { kind: "hunk", text: line };
    }
    if (line.startsWith("diff --git ")) inHunk = false;
    if (!inHunk && FILE.test(line)) return { kind: "file", text: line };
    if (inHunk && line.startsWith("+")) return { kind: "added", text: line };
    if (inHunk && line.startsWith("-")) return { kind: "removed", text: line };
    if (inHunk && line !== "" && !line.startsWith(" ") && !line.startsWith("\\")) inHunk = false;
    return { kind: "context", text: line };
  });
}
