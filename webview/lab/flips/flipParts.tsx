import { useMemo } from "preact/hooks";
import type { LabFlip, LabFlips } from "../../../src/schema/lab";
import { formatCount, formatNumber, type Speech } from "../../../src/words/format";
import type { Lab } from "../lab";
import type { HunkIndex } from "./hunkIndex";
import { HunkView, hunkName } from "./hunkViews";
import { directionInWords, furtherInWords, sideInWords } from "./words";

/** Counts per function, with how far the order within the groups stayed. */
export function Summary({ head, speech }: { readonly head: LabFlips; readonly speech: Speech }) {
  const { t, language } = speech;
  const n = (value: number): string => formatCount(value, language);
  return (
    <table class="f-summary">
      <caption class="sr">{t("Flips by function")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("Function")}</th>
          <th scope="col">{t("compared")}</th>
          <th scope="col">
            <span class="codicon codicon-arrow-up" aria-hidden="true" /> {t("up")}
          </th>
          <th scope="col">
            <span class="codicon codicon-arrow-down" aria-hidden="true" /> {t("down")}
          </th>
          <th scope="col" title={t("Rows whose place in their group is another")}>
            {t("place")}
          </th>
          <th scope="col" title={t("Rows whose advantage has another sign")}>
            {t("sign")}
          </th>
          <th
            scope="col"
            title={t(
              "Kendall's tau-b within groups, mean over the groups where both versions have a spread: 1 = the same order",
            )}
          >
            {t("order kept (tau-b)")}
          </th>
        </tr>
      </thead>
      <tbody>
        {head.summary.map((row) => (
          <tr key={row.function}>
            <th scope="row">{row.function}</th>
            <td>{n(row.compared)}</td>
            <td>{n(row.up)}</td>
            <td>{n(row.down)}</td>
            <td>{n(row.rank)}</td>
            <td>{n(row.sign)}</td>
            <td>
              {row.tau === null ? "–" : formatNumber(row.tau, language)}{" "}
              <span class="quiet">{t("({0} groups)", n(row.tauGroups))}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellsProps {
  readonly flip: LabFlip;
  readonly index: HunkIndex | null;
  readonly speech: Speech;
}

/** Drawn anew only where something in them is another: scrolling draws the list often. */
export function FlipCells({ flip, index, speech }: CellsProps) {
  return useMemo(() => <Cells flip={flip} index={index} speech={speech} />, [flip, index, speech]);
}

function Cells({ flip, index, speech }: CellsProps) {
  const { t } = speech;
  const direction = directionInWords(flip, speech);
  const causes = index?.of(flip) ?? null;
  return (
    <>
      <div role="gridcell" class="f-number">
        {flip.row + 1}
      </div>
      <div role="gridcell" class="f-cut">
        {flip.group}
      </div>
      <div role="gridcell" class="f-cut">
        {flip.function}
      </div>
      <div role="gridcell" class="f-cut">
        {t("{0} → {1}", sideInWords(flip.before, speech), sideInWords(flip.now, speech))}
      </div>
      <div
        role="gridcell"
        class={`f-cut f-way ${flip.direction === 1 ? "up" : flip.direction === -1 ? "down" : ""}`}
      >
        <span class={`codicon codicon-${direction.icon}`} aria-hidden="true" /> {direction.text}
      </div>
      <div role="gridcell" class="f-cut quiet">
        {furtherInWords(flip, speech)}
      </div>
      {index && (
        <div role="gridcell" class="f-cut">
          {causes === null
            ? "–"
            : causes.length === 0
              ? t("only together")
              : causes.map((id) => hunkName(index, id, speech)).join(", ")}
        </div>
      )}
      <div role="gridcell" class="f-cut f-text">
        {flip.text}
      </div>
    </>
  );
}

/** The score or its state changed, not just the place among others. */
function isOwn({ direction, before, now }: LabFlip): boolean {
  return direction !== 0 || before.state !== now.state;
}

interface CauseProps {
  readonly lab: Lab;
  readonly flip: LabFlip;
  readonly index: HunkIndex;
  readonly speech: Speech;
}

/** The changes that cause the active flip. */
export function Cause({ lab, flip, index, speech }: CauseProps) {
  const { t } = speech;
  const causes = index.of(flip);
  const hunks = index.hunks.filter(({ id }) => causes?.includes(id));
  const sentence =
    causes === null
      ? isOwn(flip)
        ? t("Row {0}, {1}: this flip was not tried.", flip.row + 1, flip.function)
        : t("Row {0}, {1}: its own score is the same; its neighbours' changed.", flip.row + 1, flip.function)
      : hunks.length === 0
        ? t(
            "Row {0}, {1}: no change causes this flip alone, only together (or another file does).",
            flip.row + 1,
            flip.function,
          )
        : hunks.length === 1
          ? t("Row {0}, {1}: this change alone causes the flip.", flip.row + 1, flip.function)
          : t("Row {0}, {1}: each of these changes alone causes the flip.", flip.row + 1, flip.function);
  const shown = hunks.length > 0 ? hunks : causes === null ? [] : index.hunks;
  return (
    <aside class="f-cause" aria-label={t("What caused the flip")}>
      <p>{sentence}</p>
      {shown.map((hunk) => (
        <HunkView key={hunk.id} lab={lab} index={index} hunk={hunk} speech={speech} />
      ))}
    </aside>
  );
}
