import { diffWordsWithSpace } from "diff";
import type { Speech } from "../../../src/words/format";
import { Plain } from "../one/text";

/** A diff that takes longer says nothing a reader could use. */
const MOST_MS = 500;

/** Two texts as one, with what is only in either marked. */
export function WordDiff({
  a,
  b,
  speech,
}: {
  readonly a: string;
  readonly b: string;
  readonly speech: Speech;
}) {
  const { t } = speech;
  if (a === b) return <p class="quiet">{t("Both are the same.")}</p>;
  const parts = diffWordsWithSpace(a, b, { timeout: MOST_MS });
  if (!parts) return <p class="quiet">{t("They are too different to compare.")}</p>;
  return (
    <div class="text-block word-diff">
      {parts.map(({ value, added, removed }, at) =>
        added ? (
          <ins key={at}>
            <Plain text={value} />
          </ins>
        ) : removed ? (
          <del key={at}>
            <Plain text={value} />
          </del>
        ) : (
          <Plain key={at} text={value} />
        ),
      )}
    </div>
  );
}
