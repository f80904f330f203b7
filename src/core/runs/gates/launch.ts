import { EVIDENCE_SCHEMA, type LaunchCheck, type LaunchEvidence } from "../../../schema/evidence";
import { normalQuantile } from "./bootstrap";

export interface LaunchLimits {
  /** Share of groups whose rewards differ, at least. */
  readonly mixed: number;
  /** Upper 95 % bound of the share of rollouts that the infrastructure spoilt, at most. */
  readonly infrastructure: number;
  readonly lookedAt: number;
}

/** With fewer mixed groups half of the sampling is for nothing; 5 % of spoilt rollouts bend a mean visibly. Our choices. */
export const LAUNCH_LIMITS: LaunchLimits = { mixed: 0.5, infrastructure: 0.05, lookedAt: 50 };

interface Counted {
  readonly count: number;
  readonly of: number;
}

/** Null everywhere: not measured. */
export interface LaunchInput {
  readonly at: number;
  readonly limits: LaunchLimits;
  /** Base model, template and sampling: of the samples, and of the run. */
  readonly sources: { readonly samples: string; readonly run: string } | null;
  readonly mixedGroups: Counted | null;
  readonly infrastructure: Counted | null;
  /** Seconds; `timeout` null: the framework has none. */
  readonly rewardTime: { readonly p99: number; readonly timeout: number | null; readonly n: number } | null;
  readonly lookedAt: number;
  /** References that got full marks in all of their tries; known-wrong answers that didn't. */
  readonly gold: Counted | null;
  readonly antiGold: Counted | null;
  /** Findings of severity `error` that nobody set aside. */
  readonly errors: number;
  readonly suppressed: LaunchEvidence["suppressed"];
  readonly override: string | null;
}

/** Whether a run may start. An override needs a reason, which is kept; without one it counts for nothing. */
export function launchGate(input: LaunchInput): LaunchEvidence {
  const checks = checksOf(input);
  const override = input.override?.trim() === "" ? null : (input.override?.trim() ?? null);
  const met = checks.every(({ state }) => state === "met");
  return {
    schema: EVIDENCE_SCHEMA,
    kind: "launch",
    at: input.at,
    checks,
    verdict: met ? "pass" : override === null ? "fail" : "overridden",
    override,
    suppressed: input.suppressed,
  };
}

function checksOf(input: LaunchInput): LaunchCheck[] {
  const { sources, limits, mixedGroups, infrastructure, rewardTime, gold, antiGold } = input;
  const all = (code: LaunchCheck["code"], counted: Counted | null): LaunchCheck =>
    counted === null || counted.of === 0
      ? unknown(code, 1)
      : check(code, counted.count === counted.of, counted.count / counted.of, 1, counted.of);
  const infra = infrastructure === null || infrastructure.of === 0 ? null : wilsonUpper(infrastructure);
  return [
    sources === null
      ? unknown("same-source", null)
      : check("same-source", sources.samples === sources.run, null, null, null),
    mixedGroups === null || mixedGroups.of === 0
      ? unknown("mixed-groups", limits.mixed)
      : check(
          "mixed-groups",
          mixedGroups.count / mixedGroups.of >= limits.mixed,
          mixedGroups.count / mixedGroups.of,
          limits.mixed,
          mixedGroups.of,
        ),
    infra === null
      ? unknown("infrastructure", limits.infrastructure)
      : check(
          "infrastructure",
          infra <= limits.infrastructure,
          infra,
          limits.infrastructure,
          infrastructure?.of ?? 0,
        ),
    rewardTime === null
      ? unknown("reward-time", null)
      : check(
          "reward-time",
          rewardTime.timeout === null || rewardTime.p99 < rewardTime.timeout,
          rewardTime.p99,
          rewardTime.timeout,
          rewardTime.n,
        ),
    check("looked-at", input.lookedAt >= limits.lookedAt, input.lookedAt, limits.lookedAt, null),
    all("gold", gold),
    all("anti-gold", antiGold),
    check("findings", input.errors === 0, input.errors, 0, null),
  ];
}

function check(
  code: LaunchCheck["code"],
  met: boolean,
  value: number | null,
  limit: number | null,
  n: number | null,
): LaunchCheck {
  return { code, state: met ? "met" : "not-met", value, limit, n };
}

function unknown(code: LaunchCheck["code"], limit: number | null): LaunchCheck {
  return { code, state: "unknown", value: null, limit, n: null };
}

/** One-sided 95 % upper bound of a share (Wilson 1927). */
export function wilsonUpper({ count, of }: Counted): number {
  const z = normalQuantile(0.95);
  const p = count / of;
  const centre = p + (z * z) / (2 * of);
  const half = z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of));
  return (centre + half) / (1 + (z * z) / of);
}
