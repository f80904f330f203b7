import * as z from "zod";
import { Json } from "../../../schema/json";
import { compareVersions } from "../../contracts/version";

/**
 * Keys of a framework's own configuration with their defaults, by version: each key's history as [since, default], or
 * [since] where it is gone. Written by scripts/recipe-defaults.mjs from the framework itself.
 */
const Table = z.object({
  framework: z.string(),
  versions: z.array(z.string()),
  keys: z.record(z.string(), z.array(z.union([z.tuple([z.string(), Json]), z.tuple([z.string()])]))),
});

export class DefaultsTable {
  readonly versions: readonly string[];
  readonly #keys: z.infer<typeof Table>["keys"];

  constructor(given: unknown) {
    const { versions, keys } = Table.parse(given);
    this.versions = versions;
    this.#keys = keys;
  }

  /** Oldest and newest version that were read. */
  get range(): readonly [from: string, to: string] {
    return [this.versions[0] ?? "", this.versions.at(-1) ?? ""];
  }

  /** Defaults as that version has them; of an unknown version those of the newest. */
  at(version: string | null): ReadonlyMap<string, Json> {
    const found = new Map<string, Json>();
    for (const [key, history] of Object.entries(this.#keys)) {
      const last = history
        .filter(([since]) => version === null || compareVersions(since, version) <= 0)
        .at(-1);
      if (last?.length === 2) found.set(key, last[1]);
    }
    return found;
  }
}
