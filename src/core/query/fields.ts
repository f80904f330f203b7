import { SCORE_STATES } from "../../schema/score";

/** What a field holds, which says what may stand behind it. */
export type FieldKind =
  | "number"
  | "function"
  | "row"
  | "state"
  | "label"
  | "flip"
  /** Compared whole: a group's or a sample's name. */
  | "name"
  /** One of the words that the field's table lists. */
  | "word"
  /** A part of it is enough. */
  | "text"
  /** A column of the data, of whatever values. */
  | "column";

/** The Lab's own fields. Names of functions and of data columns are fields too. */
export const OWN_FIELDS = [
  { name: "state", kind: "state", example: "state:raised,crashed" },
  { name: "total", kind: "number", example: "total<0.2" },
  { name: "advantage", kind: "number", example: "advantage>0" },
  { name: "ifFixed", kind: "number", example: "ifFixed>0" },
  { name: "change", kind: "number", example: "change<-0.5" },
  { name: "ms", kind: "number", example: "ms>5" },
  { name: "length", kind: "number", example: "length>200" },
  { name: "label", kind: "label", example: "label:good" },
  { name: "flip", kind: "flip", example: "flip:up" },
  { name: "group", kind: "name", example: "group:p03" },
  { name: "id", kind: "name", example: "id:a17" },
  { name: "row", kind: "row", example: "row:10..20" },
  { name: "prompt", kind: "text", example: 'prompt:"how many"' },
  { name: "completion", kind: "text", example: "completion:sorry" },
  { name: "reason", kind: "text", example: "reason:ValueError" },
] as const satisfies readonly { name: string; kind: FieldKind; example: string }[];

export type OwnField = (typeof OWN_FIELDS)[number]["name"];

/** Words that are a question by themselves. */
export const FLAGS = [
  "flip",
  "tied",
  "filtered",
  "nogradient",
  "crumb",
  "pinned",
  "recovered",
  "unscored",
] as const;
export type Flag = (typeof FLAGS)[number];

/** Behind `:`, in place of a value: there is none. */
export const NONE = "none";
export const STATE_WORDS: readonly string[] = [...SCORE_STATES, NONE];
export const LABEL_WORDS = ["good", "bad", "any", NONE] as const;
export const FLIP_WORDS = ["up", "down", "any"] as const;
export const KEYWORDS = ["and", "or", "not"] as const;

/** Fields and flags of a kind of rows: the Lab's, or those of trajectories. */
export interface FieldTable {
  readonly fields: readonly {
    readonly name: string;
    readonly kind: FieldKind;
    readonly example: string;
    /** Of a `word` field. */
    readonly words?: readonly string[];
  }[];
  readonly flags: readonly string[];
  /** Number fields that are scores: compared within the tolerance of ties. */
  readonly scores: ReadonlySet<string>;
}

export const LAB_TABLE: FieldTable = {
  fields: OWN_FIELDS,
  flags: FLAGS,
  scores: new Set(["total", "advantage", "ifFixed", "change"]),
};

/** Names that a filter may use besides its table's own (where none is said, the Lab's). */
export interface FilterNames {
  readonly functions: readonly string[];
  readonly columns: readonly string[];
  readonly table?: FieldTable;
}

export function tableOf({ table }: Pick<FilterNames, "table">): FieldTable {
  return table ?? LAB_TABLE;
}

/** A field that a name was understood as. Functions by their position in `FilterNames.functions`. */
export type Field =
  | {
      readonly by: "own";
      readonly name: string;
      readonly kind: FieldKind;
      readonly score: boolean;
      readonly words: readonly string[];
    }
  | { readonly by: "function"; readonly name: string; readonly index: number; readonly kind: "function" }
  | { readonly by: "column"; readonly name: string; readonly kind: "column" };

/**
 * The field of that name. The Lab's own come first, then functions, then columns; in quotes columns come first, so that
 * a column which is called like something else can be reached. Case counts only between names that differ by it.
 */
export function fieldOf(name: string, quoted: boolean, names: FilterNames): Field | null {
  const lower = name.toLowerCase();
  const { fields, scores } = tableOf(names);
  const own = (): Field | null => {
    const found = fields.find((field) => field.name.toLowerCase() === lower);
    if (!found) return null;
    const { name: known, kind, words = [] } = found;
    return { by: "own", name: known, kind, score: scores.has(known), words };
  };
  const functions = (fits: (known: string) => boolean) => (): Field | null => {
    const index = names.functions.findIndex(fits);
    const found = names.functions[index];
    return found === undefined ? null : { by: "function", name: found, index, kind: "function" };
  };
  const columns = (fits: (known: string) => boolean) => (): Field | null => {
    const found = names.columns.find(fits);
    return found === undefined ? null : { by: "column", name: found, kind: "column" };
  };
  const same = (known: string): boolean => known === name;
  const alike = (known: string): boolean => known.toLowerCase() === lower;
  const order = quoted
    ? [columns(same), functions(same), columns(alike), functions(alike), own]
    : [own, functions(same), columns(same), functions(alike), columns(alike)];
  for (const look of order) {
    const found = look();
    if (found) return found;
  }
  return null;
}

/** The known name that is nearest to a misspelt one; null where none is near. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    if (Math.abs(known.length - wanted.length) >= least) continue;
    const distance = editDistance(wanted, known, least);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

export function knownNames(names: FilterNames): string[] {
  return [...tableOf(names).fields.map(({ name }) => name), ...names.functions, ...names.columns];
}

/** Letters added, dropped, replaced, or two neighbours swapped (optimal string alignment); `most` where it is more. */
function editDistance(a: string, b: string, most: number): number {
  if (a.length > 100 || b.length > 100) return most;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? most;
}
