import { formatCount, formatScore, type Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { withoutColours } from "../one/ansi";
import { Plain } from "../one/text";
import { outcomeInWords } from "../../../src/words/trajectories";
import { outcomeIcon, roleIcon, roleWord, signed } from "../words";
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
        <strong>{formatCount(row.index + 1, language)}</strong>{" "}
        {mark !== null && (
          <span class="tag">
            <Icon name={mark === "best" ? "arrow-up" : "arrow-down"} />{" "}
            {mark === "best" ? t("best") : t("worst")}
          </span>
        )}
      </div>
      <div>
        {t("total {0}", formatScore(row.reward, language))} ·{" "}
        <span class="quiet">{t("advantage {0}", signed(ruleAdvantage, language))}</span>
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
  /** In this line they part. */
  readonly parts: boolean;
  readonly speech: Speech;
}

/** A message in short; those of a line that look the same share a letter. */
export function CellView({ cell, letter, parts, speech }: CellProps) {
  const { t, language } = speech;
  return (
    <>
      <div class="compare-cell-head">
        <Icon name={roleIcon(cell.role)} />{" "}
        {cell.name === null ? roleWord(cell.role, speech) : <Plain text={cell.name} />}{" "}
        <span class="quiet">{formatCount(cell.position + 1, language)}</span>
        {parts && <span class="tag parts-mark">{t("here they part")}</span>}
        {letter !== null && (
          <span class="tag" title={t("Looks the same as the others with this letter")}>
            = {letter}
          </span>
        )}
        {cell.reward !== null && <span class="turn-reward">{signed(cell.reward, language)}</span>}
      </div>
      <div class="compare-text" dir="auto">
        {cell.error !== null && (
          <>
            <span class="cross">✗</span> <Plain text={cell.error.slice(0, 200)} />{" "}
          </>
        )}
        {cell.calls.map((call, at) => (
          <code key={at}>
            <Plain text={`${call.name}(${call.arguments.slice(0, 200)})`} />{" "}
          </code>
        ))}
        <Plain text={withoutColours(cell.text.slice(0, 600))} />
      </div>
    </>
  );
}
