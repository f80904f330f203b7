import type { LabelCounts, ReviewQueue } from "../../../src/schema/lab";
import { formatCount, formatScore, type Speech } from "../../../src/words/format";

/** `40 labelled · 31 random`, and agreement with how many random labels stand behind it. */
export function countsInWords(counts: LabelCounts, speech: Speech): string {
  const { t, language } = speech;
  const n = (count: number): string => formatCount(count, language);
  const parts = [t("{0} labelled", n(counts.labelled)), t("{0} random", n(counts.random))];
  if (counts.pairs > 0) parts.push(t("{0} pairs", n(counts.pairs)));
  if (counts.data > 0) parts.push(t("{0} from the data", n(counts.data)));
  const agreement = counts.agreement;
  if (agreement && agreement.n > 0)
    parts.push(
      t(
        "label agreement {0} (n = {1} random)",
        formatScore(agreement.agree / agreement.n, language),
        n(agreement.n),
      ),
    );
  if (counts.problems > 0)
    parts.push(t("{0} lines of {1} could not be read and are kept", n(counts.problems), counts.file));
  return parts.join(" · ");
}

/** What agreement means (`labelAgreement`). */
export function agreementExplained({ t }: Speech): string {
  return t(
    "A row agrees where label and total are on the same side of the middle of their own ranges, lowest to highest.",
  );
}

/** Why a sample is in the queue. */
export function reasonInWords(reason: ReviewQueue["items"][number]["reason"], { t }: Speech): string {
  switch (reason) {
    case "random":
      return t("drawn at random");
    case "disagrees":
      return t("its label and its score disagree");
    case "tied":
      return t("its group is tied");
    case "flipped":
      return t("it flipped against the baseline");
    case "large-update":
      return t("it gets one of the largest updates");
    case "not-scored":
      return t("it could not be scored");
  }
}
