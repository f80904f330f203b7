import { Component } from "preact";
import type { LabFunction, LabRow } from "../../../src/schema/lab";
import { formatScore, type Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import type { Column, PlacedColumn } from "./columns";
import { cellText, changeSpoken, labelText, reasonText, rowSpoken, stateIcon, stateWord } from "./words";

export interface RowProps {
  readonly at: number;
  readonly top: number;
  readonly height: number;
  readonly row: LabRow | null;
  readonly stale: boolean;
  readonly columns: readonly PlacedColumn[];
  readonly functions: readonly LabFunction[];
  /** There is a baseline, so that no change means the same score. */
  readonly compared: boolean;
  readonly selected: boolean;
  readonly pinned: boolean;
  /** Shown column that the cursor is on; null: not this row. */
  readonly activeCol: number | null;
  /** First of its group where rows of a group stand together; null: they don't. */
  readonly firstOfGroup: boolean | null;
  readonly speech: Speech;
}

const NAMES = [
  "at",
  "top",
  "height",
  "row",
  "stale",
  "columns",
  "functions",
  "compared",
  "selected",
  "pinned",
  "activeCol",
  "firstOfGroup",
  "speech",
] as const satisfies readonly (keyof RowProps)[];

export function cellId(at: number, col: number): string {
  return `cell-${at}-${col}`;
}

/** One row of the table. Drawn again only when something in it is another. */
export class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return NAMES.some((name) => next[name] !== this.props[name]);
  }

  override render() {
    const { at, top, height, row, stale, columns, functions, selected, firstOfGroup, speech } = this.props;
    const place = { transform: `translateY(${top}px)`, height: `${height}px` };
    if (!row)
      return (
        <div role="row" aria-rowindex={at + 2} class="table-row waiting" style={place}>
          {columns.map(({ column, left, width }, col) => (
            <div
              key={column.key}
              role="gridcell"
              id={cellId(at, col)}
              class="cell"
              style={{ left: `${left}px`, width: `${width}px` }}
            >
              {col === 0 ? "…" : ""}
            </div>
          ))}
        </div>
      );
    const classes = ["table-row"];
    if (stale) classes.push("stale");
    if (at % 2 === 1 && firstOfGroup === null) classes.push("odd");
    if (firstOfGroup && at > 0) classes.push("first-of-group");
    if (row.state !== null && row.state !== "scored") classes.push("failing");
    return (
      <div
        role="row"
        aria-rowindex={at + 2}
        aria-selected={selected}
        aria-label={rowSpoken(row, functions, speech)}
        class={classes.join(" ")}
        data-at={at}
        data-row={row.row}
        style={place}
      >
        {columns.map((placed, col) => this.#cell(placed, col, row))}
      </div>
    );
  }

  #cell({ column, left, width }: PlacedColumn, col: number, row: LabRow) {
    const { at, activeCol } = this.props;
    const classes = ["cell", `cell-${column.kind}`];
    if (column.numeric) classes.push("number");
    if (activeCol === col) classes.push("active");
    return (
      <div
        key={column.key}
        role="gridcell"
        id={cellId(at, col)}
        aria-colindex={col + 1}
        class={classes.join(" ")}
        style={{ left: `${left}px`, width: `${width}px` }}
        title={this.#title(column, row)}
      >
        {this.#content(column, row)}
      </div>
    );
  }

  #content(column: Column, row: LabRow) {
    const { speech, compared, firstOfGroup, pinned } = this.props;
    const text = cellText(column, row, compared, speech);
    switch (column.kind) {
      case "row":
        return pinned ? (
          <>
            <Icon name="pinned" />
            <span class="said">{speech.t("pinned")}</span> {text}
          </>
        ) : (
          text
        );
      case "group":
        // Of rows that stand together only the first names the group; a screen reader hears it in each.
        return firstOfGroup === false ? <span class="said">{text}</span> : text;
      case "state":
        return (
          <>
            <Icon name={stateIcon(row.state)} /> {text}
          </>
        );
      case "component":
        return this.#component(column, row, text);
      case "label":
        return row.label?.value === "good" || row.label?.value === "bad" ? (
          <>
            <Icon name={row.label.value === "good" ? "thumbsup" : "thumbsdown"} /> {text}
          </>
        ) : (
          text
        );
      case "text":
        return row.reason ? (
          <>
            <span class="reason">{reasonText(row.reason, speech)}</span> {text}
          </>
        ) : (
          text
        );
      default:
        return text;
    }
  }

  #component(column: Column, row: LabRow, text: string) {
    const { speech } = this.props;
    const cell = row.cells[column.index];
    if (!cell) return "–";
    if (cell.state !== "scored")
      return (
        <>
          <Icon name={stateIcon(cell.state)} />
          <span class="said">{stateWord(cell.state, speech)}</span> {text}
        </>
      );
    if (!cell.recovered) return text;
    return (
      <>
        <Icon name="debug-restart" />
        <span class="said">{speech.t("recovered")}</span> {text}
      </>
    );
  }

  #title(column: Column, row: LabRow): string {
    const { speech } = this.props;
    const { t, language } = speech;
    switch (column.kind) {
      case "state":
        return row.reason === null
          ? stateWord(row.state, speech)
          : `${stateWord(row.state, speech)}: ${reasonText(row.reason, speech)}`;
      case "total":
        return row.total === null ? t("No function gave a score.") : "";
      case "component": {
        const cell = row.cells[column.index];
        if (!cell) return t("Not scored in this pass.");
        const said: string[] = [];
        if (cell.state !== "scored") said.push(stateWord(cell.state, speech));
        if (cell.recovered)
          said.push(
            t("Scored alone after its batch had failed: the trainer would never have seen this score."),
          );
        if (cell.before !== undefined)
          said.push(
            cell.before === null
              ? t("No score under the baseline.")
              : t("Under the baseline: {0}", formatScore(cell.before, language)),
          );
        return said.join(" ");
      }
      case "advantage":
        if (row.advantage !== null) return "";
        return row.state === "not-applicable"
          ? t("No function judged this row, so it has no advantage.")
          : t("The trainer never sees this row.");
      case "change":
        return changeSpoken(row, speech);
      case "label":
        if (row.label === null) return "";
        return row.label.source === "data"
          ? t("{0}, from the data", labelText(row.label, speech))
          : row.label.stream === "random"
            ? t("{0}, labelled in random review", labelText(row.label, speech))
            : row.label.stream === "hunting"
              ? t("{0}, labelled while hunting", labelText(row.label, speech))
              : t("{0}, chosen by hand", labelText(row.label, speech));
      case "text":
      case "group":
        return cellText(column, row, true, speech);
      default:
        return "";
    }
  }
}
