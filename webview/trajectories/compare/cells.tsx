import { formatCount, formatScore, type Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { withoutColours } from "../one/ansi";
import { Plain } from "../one/text";
import { outcomeInWords } from "../../../src/words/trajectories";
import { arrow, outcomeIcon, roleIcon, roleWord, signed } from "../words";
import type { Cell, Compared } from "./model";

/** What stands above a trajectory: its total first. */
export function ColumnHead({
  column,
  speech,
}: {
  readonly column: Compared["columns"][number];
  readonly speech: Speech;
}) {
  const { t, language } = speech;
  const { row, ruleAdvantage, mark } = column;
  return (
    <>
      <div>
        <strong>{t("trajectory {0}", formatCount(row.index + 1, language))}</strong>{" "}
        {mark !== null && (
          <span class="tag">
            <Icon name={mark === "best" ? "arrow-up" : "arrow-down"} />{" "}
            {mark === "best" ? t("best") : t("worst")}
          </span>
        )}
        {row.now !== null && (
          <span class="compare-now">
            {t("now {0}", `${formatScore(row.now, language)}${arrow(row.now, row.reward)}`)}
          </span>
        )}
      </div>
      <div>
        <span class="quiet">{t("total")}</span> <strong>{formatScore(row.reward, language)}</strong>{" "}
        <span class="quiet">· {t("advantage {0}", signed(ruleAdvantage, language))}</span>
      </div>
      <div class="quiet">
        <Icon name={outcomeIcon(row.outcome)} /> {outcomeInWords(row.outcome, speech)}
        {row.tokens !== null && ` · ${t("{0} tokens", formatCount(row.tokens, language))}`}
      </div>
      <div class="quiet compare-components">
        <Plain
          text={Object.entries(row.rewards)
            .map(([name, value]) => `${name} ${formatScore(value, language)}`)
            .join(" · ")}
        />
      </div>
    </>
  );
}

interface CellProps {
  readonly cell: Cell;
  readonly letter: string | null;
  /** In this line they part: for those who don't see the band above it. */
  readonly parts: boolean;
  /** UTF-16 units of its text that are drawn. */
  readonly most: number;
  readonly speech: Speech;
}

/** A message in short; those of a line that look the same share a letter. */
export function CellView({ cell, letter, parts, most, speech }: CellProps) {
  const { t, language } = speech;
  return (
    <>
      <div class="compare-cell-head">
        <Icon name={roleIcon(cell.role)} />{" "}
        {cell.name === null ? roleWord(cell.role, speech) : <Plain text={cell.name} />}{" "}
        <span class="quiet">{formatCount(cell.position + 1, language)}</span>
        {parts && <span class="said"> {t("here they part")}</span>}
        {cell.reward !== null && <span class="turn-reward">{signed(cell.reward, language)}</span>}
        {letter !== null && (
          <span class="tag" title={t("Looks the same as the others with this letter")}>
            = {letter}
          </span>
        )}
      </div>
      <div class="compare-text" dir="auto">
        {cell.error !== null && (
          <>
            <span class="cross">✗</span>{" "}
            {/* Where the error is what the tool answered, it isn't said twice. */}
            {!cell.text.includes(cell.error) && <Plain text={`${cell.error} `} />}
          </>
        )}
        {cell.calls.map((call, at) => (
          <code key={at} class="compare-call">
            <Plain text={`${call.name}(${call.arguments})`} />
          </code>
        ))}
        <Plain text={withoutColours(cell.text.slice(0, most))} />
      </div>
    </>
  );
}
