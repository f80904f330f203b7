import type { Finding } from "../../src/schema/reward";
import { formatCount, type Speech } from "../../src/words/format";
import { Icon, Notice } from "../shared/controls";
import { runCommand } from "./head";
import type { Lab } from "./lab";
import { revealLine } from "./reveal";
import { selectRow } from "./select";

const MOST_ROWS = 8;
const MOST_IN_FILTER = 200;

/** What was found about the reward on these samples: severity, sentence, where, which rows. */
export function FindingsView({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const { scores } = lab.scores.value;
  const findings = scores?.findings ?? [];
  if (findings.length === 0)
    return (
      <Notice icon="pass" title={t("No findings")}>
        <p>{t("What is known to go wrong in training is listed here. Check also calls each batch twice.")}</p>
        <button type="button" class="primary" onClick={() => runCommand(lab, "check")}>
          {t("Check")}
        </button>
      </Notice>
    );
  return (
    <ul class="findings" aria-label={t("Findings")}>
      {findings.map((finding, index) => (
        <FindingItem key={`${finding.code} ${finding.function ?? ""} ${index}`} lab={lab} finding={finding} />
      ))}
    </ul>
  );
}

function severity(finding: Finding, { t }: Speech): { readonly icon: string; readonly word: string } {
  switch (finding.severity) {
    case "error":
      return { icon: "error", word: t("Error") };
    case "warning":
      return { icon: "warning", word: t("Warning") };
    case "info":
      return { icon: "info", word: t("Information") };
  }
}

function FindingItem({ lab, finding }: { readonly lab: Lab; readonly finding: Finding }) {
  const speech = lab.speech.value;
  const { t, language } = speech;
  const { icon, word } = severity(finding, speech);
  const { range, rows } = finding;
  return (
    <li class={`finding ${finding.severity}`}>
      <div class="finding-head">
        <Icon name={icon} /> <strong>{word}</strong>
        {finding.function !== null && <code>{finding.function}</code>}
        <span class="quiet">{finding.code}</span>
        {range !== null && (
          <button type="button" class="link" onClick={() => revealLine(lab, range.start.line + 1)}>
            {t("line {0}", range.start.line + 1)}
          </button>
        )}
      </div>
      <p>{finding.message}</p>
      {finding.cure !== null && <p class="quiet">{finding.cure}</p>}
      {rows.length > 0 && (
        <p class="finding-rows">
          <span class="quiet">{rows.length === 1 ? t("row") : t("rows")}</span>
          {rows.slice(0, MOST_ROWS).map((row) => (
            <button
              key={row}
              type="button"
              class="link"
              aria-label={t("Select row {0}", formatCount(row + 1, language))}
              onClick={() => selectRow(lab, row)}
            >
              {formatCount(row + 1, language)}
            </button>
          ))}
          {rows.length > MOST_ROWS && <span>…</span>}
          <button
            type="button"
            class="link"
            onClick={() => lab.set({ tab: "samples", filter: rowsFilter(rows), scroll: 0 })}
          >
            {rows.length === 1
              ? t("Show in the Table")
              : t("Show {0} Rows in the Table", formatCount(rows.length, language))}
          </button>
        </p>
      )}
    </li>
  );
}

function rowsFilter(rows: readonly number[]): string {
  return `row:${rows
    .slice(0, MOST_IN_FILTER)
    .map((row) => row + 1)
    .join(",")}`;
}
