import type { FileScores, FunctionScores, LinePreview } from "../../../src/schema/live";
import type { Speech } from "../../../src/words/format";

/** English, as VS Code's own `l10n.t` fills placeholders. */
export const english: Speech = {
  t: (message, ...args) => message.replace(/\{(\d+)\}/gu, (_, index: string) => String(args[Number(index)])),
  language: "en",
};

export function functionScores(parts: Partial<FunctionScores> = {}): FunctionScores {
  return {
    name: "correctness",
    line: 5,
    contract: "trl",
    reasons: [],
    status: "fresh",
    n: 200,
    of: 200,
    states: { scored: 200 },
    recovered: 0,
    estimate: { mean: 0.6183, halfWidth: 0.067, n: 200, unit: "group", clusters: 25 },
    flips: null,
    baseline: null,
    groups: { n: 25, tied: 0, noGradient: 0 },
    ms: 41.4,
    histogram: null,
    best: [],
    worst: [],
    raised: [],
    held: [],
    previews: null,
    ...parts,
  };
}

export function fileScores(parts: Partial<FileScores> = {}): FileScores {
  return {
    path: "/work/reward.py",
    seq: 1,
    docVersion: 7,
    status: "fresh",
    blocked: null,
    error: null,
    set: { set: "s", files: ["/work/outputs.jsonl"], rows: 200, groups: 25, shape: "text", hash: "h" },
    pinned: null,
    functions: [functionScores()],
    findings: [],
    versionHash: null,
    timing: null,
    ...parts,
  };
}

export const syntaxError: NonNullable<FileScores["error"]> = {
  code: "SyntaxError",
  message: "'(' was never closed",
  path: "/work/reward.py",
  line: 12,
  column: 3,
  name: null,
};

export function preview(parts: Partial<LinePreview> & { line: number }): LinePreview {
  return { hits: 0, scores: [], others: 0, kind: "other", values: [], ...parts };
}
