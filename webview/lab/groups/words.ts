import { quoted } from "../../../src/core/query/suggest";
import type { LabGroup } from "../../../src/schema/lab";
import type { ScoreState } from "../../../src/schema/score";
import type { Speech } from "../../../src/words/format";
import { formatCount, formatNumber, formatScore } from "../../../src/words/format";
import { countOfState, stateAlone } from "../../../src/words/states";
import { type Member, type Shape, tallies } from "../../shared/stripLayout";

type Cause = NonNullable<LabGroup["cause"]>;

export function causeInWords(cause: Cause, { t }: Speech): string {
  switch (cause) {
    case "all-right":
      return t("all right");
    case "all-wrong":
      return t("all wrong");
    case "identical-completions":
      return t("all completions identical");
    case "nothing-scored":
      return t("nothing scored");
    case "one-left":
      return t("one row left");
    case "poisoned":
      return t("spoilt by a row without a score");
    case "constant":
      return t("the same score for all");
  }
}

export interface Flag {
  readonly kind: "tied" | "filtered" | "noGradient";
  readonly icon: string;
  readonly text: string;
  readonly title: string;
}

/** The three flags that SCIENCE keeps apart; the cause stands with the last one that applies. */
export function flagsOf(group: LabGroup, speech: Speech): Flag[] {
  const { t } = speech;
  const flags: Flag[] = [];
  if (group.tied)
    flags.push({
      kind: "tied",
      icon: "link",
      text: t("tied"),
      title: t("The totals of this group are equal, or differ by rounding alone."),
    });
  if (group.filtered)
    flags.push({
      kind: "filtered",
      icon: "filter",
      text: t("filtered"),
      title: t("The trainer's own rule drops this group."),
    });
  if (group.noGradient)
    flags.push({
      kind: "noGradient",
      icon: "circle-slash",
      text: t("no gradient"),
      title: t("Every advantage in this group is 0 or missing: it teaches nothing."),
    });
  const last = flags.at(-1);
  if (!last || group.cause === null) return flags;
  return [...flags.slice(0, -1), { ...last, text: `${last.text}: ${causeInWords(group.cause, speech)}` }];
}

export function formatShare(share: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** What the shares are (`separation`). */
export function separationExplained({ t }: Speech): string {
  return t(
    "A function's share: the variance of weight × score in the group, of the sum of these variances over the functions.",
  );
}

/** `separated by: length crumb 100 %` */
export function crumbInWords(group: LabGroup, { t, language }: Speech): string {
  const { crumb, separatedBy } = group;
  if (!crumb) return "";
  const share = separatedBy.find((part) => part.function === crumb.function)?.share ?? 1;
  return t("separated by: {0} crumb {1}", crumb.function, formatShare(share, language));
}

export function crumbExplained(group: LabGroup, { t, language }: Speech): string {
  const { crumb } = group;
  if (!crumb) return "";
  return t(
    "The heaviest component is tied; advantages are as large as a real success: a spread of {0} becomes an advantage of {1}.",
    formatNumber(crumb.spread, language),
    formatNumber(crumb.advantage, language),
  );
}

function rowState(state: ScoreState | null, speech: Speech): string {
  return state === null ? speech.t("not in this pass") : stateAlone(state, speech);
}

/** Making a number's words is slow (Intl), a list draws thousands of dots, and their numbers repeat. */
const KEEP = 4000;
const known = new WeakMap<Speech, Map<string, string>>();

/** `Row 17 · total 1.3 · advantage +0.84 · scored` */
export function memberInWords(member: Member, speech: Speech): string {
  const { t, language } = speech;
  const texts = known.get(speech) ?? new Map<string, string>();
  known.set(speech, texts);
  const key = JSON.stringify([member.total, member.advantage, member.state]);
  let text = texts.get(key);
  if (text === undefined) {
    text = [
      t("total {0}", formatScore(member.total, language)),
      t("advantage {0}", signed(member.advantage, language)),
      rowState(member.state, speech),
    ].join(" · ");
    if (texts.size >= KEEP) texts.clear();
    texts.set(key, text);
  }
  return `${t("Row {0}", member.row + 1)} · ${text}`;
}

export function signed(value: Member["advantage"], language: string): string {
  const text = formatNumber(value, language);
  return typeof value === "number" && value > 0 ? `+${text}` : text;
}

/** `1.3 ×5, 0.3 ×2, 1 raised` */
export function membersInWords(members: readonly Member[], speech: Speech): string {
  const { totals, states } = tallies(members);
  const { t, language } = speech;
  const most = 6;
  const parts = totals
    .slice(0, most)
    .map(({ total, n }) => `${formatScore(total, language)} ×${formatCount(n, language)}`);
  if (totals.length > most) parts.push(t("{0} more values", totals.length - most));
  for (const { state, n } of states)
    parts.push(
      state === null ? t("{0} not in this pass", formatCount(n, language)) : countOfState(state, n, speech),
    );
  return parts.join(", ");
}

export function shapeInWords(shape: Shape, { t }: Speech): string {
  switch (shape) {
    case "scored":
      return t("scored");
    case "partly":
      return t("scored by some functions only");
    case "failed":
      return t("no total: raised, crashed, timed out or invalid");
    case "open":
      return t("no total: not applicable, held or unscored");
    case "non-finite":
      return t("total not finite");
    case "absent":
      return t("not in this pass");
  }
}

/** A filter that lets one group's rows through. */
export function groupFilter(id: string): string {
  return `group:${quoted(id)}`;
}
