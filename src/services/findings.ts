import { findAll } from "../core/findings/registry";
import { rewardMatrix } from "../core/scoring/totals";
import type { Finding } from "../schema/reward";
import type { Scored, Subject } from "./scored";
import type { LoadFailure } from "./scoreRunner";

/** All findings about a text: from its source alone where nothing was scored, else from what came of it too. */
export function findingsOf(subject: Subject, scored: Scored | null, failure: LoadFailure | null): Finding[] {
  const { composition, source, text, table, ready } = subject;
  const outcomes = new Map(scored?.outcomes.map((outcome) => [outcome.name, outcome]));
  const loaded = new Map(scored?.loaded?.functions.map((fn) => [fn.name, fn]));
  const components = composition.functions.flatMap(({ fn, weight, fate }) => {
    const outcome = outcomes.get(fn.name);
    return outcome ? [{ outcome, weight, fate }] : [];
  });
  return findAll({
    source,
    text,
    functions: composition.functions.map(({ fn, weight }) => {
      const outcome = outcomes.get(fn.name) ?? null;
      return {
        fn,
        outcome,
        weight,
        failures: outcome?.failures ?? [],
        changed: outcome?.changed ?? new Set(),
        again: outcome?.again ?? new Map(),
        bindError: loaded.get(fn.name)?.bindError ?? null,
      };
    }),
    trainer: composition.context,
    groupSize: composition.groupSize,
    table,
    totals: components.length > 0 ? rewardMatrix(components, table.n).totals : null,
    loadFailure: failure,
    interpreter: ready.python.executable,
  });
}
