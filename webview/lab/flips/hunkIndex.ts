import type { Hunk, LabFlip, LabHunks } from "../../../src/schema/lab";

type FlipName = Pick<LabFlip, "row" | "function">;

/** `together`: flips that no hunk causes alone. */
export type HunkChoice = number | "together" | null;

/** Which hunks cause which flip. Hunks are named by their `id`. */
export class HunkIndex {
  readonly hunks: readonly Hunk[];
  readonly failed: ReadonlyMap<number, string>;
  readonly otherFiles: readonly string[];
  /** Flips caused by each hunk alone. */
  readonly counts: ReadonlyMap<number, number>;
  readonly together: number;
  readonly #causes = new Map<string, readonly number[]>();

  constructor(answer: LabHunks) {
    this.hunks = answer.hunks;
    this.failed = new Map(answer.failed.map(({ id, message }) => [id, message]));
    this.otherFiles = answer.otherFiles;
    const counts = new Map<number, number>(answer.hunks.map(({ id }) => [id, 0]));
    for (const cause of answer.causes) {
      this.#causes.set(nameOf(cause), cause.hunks);
      for (const id of new Set(cause.hunks)) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    this.counts = counts;
    this.together = answer.causes.filter(({ hunks }) => hunks.length === 0).length;
  }

  /** Hunks that cause the flip alone; empty: only together; null: it wasn't tried. */
  of(flip: FlipName): readonly number[] | null {
    return this.#causes.get(nameOf(flip)) ?? null;
  }

  lets(choice: HunkChoice, flip: FlipName): boolean {
    if (choice === null) return true;
    const causes = this.of(flip);
    if (causes === null) return false;
    return choice === "together" ? causes.length === 0 : causes.includes(choice);
  }
}

function nameOf({ row, function: name }: FlipName): string {
  return `${row} ${name}`;
}

export interface DiffLine {
  readonly kind: "removed" | "added";
  /** 1-based: in the baseline's text where removed, in the present text where added. */
  readonly line: number;
  readonly text: string;
}

export function diffLines(hunk: Hunk): DiffLine[] {
  return [
    ...hunk.removed.map((text, i) => ({ kind: "removed" as const, line: hunk.before.from + i, text })),
    ...hunk.added.map((text, i) => ({ kind: "added" as const, line: hunk.now.from + i, text })),
  ];
}
