import { scoreReport } from "../core/scoring/report";
import type { ScoreReport } from "../schema/report";
import type { Finding } from "../schema/reward";
import type { Scored } from "./scored";
import type { LoadFailure } from "./scoreRunner";

/** The report of scores, as `score --json` writes it. */
export function reportOf(
  version: string,
  file: string,
  scored: Scored,
  findings: readonly Finding[],
  failure: LoadFailure | null,
): ScoreReport {
  const { composition, table } = scored;
  return scoreReport({
    version,
    table,
    functions: scored.outcomes.flatMap((outcome) => {
      const part = composition.functions.find(({ fn }) => fn.name === outcome.name);
      if (!part) return [];
      const { fn, weight, fate } = part;
      const again = scored.twice ? { again: [...outcome.again.keys()].sort((a, b) => a - b) } : {};
      return [{ outcome, weight, fate, file, contract: fn.contract, reasons: fn.reasons, ...again }];
    }),
    trainer: composition.trainer,
    findings,
    problems: table.info.problems,
    error: failure && {
      code: failure.code,
      message: failure.message,
      path: failure.path,
      line: failure.line,
    },
    versionHash: scored.hash,
    timing: {
      loadMs: scored.loaded?.ms ?? 0,
      passMs: scored.passMs,
      totalMs: scored.timing?.totalMs ?? scored.passMs,
      mode: scored.timing?.mode === "spare" ? "spare" : "fork",
    },
  });
}
