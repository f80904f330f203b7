import type { RunSettings } from "../../../schema/run";

/** Completions of a try are this long at most, in tokens. */
const SMOKE_TOKENS = 32;

/** The same run with two steps and the smallest sizes that still make groups. */
export function smokeSettings(settings: RunSettings): RunSettings {
  return {
    ...settings,
    steps: 2,
    promptsPerStep: 1,
    groupSize: 2,
    maxCompletionTokens: Math.min(settings.maxCompletionTokens ?? SMOKE_TOKENS, SMOKE_TOKENS),
    saveEverySteps: 2,
    ...(settings.evaluateEverySteps === undefined ? {} : { evaluateEverySteps: 2 }),
  };
}
