import type { Memento } from "vscode";
import * as z from "zod";
import { ContractId } from "../schema/reward";
import { SampleMapping } from "../schema/sample";
import { SideEffect } from "../schema/score";

/** What the user allowed for one reward file in this workspace. Never written into the repository. */
export const Consent = z.object({
  /** Sample files. */
  files: z.array(z.string()).min(1),
  /** Chosen by the user; null = as guessed. */
  mapping: SampleMapping.nullable(),
  contracts: z.record(z.string(), ContractId),
  allow: z.record(z.string(), z.array(SideEffect)),
  live: z.boolean(),
  pinned: z.int().nonnegative().nullable(),
});
export type Consent = z.infer<typeof Consent>;

const KEY = "rewardsmith.consent.1";
const Stored = z.record(z.string(), z.unknown());

/** Consents by absolute path of the reward file, in the workspace's own state. */
export class Consents {
  readonly #state: Memento;
  readonly #byPath = new Map<string, Consent>();

  constructor(state: Memento) {
    this.#state = state;
    const stored = Stored.safeParse(state.get<unknown>(KEY) ?? {});
    if (!stored.success) return;
    for (const [path, value] of Object.entries(stored.data)) {
      const consent = Consent.safeParse(value);
      // A consent that can't be read is none: the user is asked again.
      if (consent.success) this.#byPath.set(path, consent.data);
    }
  }

  get(path: string): Consent | undefined {
    return this.#byPath.get(path);
  }

  async set(path: string, consent: Consent | undefined): Promise<void> {
    if (consent) this.#byPath.set(path, consent);
    else this.#byPath.delete(path);
    await this.#save();
  }

  /** A file or a folder was moved in the editor: what is allowed, and the samples in it, go along. */
  async rename(from: string, to: string): Promise<void> {
    const moved = (path: string): string => {
      const rest = path.slice(from.length);
      return path.startsWith(from) && (rest === "" || /^[\\/]/u.test(rest)) ? `${to}${rest}` : path;
    };
    const before = [...this.#byPath];
    this.#byPath.clear();
    for (const [path, consent] of before)
      this.#byPath.set(moved(path), { ...consent, files: consent.files.map(moved) });
    await this.#save();
  }

  async #save(): Promise<void> {
    await this.#state.update(KEY, Object.fromEntries(this.#byPath));
  }
}
