import { Component } from "preact";
import type { TrajectoryRow } from "../../../src/schema/trajectory";
import type { Speech } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { Visible } from "../../shared/visibleText";
import { cellText, flagWord, groupName, middleCut, outcomeIcon, rowSpoken } from "../words";
import type { PlacedColumn } from "./columns";

export interface RowProps {
  readonly at: number;
  readonly top: number;
  readonly height: number;
  readonly row: TrajectoryRow | null;
  readonly stale: boolean;
  readonly columns: readonly PlacedColumn[];
  readonly selected: boolean;
  readonly marked: boolean;
  /** Shown column that the cursor is on; null: not this row. */
  readonly activeCol: number | null;
  /** The source's file where there is one alone: groups needn't be told apart by it. */
  readonly file: string | null;
  readonly speech: Speech;
}

const NAMES = [
  "at",
  "top",
  "height",
  "row",
  "stale",
  "columns",
  "selected",
  "marked",
  "activeCol",
  "file",
  "speech",
] as const satisfies readonly (keyof RowProps)[];

const PADDING = 12;
/** Pixels of a character on average. */
const CHARACTER = 7;

export function cellId(at: number, col: number): string {
  return `cell-${at}-${col}`;
}

/** One row of the list. Drawn again only when something in it is another. */
export class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return NAMES.some((name) => next[name] !== this.props[name]);
  }

  override render() {
    const { at, top, height, row, stale, columns, selected, speech } = this.props;
    const place = { transform: `translateY(${top}px)`, height: `${height}px` };
    const classes = ["table-row"];
    if (at % 2 === 1) classes.push("odd");
    if (stale) classes.push("stale");
    if (!row) classes.push("waiting");
    return (
      <div
        role="row"
        aria-rowindex={at + 2}
        aria-selected={selected}
        {...(row ? { "aria-label": rowSpoken(row, speech), "data-index": row.index } : {})}
        class={classes.join(" ")}
        data-at={at}
        style={place}
      >
        {columns.map((placed, col) => this.#cell(placed, col, row))}
      </div>
    );
  }

  #cell({ column, left, width }: PlacedColumn, col: number, row: TrajectoryRow | null) {
    const { at, activeCol, speech } = this.props;
    const classes = ["cell", `cell-${column.kind}`];
    if (column.numeric) classes.push("number");
    if (activeCol === col) classes.push("active");
    const text = row ? cellText(column, row, speech) : col === 0 ? "…" : "";
    return (
      <div
        key={column.key}
        role="gridcell"
        id={cellId(at, col)}
        aria-colindex={col + 1}
        class={classes.join(" ")}
        style={{ left: `${left}px`, width: `${width}px` }}
        {...(column.kind === "title" || column.kind === "group" ? { title: text } : {})}
      >
        {row ? this.#content(column.kind, text, row, width) : text}
      </div>
    );
  }

  #content(kind: PlacedColumn["column"]["kind"], text: string, row: TrajectoryRow, width: number) {
    const { marked, file, speech } = this.props;
    switch (kind) {
      case "group":
        return <Visible text={middleCut(groupName(text, file), Math.floor((width - PADDING) / CHARACTER))} />;
      case "index":
        return marked ? (
          <>
            <Icon name="diff" />
            <span class="said">{speech.t("marked")}</span> {text}
          </>
        ) : (
          text
        );
      case "outcome":
        return (
          <>
            <Icon name={outcomeIcon(row.outcome)} /> {text}
          </>
        );
      case "toolErrors":
        return row.toolErrors > 0 ? <>✗ {text}</> : text;
      case "label":
        return row.label === "good" ? (
          <>
            <Icon name="thumbsup" /> {text}
          </>
        ) : row.label === "bad" ? (
          <>
            <Icon name="thumbsdown" /> {text}
          </>
        ) : (
          text
        );
      case "title":
        return (
          <>
            {row.flags.includes("error") && (
              <span class="row-flag" title={flagWord("error", speech)}>
                <Icon name="error" />{" "}
              </span>
            )}
            {row.flags.includes("excluded") && (
              <span class="row-flag" title={flagWord("excluded", speech)}>
                <Icon name="circle-slash" />{" "}
              </span>
            )}
            <Visible text={text} />
          </>
        );
      default:
        return <Visible text={text} />;
    }
  }
}
