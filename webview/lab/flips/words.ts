import type { LabFlip, LabFlips } from "../../../src/schema/lab";
import { formatScore, type Speech } from "../../../src/words/format";
import { stateAlone } from "../../../src/words/states";

export interface Direction {
  readonly icon: string;
  readonly text: string;
}

/** The score's way; where the score is the same, what else moved. */
export function directionInWords(
  flip: Pick<LabFlip, "direction" | "before" | "now" | "rank" | "sign">,
  { t }: Speech,
): Direction {
  if (flip.direction === 1) return { icon: "arrow-up", text: t("up") };
  if (flip.direction === -1) return { icon: "arrow-down", text: t("down") };
  if (flip.before.state !== flip.now.state) return { icon: "arrow-swap", text: t("other state") };
  if (flip.rank) return { icon: "list-ordered", text: t("other place") };
  return { icon: "arrow-swap", text: t("other sign") };
}

/** A score as a number, the lack of one as the state's word: never 0. */
export function sideInWords(side: Pick<LabFlip["now"], "state" | "value">, speech: Speech): string {
  if (side.state === "scored" && side.value !== null) return formatScore(side.value, speech.language);
  const word = stateAlone(side.state, speech);
  return side.value === null ? `– ${word}` : `${formatScore(side.value, speech.language)} ${word}`;
}

/** `place 4 → 1 · sign of the advantage` */
export function furtherInWords(flip: LabFlip, { t }: Speech): string {
  const parts: string[] = [];
  if (flip.rank && flip.before.rank !== null && flip.now.rank !== null)
    parts.push(t("place {0} → {1}", flip.before.rank, flip.now.rank));
  else if (flip.rank) parts.push(t("place"));
  if (flip.sign) parts.push(t("sign of the advantage"));
  return parts.join(" · ");
}

export function baselineInWords(kind: NonNullable<LabFlips["baseline"]>["kind"], { t }: Speech): string {
  switch (kind) {
    case "saved":
      return t("the saved file");
    case "head":
      return t("the last git commit");
    case "pin":
      return t("the version that you set");
  }
}

/** Why there are no flips to show; null: there are some. `present`: hash of the version that is scored now. */
export function nothingToShow(head: LabFlips, present: string | null, speech: Speech): string | null {
  const { t } = speech;
  if (head.total > 0) return null;
  if (head.status === "none") return t("Nothing is scored yet, so nothing can be compared.");
  if (head.baseline === null)
    return t(
      "There is no baseline to compare with: it is not scored yet, or it can't be scored. Set a baseline, or save the file.",
    );
  const baseline = baselineInWords(head.baseline.kind, speech);
  if (head.baseline.hash === present)
    return t(
      "What is scored is the baseline itself ({0}). Edit the reward, and what flips stands here.",
      baseline,
    );
  return t("The version differs from {0}, but no row's score, state or place in its group does.", baseline);
}
