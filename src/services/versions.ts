import type { Hasher } from "../core/ports";
import type { SampleTable } from "../core/scoring/table";
import type { LoadedFrame, Ready } from "../schema/worker";
import type { Composition } from "./composition";
import type { Documents } from "./documents";

/** Generators start from here before each call, so that two passes over one version give the same scores. */
export const SEED = 0;

/**
 * Identity of what gave a set of scores: source and local helpers, interpreter, versions of the packages that were
 * loaded, contracts, weights, data, seed. Equal hashes promise equal scores, as far as the reward is deterministic.
 */
export function versionHash(
  hasher: Hasher,
  texts: ReadonlyMap<string, string>,
  ready: Pick<Ready, "python">,
  loaded: Pick<LoadedFrame, "versions"> | null,
  composition: Composition,
  table: SampleTable,
): string {
  const { python } = ready;
  return hasher.hash([
    ...[...texts].sort(([a], [b]) => (a < b ? -1 : 1)).flat(),
    JSON.stringify([
      [python.implementation, python.executable, python.version, python.prefix],
      Object.entries(loaded?.versions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)),
      composition.functions.map(({ fn, plan, weight }) => [fn.name, fn.contract, plan, weight]),
      composition.trainer,
      table.info.hash,
      table.info.mapping,
      SEED,
    ]),
  ]);
}

/** The version's own files with their texts: the reward file as it was scored, helpers as the pass saw them. */
export async function versionTexts(
  documents: Documents,
  main: string,
  text: string,
  loaded: Pick<LoadedFrame, "files"> | null,
): Promise<Map<string, string>> {
  const texts = new Map([[main, text]]);
  for (const path of loaded?.files ?? []) {
    if (path === main) continue;
    const helper = await documents.text(path);
    if (helper) texts.set(path, helper.text);
  }
  return texts;
}
