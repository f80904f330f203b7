import { mixed } from "../../core/trajectories/hash";
import { GrowingColumn } from "./columns";

/** What a row brings for its group. */
export interface GroupKey {
  readonly high: number;
  readonly low: number;
  /** The file gives the group's id: the same in another file of the step is the same group. */
  readonly given: boolean;
  readonly step: number;
  readonly split: string | null;
  readonly file: number;
  readonly grouping: "given" | "prompt" | "runs";
}

/** How a group is called: `12/val/p3`, third prompt of its step and split; `12/val/` and the given id. */
export type GroupName =
  | { readonly kind: "prompt"; readonly scope: number; readonly ordinal: number }
  | { readonly kind: "given"; readonly scope: number }
  /** Alone: called like its row. */
  | { readonly kind: "alone" };

const KIND = { prompt: 0, given: 1, alone: 2 } as const;
const NOBODY = 0xffff_ffff;

/** Many small tables: one that grows holds nobody up, however many groups there are. */
const TABLE_BITS = 6;
const TABLES = 1 << TABLE_BITS;

/**
 * Rows by group, in typed arrays: a hash table with open addressing from (scope, hash) to a group's number, and a list
 * through the rows of each. A scope is a step and split, and for prompts a file besides.
 */
export class GroupIndex {
  /** By row: its group, and the next row of the same group. */
  readonly groupOf = new GrowingColumn("u32", 0);
  readonly #next = new GrowingColumn("u32", NOBODY);
  readonly #first = new GrowingColumn("u32", 0);
  readonly #last = new GrowingColumn("u32", 0);
  readonly #size = new GrowingColumn("u32", 0);
  readonly #kind = new GrowingColumn("u8", 0);
  readonly #scope = new GrowingColumn("u32", 0);
  readonly #ordinal = new GrowingColumn("u32", 0);
  readonly #scopes = new Map<string, number>();
  readonly #scopeTexts: string[] = [];
  readonly #inScope: number[] = [];
  readonly #tables: Table[] = Array.from({ length: TABLES }, () => tableOf(64));
  #groups = 0;
  /** By file: hash and group of its last row, for runs. */
  readonly #runs = new Map<number, { high: number; low: number; scope: number; group: number }>();
  #lastScope: { step: number; split: string | null; file: number; scope: number } | null = null;

  get groups(): number {
    return this.#groups;
  }

  get bytes(): number {
    const tables = this.#tables.reduce((sum, { group }) => sum + 3 * group.byteLength, 0);
    return [
      this.groupOf,
      this.#next,
      this.#first,
      this.#last,
      this.#size,
      this.#kind,
      this.#scope,
      this.#ordinal,
    ]
      .map((column) => column.bytes)
      .reduce((a, b) => a + b, tables);
  }

  add(row: number, key: GroupKey): void {
    const group = this.#groupFor(key);
    this.groupOf.set(row, group);
    if (this.#size.get(group) > 0) this.#next.set(this.#last.get(group), row);
    else this.#first.set(group, row);
    this.#last.set(group, row);
    this.#size.set(group, this.#size.get(group) + 1);
  }

  size(group: number): number {
    return this.#size.get(group);
  }

  first(group: number): number {
    return this.#first.get(group);
  }

  members(group: number, atMost = Number.POSITIVE_INFINITY): number[] {
    const rows: number[] = [];
    for (
      let row = this.#first.get(group);
      row !== NOBODY && rows.length < this.#size.get(group) && rows.length < atMost;
      row = this.#next.get(row)
    )
      rows.push(row);
    return rows;
  }

  name(group: number): GroupName {
    switch (this.#kind.get(group)) {
      case KIND.alone:
        return { kind: "alone" };
      case KIND.given:
        return { kind: "given", scope: this.#scope.get(group) };
      default:
        return { kind: "prompt", scope: this.#scope.get(group), ordinal: this.#ordinal.get(group) };
    }
  }

  /** What stands before the group's own part: `12/val/`, or nothing. */
  scopeText(scope: number): string {
    return this.#scopeTexts[scope] ?? "";
  }

  #groupFor(key: GroupKey): number {
    if (!key.given && key.grouping === "given") return this.#make(KIND.alone, 0);
    const scope = this.#scopeFor(key);
    if (!key.given && key.grouping === "runs") return this.#run(key, scope);
    const salt = mixed(scope * 2 + (key.given ? 1 : 0) + 0x51ed_270b);
    const high = (key.high ^ salt) >>> 0;
    const low = (key.low + salt) >>> 0;
    // Its upper bits say in which table, the others where.
    const nth = high >>> (32 - TABLE_BITS);
    const table = this.#tables[nth] ?? tableOf(64);
    const known = table.group[find(table, high, low)] ?? 0;
    if (known !== 0) return known - 1;
    const group = this.#make(key.given ? KIND.given : KIND.prompt, scope);
    const roomy = ++table.filled * 2 > table.group.length ? grown(table) : table;
    this.#tables[nth] = roomy;
    put(roomy, high, low, group + 1);
    return group;
  }

  #run(key: GroupKey, scope: number): number {
    const before = this.#runs.get(key.file);
    if (before?.high === key.high && before.low === key.low && before.scope === scope) return before.group;
    const group = this.#make(KIND.prompt, scope);
    this.#runs.set(key.file, { high: key.high, low: key.low, scope, group });
    return group;
  }

  #make(kind: number, scope: number): number {
    const group = this.#groups++;
    this.#kind.set(group, kind);
    this.#scope.set(group, scope);
    if (kind === KIND.prompt) {
      const ordinal = (this.#inScope[scope] ?? 0) + 1;
      this.#inScope[scope] = ordinal;
      this.#ordinal.set(group, ordinal);
    }
    return group;
  }

  #scopeFor({ step, split, file, given }: GroupKey): number {
    const of = given ? -1 : file;
    const last = this.#lastScope;
    if (last && Object.is(last.step, step) && last.split === split && last.file === of) return last.scope;
    const text = [...(Number.isNaN(step) ? [] : [String(step)]), ...(split === null ? [] : [split])]
      .map((part) => `${part}/`)
      .join("");
    const key = JSON.stringify([Number.isNaN(step) ? null : step, split, of]);
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = this.#scopeTexts.length;
      this.#scopes.set(key, scope);
      // Two files of one step have prompts of their own, each counted from 1: the second file's say which it is.
      const twin = of > 0 && this.#scopeTexts.includes(text);
      this.#scopeTexts.push(twin ? `${text}f${of + 1}/` : text);
      this.#inScope.push(0);
    }
    this.#lastScope = { step, split, file: of, scope };
    return scope;
  }
}

interface Table {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** Counted from 1; 0: free. */
  readonly group: Uint32Array;
  filled: number;
}

function find({ group, high: highs, low: lows }: Table, high: number, low: number): number {
  const mask = group.length - 1;
  let at = (high ^ Math.imul(low, 0x9e37_79b1)) & mask;
  while (group[at] !== 0 && !(highs[at] === high && lows[at] === low)) at = (at + 1) & mask;
  return at;
}

function put(table: Table, high: number, low: number, group: number): void {
  const at = find(table, high, low);
  table.high[at] = high;
  table.low[at] = low;
  table.group[at] = group;
}

function grown(old: Table): Table {
  const table = tableOf(old.group.length * 2);
  table.filled = old.filled;
  for (let at = 0; at < old.group.length; at++) {
    const group = old.group[at] ?? 0;
    if (group !== 0) put(table, old.high[at] ?? 0, old.low[at] ?? 0, group);
  }
  return table;
}

function tableOf(size: number): Table {
  return {
    high: new Uint32Array(size),
    low: new Uint32Array(size),
    group: new Uint32Array(size),
    filled: 0,
  };
}
