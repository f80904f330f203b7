import type { OutcomeKind } from "../schema/trajectory";
import { formatCount, type Speech } from "./format";

/** Why trajectories weren't written: `why` is a code of `services/trajectories/export.ts`. */
export function leftOutInWords(
  { why, n }: { readonly why: string; readonly n: number },
  { t, language }: Speech,
): string {
  const count = formatCount(n, language);
  switch (why) {
    case "no-messages":
      return t("{0} have no messages.", count);
    case "no-answer":
      return t("{0} have no answer of the model.", count);
    case "no-reward":
      return t("{0} have no reward.", count);
    case "not-best":
      return t("{0} aren't the best of their group, or have no reward above 0.", count);
    case "truncated":
      return t("{0} were cut off.", count);
    case "failed":
      return t("{0} ended with an error.", count);
    case "tied":
      return t("{0} are in groups without a difference.", count);
    case "duplicate":
      return t("{0} are there already.", count);
    case "too-easy":
      return t("{0} are solved every time.", count);
    case "too-hard":
      return t("{0} are never solved.", count);
    case "unknown-difficulty":
      return t("{0} have too few tries to tell how hard they are.", count);
    default:
      return t("{0} were left out ({1}).", count, why);
  }
}

export function outcomeInWords(kind: OutcomeKind, { t }: Speech): string {
  switch (kind) {
    case "finished":
      return t("finished");
    case "length":
      return t("length limit");
    case "turns":
      return t("turn limit");
    case "time":
      return t("time limit");
    case "environment":
      return t("environment error");
    case "infrastructure":
      return t("infrastructure failure");
    case "cancelled":
      return t("cancelled");
    case "running":
      return t("still running");
    case "unknown":
      return t("no outcome");
  }
}

/** Frameworks as they write their own names. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  trl: "TRL",
  verl: "verl",
  art: "ART",
  "prime-rl": "prime-rl",
  verifiers: "verifiers",
  "nemo-rl": "NeMo RL",
  "nemo-gym": "NeMo Gym",
  skyrl: "SkyRL",
  areal: "AReaL",
  tinker: "Tinker",
  harbor: "Harbor",
  inspect: "Inspect",
  rllm: "rLLM",
  openrlhf: "OpenRLHF",
  atropos: "Atropos",
  "eval-protocol": "eval-protocol",
};

export function frameworkName(id: string): string {
  return FRAMEWORKS[id] ?? id;
}

export function sourceTitle(
  { folder, title }: { readonly folder: boolean; readonly title: string },
  { t }: Speech,
): string {
  return folder && title in FRAMEWORKS ? t("{0} run", frameworkName(title)) : title;
}
