import { modelOf, type Override, type Overrides } from "../core/contracts/registry";
import type { SourceModel } from "../core/python/model";
import { parseSource } from "../core/python/source";
import type { FileModel } from "../schema/reward";
import type { SideEffect } from "../schema/score";
import type { Documents } from "./documents";

export interface PresentText {
  readonly version: number;
  readonly text: string;
  readonly source: SourceModel;
  readonly model: FileModel;
}

/** The reward file as it is now, with what the user chose for its functions: that follows a function's new name. */
export class RewardText {
  readonly path: string;
  readonly allow: Map<string, readonly SideEffect[]>;
  #overrides: Map<string, Override>;
  readonly #documents: Documents;
  readonly #renamed: (from: string, to: string) => void;
  #present: PresentText | null = null;
  #turn = 0;

  constructor(
    path: string,
    documents: Documents,
    overrides: Overrides,
    allow: Readonly<Record<string, readonly SideEffect[]>>,
    renamed: (from: string, to: string) => void,
  ) {
    this.path = path;
    this.#documents = documents;
    this.#overrides = new Map(overrides);
    this.allow = new Map(Object.entries(allow));
    this.#renamed = renamed;
  }

  /** As last read; null where the file is neither open nor on disk. */
  get present(): PresentText | null {
    return this.#present;
  }

  /** Of reads that overlap the one that began last counts: a slow look at the disk never hides what was typed since. */
  async read(): Promise<PresentText | null> {
    const turn = ++this.#turn;
    const now = await this.#documents.text(this.path);
    if (turn === this.#turn) this.#present = now && this.#parse(now.version, now.text);
    return this.#present;
  }

  /** Other choices for the functions; the text is modelled anew when it is next read. */
  choose(overrides: Overrides): void {
    this.#overrides = new Map(overrides);
    this.#present &&= { ...this.#present, model: this.model(this.#present.text).model };
  }

  /** The model of another version of this file, under the same choices. */
  model(text: string): { readonly source: SourceModel; readonly model: FileModel } {
    const source = parseSource(text);
    return { source, model: modelOf(this.path, -1, source, this.#overrides) };
  }

  #parse(version: number, text: string): PresentText {
    const before = this.#present;
    if (before?.text === text) return { ...before, version, model: { ...before.model, version } };
    const source = parseSource(text);
    if (before && !source.broken) this.#followRename(before.source, source);
    return { version, text, source, model: modelOf(this.path, version, source, this.#overrides) };
  }

  /** One name gone, one come, at the same place among the file's functions: it was renamed. */
  #followRename(before: SourceModel, after: SourceModel): void {
    const old = before.functions.map(({ name }) => name);
    const now = after.functions.map(({ name }) => name);
    const gone = old.filter((name) => !now.includes(name));
    const came = now.filter((name) => !old.includes(name));
    const [from, to] = [gone[0], came[0]];
    if (from === undefined || to === undefined || gone.length > 1 || came.length > 1) return;
    if (old.indexOf(from) !== now.indexOf(to)) return;
    const chosen = this.#overrides.get(from);
    if (chosen && !this.#overrides.has(to)) this.#overrides.set(to, chosen);
    const allowed = this.allow.get(from);
    if (allowed && !this.allow.has(to)) this.allow.set(to, allowed);
    this.#renamed(from, to);
  }
}
