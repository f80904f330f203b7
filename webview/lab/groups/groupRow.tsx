import { useMemo } from "preact/hooks";
import type { LabGroup } from "../../../src/schema/lab";
import { formatCount, formatNumber, formatScore, type Speech } from "../../../src/words/format";
import type { Axis } from "../../shared/axis";
import { Strip, stripLayout } from "./strip";
import { crumbExplained, crumbInWords, flagsOf, formatShare } from "./words";

export interface GroupCellsProps {
  readonly group: LabGroup;
  readonly axis: Axis;
  readonly width: number;
  readonly height: number;
  readonly selected: number | null;
  readonly speech: Speech;
  readonly onSelect: (row: number) => void;
}

/** Cells of one group, drawn anew only where something in them is another: scrolling draws the list often. */
export function GroupCells(props: GroupCellsProps) {
  const { group, axis, width, height, selected, speech, onSelect } = props;
  return useMemo(() => <Cells {...props} />, [group, axis, width, height, selected, speech, onSelect]);
}

/** Who, picture, numbers, what there is to say. */
function Cells(props: GroupCellsProps) {
  const { group, axis, width, height, selected, speech, onSelect } = props;
  const { t, language } = speech;
  return (
    <>
      <div role="gridcell" class="g-who">
        <span class="g-id">{group.id}</span>
        <span class="g-prompt quiet" title={group.prompt}>
          {group.prompt}
        </span>
      </div>
      <div role="gridcell" class="g-strip">
        <Strip
          group={group}
          axis={axis}
          layout={stripLayout(group, axis, height)}
          width={width}
          height={height}
          speech={speech}
          selected={selected}
          onSelect={onSelect}
        />
      </div>
      <div role="gridcell" class="g-number">
        <span class="g-key">{t("mean")}</span> {formatScore(group.mean, language)}
      </div>
      <div role="gridcell" class="g-number">
        <span class="g-key">{t("std")}</span> {formatNumber(group.std, language)}
      </div>
      <div role="gridcell" class="g-number" title={t("Rows in this pass, of the group's rows")}>
        <span class="g-key">{t("n")}</span>{" "}
        {group.n === group.size
          ? formatCount(group.n, language)
          : t("{0} of {1}", formatCount(group.n, language), formatCount(group.size, language))}
      </div>
      <div role="gridcell" class="g-says">
        <Says group={group} speech={speech} />
      </div>
    </>
  );
}

/** Flags, the crumb, and what separates the group. */
function Says({ group, speech }: { readonly group: LabGroup; readonly speech: Speech }) {
  const { t, language } = speech;
  const flags = flagsOf(group, speech);
  const bars = group.separatedBy.slice(0, group.crumb ? 0 : flags.length > 0 ? 1 : 2);
  const more = group.separatedBy.slice(bars.length);
  return (
    <>
      {flags.length > 0 && (
        <span class="g-flags">
          {flags.map((flag) => (
            <span key={flag.kind} class="g-flag" title={flag.title}>
              <span class={`codicon codicon-${flag.icon}`} aria-hidden="true" />
              {flag.text}
            </span>
          ))}
        </span>
      )}
      {group.crumb && (
        <>
          <span class="g-flag g-crumb" title={crumbExplained(group, speech)}>
            <span class="codicon codicon-warning" aria-hidden="true" />
            {crumbInWords(group, speech)}
          </span>
          <span class="g-why quiet" title={crumbExplained(group, speech)}>
            {crumbExplained(group, speech)}
          </span>
        </>
      )}
      {bars.length > 0 && (
        <span
          class="g-bars"
          title={t(
            "Separated by: {0}",
            group.separatedBy
              .map((part) => `${part.function} ${formatShare(part.share, language)}`)
              .join(", "),
          )}
        >
          {bars.map((part) => (
            <span key={part.function} class="g-bar">
              <span class="g-bar-name">{part.function}</span>
              <span class="g-bar-track" aria-hidden="true">
                <span class="g-bar-fill" style={{ width: `${part.share * 100}%` }} />
              </span>
              <span class="g-bar-share">{formatShare(part.share, language)}</span>
            </span>
          ))}
          {more.length > 0 && !group.crumb && <span class="sr">{t("{0} more", more.length)}</span>}
        </span>
      )}
    </>
  );
}
