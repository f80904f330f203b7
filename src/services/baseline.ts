import type { RowOutcome } from "../core/scoring/outcome";
import { compareScores, type Snapshot } from "../core/scoring/compare";
import type { SampleTable } from "../core/scoring/table";
import type { FunctionScores } from "../schema/live";
import type { PassFunction } from "./scoreRunner";

export type BaselineKind = "saved" | "head" | "pin";

export interface BaselineScores {
  readonly kind: BaselineKind;
  readonly hash: string;
  readonly ids: readonly string[];
  /** Files of the version, the reward file itself included. */
  readonly files: readonly string[];
  readonly functions: ReadonlyMap<string, readonly (RowOutcome | undefined)[]>;
}

/** Scores of the version that the present one is compared with. Null = not known yet, or it can't be scored. */
export class Baseline {
  kind: BaselineKind;
  /** Texts of a pinned version, by path. */
  pinned: Readonly<Record<string, string>> | null = null;
  #scores: BaselineScores | null = null;
  /** Something that the baseline is made of has changed, or nothing was scored yet. */
  #stale = true;
  /** The version was tried and can't be scored (no such file at HEAD, syntax error): not tried again until stale. */
  #unscorable = false;
  /** Present name → name in the baseline, for functions renamed since. */
  readonly #aliases = new Map<string, string>();

  constructor(kind: BaselineKind) {
    this.kind = kind;
  }

  get scores(): BaselineScores | null {
    return this.#stale ? null : this.#scores;
  }

  invalidate(): void {
    this.#stale = true;
    this.#unscorable = false;
  }

  /** Files whose change on disk (or save) makes the scores stale: a pin never does. */
  dependsOn(path: string): boolean {
    return this.kind !== "pin" && (this.#scores === null || this.#scores.files.includes(path));
  }

  rename(from: string, to: string): void {
    this.#aliases.set(to, this.#aliases.get(from) ?? from);
  }

  /** What the function was called in the baseline. */
  nameThen(name: string): string {
    return this.#aliases.get(name) ?? name;
  }

  /** `present`: the scores are of the very version that is shown, so its names are the baseline's. */
  set(scores: BaselineScores, present: boolean): void {
    if (present) this.#aliases.clear();
    this.#scores = scores;
    this.#stale = false;
    this.#unscorable = false;
  }

  fail(): void {
    this.#scores = null;
    this.#stale = false;
    this.#unscorable = true;
  }

  /** Rows among these that the baseline has no outcome for under some of its functions. */
  missing(rows: readonly number[], table: SampleTable): number[] {
    if (this.#unscorable && !this.#stale) return [];
    const { scores } = this;
    if (!scores || scores.ids !== table.ids) return [...rows];
    const known = [...scores.functions.values()];
    return rows.filter((row) => known.some((outcomes) => outcomes[row] === undefined));
  }

  /** Further rows of the same version. */
  extend(functions: ReadonlyMap<string, readonly (RowOutcome | undefined)[]>): void {
    const { scores } = this;
    if (!scores) return;
    this.#scores = { ...scores, functions: mergeRows(scores.functions, functions) };
  }

  /** Outcomes of what is now called `name`, with the identities they belong to; null where there are none. */
  of(name: string): Snapshot | null {
    const { scores } = this;
    const rows = scores?.functions.get(name) ?? scores?.functions.get(this.#aliases.get(name) ?? "");
    return scores && rows ? { ids: scores.ids, rows } : null;
  }

  flippedRows(outcomes: readonly PassFunction[], table: SampleTable): number[] {
    return outcomes.flatMap((outcome) => this.compare(outcome, table).flips?.rows ?? []);
  }

  compare(outcome: PassFunction, table: SampleTable): Pick<FunctionScores, "flips" | "baseline"> {
    const { scores } = this;
    const before = this.of(outcome.name);
    if (!scores || !before) return { flips: null, baseline: null };
    const { up, down, flips } = compareScores(before, outcome, table);
    return {
      flips: { up, down, rows: flips.slice(0, 200).map(({ row }) => row) },
      baseline: { kind: scores.kind, hash: scores.hash },
    };
  }
}

export function mergeRows(
  before: ReadonlyMap<string, readonly (RowOutcome | undefined)[]>,
  more: ReadonlyMap<string, readonly (RowOutcome | undefined)[]>,
): Map<string, (RowOutcome | undefined)[]> {
  return new Map(
    [...before].map(([name, rows]) => {
      const added = more.get(name);
      return [name, rows.map((row, index) => row ?? added?.[index])];
    }),
  );
}
