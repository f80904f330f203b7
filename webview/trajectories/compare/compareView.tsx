import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatNumber, formatScore } from "../../../src/words/format";
import { Icon, IconButton, Notice } from "../../shared/controls";
import { scrollToShow, type VirtualShape, windowAt } from "../../shared/virtual";
import { oneModel } from "../one/model";
import { Plain, TextBody } from "../one/text";
import { jsonText } from "../one/values";
import type { Viewer } from "../viewer";
import { roleIcon, roleWord } from "../words";
import { type Compared, compareModel, type CompareModel, cellText, likenesses } from "./model";
import { CellView, ColumnHead } from "./cells";
import { WordDiff } from "./wordDiff";

const ROW = 118;
const COLUMN = 250;
const OVERSCAN = 2;

/** Trajectories side by side: the best first, what they share folded, what parts them marked. */
export function CompareView({ viewer }: { readonly viewer: Viewer }) {
  const model = compareModel(viewer);
  const speech = viewer.speech.value;
  const { t } = speech;
  const answer = model.answer.value;
  const inViewer = viewer.greeting.value?.mode === "viewer";
  useEffect(() => {
    if (!inViewer) return undefined;
    // Wherever the focus is: it stays on the button that opened the comparison.
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) model.close();
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [inViewer, model]);
  return (
    <section class="compare" aria-label={t("Comparison")} aria-busy={model.busy.value}>
      <div class="tab-tools compare-tools">
        <strong>
          {answer?.group === null || answer === null ? (
            t("Comparison")
          ) : (
            <Plain text={t("group {0}", answer.group)} />
          )}
        </strong>
        {answer && (
          <span class="quiet">
            {t("{0} trajectories", answer.columns.length)}
            {answer.mean !== null &&
              ` · ${t("mean {0}", formatScore(answer.mean, speech.language))} · ${t("standard deviation {0}", formatNumber(answer.std, speech.language))}`}
          </span>
        )}
        {answer && <RuleChoice viewer={viewer} answer={answer} />}
        <span class="grow" />
        {answer && (
          <button
            type="button"
            class="verb"
            disabled={answer.columns.length < 2}
            title={t("The best and the worst in VS Code's own diff editor")}
            onClick={() => {
              const ends = [answer.columns[0], answer.columns.at(-1)];
              void viewer.act(
                "diff",
                ends.flatMap((one) => (one ? [one.row.index] : [])),
              );
            }}
          >
            <Icon name="diff" /> <span class="verb-text">{t("Diff Best and Worst")}</span>
          </button>
        )}
        {inViewer && answer && (
          <button
            type="button"
            class="verb"
            onClick={() =>
              void viewer.act(
                "compare",
                answer.columns.map(({ row }) => row.index),
              )
            }
          >
            <Icon name="link-external" /> <span class="verb-text">{t("Open in a Panel")}</span>
          </button>
        )}
        {inViewer && (
          <IconButton icon="close" label={t("Close the Comparison")} onClick={() => model.close()} />
        )}
      </div>
      {model.failure.value !== null && (
        <p class="bar" role="alert">
          <Icon name="error" /> {t("The trajectories could not be compared: {0}", model.failure.value)}{" "}
          <button type="button" class="link" onClick={() => void model.load()}>
            {t("Try Again")}
          </button>
        </p>
      )}
      {answer === null ? (
        model.failure.value === null && (
          <p class="notice quiet">
            {viewer.comparing.value === null
              ? t("Nothing to compare: choose a group in the trajectory viewer.")
              : t("Comparing…")}
          </p>
        )
      ) : answer.columns.length < 2 ? (
        <Notice icon="split-horizontal" title={t("Nothing to compare with")}>
          <p>{t("This trajectory is alone in its group. Mark others with x in the list to compare them.")}</p>
        </Notice>
      ) : (
        <>
          <Shared viewer={viewer} model={model} answer={answer} />
          <Grid viewer={viewer} model={model} answer={answer} />
          <Below viewer={viewer} model={model} answer={answer} />
        </>
      )}
    </section>
  );
}

interface PartProps {
  readonly viewer: Viewer;
  readonly model: CompareModel;
  readonly answer: Compared;
}

function RuleChoice({ viewer, answer }: { readonly viewer: Viewer; readonly answer: Compared }) {
  const { t } = viewer.speech.value;
  const chosen = answer.rules.find(({ id }) => id === answer.rule);
  return (
    <label class="rule">
      {t("Advantage by")}{" "}
      <select
        value={answer.rule}
        title={chosen?.title ?? ""}
        onChange={(event) => viewer.set({ rule: event.currentTarget.value })}
      >
        {answer.rules.map(({ id, title, missing }) => (
          <option key={id} value={id} disabled={missing !== null} title={title}>
            {missing === null ? id : t("{0} (needs {1})", id, missing)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Shared({ viewer, model, answer }: PartProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  if (answer.shared === 0) return null;
  const shared = model.shared.value;
  return (
    <details
      class="shared-part"
      onToggle={(event) => {
        if (event.currentTarget.open && shared === null) void model.showShared();
      }}
    >
      <summary>{t("{0} messages in common", formatCount(answer.shared, speech.language))}</summary>
      <div class="shared-messages" tabIndex={0} role="region" aria-label={t("Messages in common")}>
        {shared === null && <p class="quiet">{t("Reading…")}</p>}
        {(shared ?? []).map((message) => (
          <div key={message.position} class={`shared-message role-${message.role}`}>
            <div class="message-role">
              <Icon name={roleIcon(message.role)} /> {roleWord(message.role, speech)}
            </div>
            {message.parts.map((part, at) => (
              <TextBody
                key={at}
                text={
                  part.type === "text"
                    ? part.text
                    : part.type === "image"
                      ? t("[image]")
                      : jsonText(part.value)
                }
                markdown={false}
              />
            ))}
            {message.calls.map((call, at) => (
              <pre key={at} class="call-raw">
                <Plain text={`${call.name}(${call.raw ?? jsonText(call.arguments)})`} />
              </pre>
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}

/** A grid of cells of which only those on screen exist, in both directions. One tab stop. */
function Grid({ viewer, model, answer }: PartProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const { columns, lines } = answer;
  const active = model.active.value;
  const first = model.first.value;
  const second = model.second.value;
  const scroller = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ top: 0, left: 0 });
  const [size, setSize] = useState({ width: 900, height: 500, head: 120 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void =>
      setSize({
        width: element.clientWidth,
        height: element.clientHeight,
        head: head.current?.offsetHeight ?? 120,
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (head.current) observer.observe(head.current);
    return () => observer.disconnect();
  }, []);
  const width = Math.max(COLUMN, Math.floor((size.width - 2) / Math.max(1, columns.length)));
  const down: VirtualShape = {
    count: lines.length,
    rowHeight: ROW,
    viewport: Math.max(ROW, size.height - size.head),
  };
  const across: VirtualShape = {
    count: columns.length,
    rowHeight: width,
    viewport: Math.max(width, size.width),
  };
  const rows = windowAt(down, at.top, OVERSCAN);
  const cols = windowAt(across, at.left, 1);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = scrollToShow(down, element.scrollTop, active.line);
    element.scrollLeft = scrollToShow(across, element.scrollLeft, active.col);
  }, [active]);
  const move = (line: number, col: number): void => {
    model.active.value = {
      line: Math.min(Math.max(0, line), lines.length - 1),
      col: Math.min(Math.max(0, col), columns.length - 1),
    };
  };
  const page = Math.max(1, Math.floor(down.viewport / ROW) - 1);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey) return;
    const { line, col } = active;
    const far = event.ctrlKey || event.metaKey;
    switch (event.key) {
      case "ArrowDown":
        move(line + 1, col);
        break;
      case "ArrowUp":
        move(line - 1, col);
        break;
      case "ArrowRight":
        move(line, col + 1);
        break;
      case "ArrowLeft":
        move(line, col - 1);
        break;
      case "PageDown":
        move(line + page, col);
        break;
      case "PageUp":
        move(line - page, col);
        break;
      case "Home":
        move(far ? 0 : line, 0);
        break;
      case "End":
        move(far ? lines.length - 1 : line, columns.length - 1);
        break;
      case "Enter":
        void model.open(active);
        break;
      case "d":
        model.pair(active);
        break;
      case "Escape":
        if (viewer.greeting.value?.mode !== "viewer") return;
        model.close();
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  const rowIndexes = Array.from({ length: rows.last - rows.first }, (_, i) => rows.first + i);
  const colIndexes = Array.from({ length: cols.last - cols.first }, (_, i) => cols.first + i);
  const visible =
    active.line >= rows.first &&
    active.line < rows.last &&
    active.col >= cols.first &&
    active.col < cols.last;
  const full = columns.length * width;
  return (
    <div
      class="compare-grid"
      role="grid"
      aria-label={t(
        "Messages side by side. Arrows move, Enter shows a message whole, d on two of them shows what differs.",
      )}
      aria-rowcount={lines.length + 1}
      aria-colcount={columns.length}
      tabIndex={0}
      ref={scroller}
      {...(visible ? { "aria-activedescendant": `compare-${active.line}-${active.col}` } : {})}
      onKeyDown={onKeyDown}
      onScroll={(event) =>
        setAt({ top: event.currentTarget.scrollTop, left: event.currentTarget.scrollLeft })
      }
    >
      <div class="compare-heads" role="row" aria-rowindex={1} ref={head} style={{ width: `${full}px` }}>
        {columns.map((column, col) => (
          <div
            key={column.row.index}
            role="columnheader"
            aria-colindex={col + 1}
            class={`compare-head${column.mark === null ? "" : ` ${column.mark}`}`}
            style={{ width: `${width}px` }}
          >
            <ColumnHead column={column} speech={speech} />
          </div>
        ))}
      </div>
      <div class="compare-rows" role="rowgroup" style={{ height: `${rows.height}px`, width: `${full}px` }}>
        {rowIndexes.map((line) => {
          const cells = lines[line] ?? [];
          const alike = likenesses(cells);
          const parts = line === answer.parts;
          return (
            <div
              key={line}
              role="row"
              aria-rowindex={line + 2}
              class={`compare-row${parts ? " parts" : ""}`}
              style={{ transform: `translateY(${rows.top(line)}px)`, height: `${ROW}px` }}
            >
              {colIndexes.map((col) => {
                const cell = cells[col] ?? null;
                const chosen =
                  (first?.line === line && first.col === col) ||
                  (second?.line === line && second.col === col);
                const mark = columns[col]?.mark ?? null;
                const letter = alike[col] ?? null;
                return (
                  <div
                    key={col}
                    id={`compare-${line}-${col}`}
                    role="gridcell"
                    aria-colindex={col + 1}
                    aria-selected={chosen}
                    class={`compare-cell${cell ? ` role-${cell.role}` : " none"}${letter === null ? "" : " alike"}${chosen ? " chosen" : ""}${line === active.line && col === active.col ? " active" : ""}${mark === null ? "" : ` ${mark}`}`}
                    style={{ left: `${col * width}px`, width: `${width}px` }}
                    onClick={() => move(line, col)}
                    onDblClick={() => void model.open({ line, col })}
                  >
                    {cell ? (
                      <CellView
                        cell={cell}
                        letter={letter}
                        parts={parts && col === cells.findIndex((one) => one !== null)}
                        speech={speech}
                      />
                    ) : (
                      <span class="quiet">–</span>
                    )}
                  </div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** What separates them, and the message or the pair that was asked for. */
function Below({ viewer, model, answer }: PartProps) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const first = model.first.value ? model.cell(model.first.value) : null;
  const second = model.second.value ? model.cell(model.second.value) : null;
  const opened = model.opened.value;
  const inViewer = viewer.greeting.value?.mode === "viewer";
  const index = answer.columns[model.active.value.col]?.row.index;
  return (
    <div
      class="compare-below"
      tabIndex={0}
      role="region"
      aria-label={t("What separates them, and the chosen messages")}
    >
      <h2>{t("What separates them")}</h2>
      {answer.separatedBy.length === 0 ? (
        <p class="quiet">{t("No component differs between them, or the file has none.")}</p>
      ) : (
        <ul class="shares">
          {answer.separatedBy.map(({ component, share }) => (
            <li key={component}>
              <span class="bucket-name">
                <Plain text={component} />
              </span>
              <span class="bucket-bar" aria-hidden="true">
                <span class="bucket-sure" style={{ width: `${share * 100}%` }} />
              </span>
              <span class="bucket-count">{t("{0} %", Math.round(share * 100))}</span>
            </li>
          ))}
        </ul>
      )}
      {first && second ? (
        <>
          <h2>{t("Difference")}</h2>
          <WordDiff a={cellText(first)} b={cellText(second)} speech={speech} />
        </>
      ) : first ? (
        <p class="quiet">{t("One message is chosen. Press d on another to see what differs.")}</p>
      ) : null}
      {opened && (
        <>
          <h2>
            {t("Message {0}, {1}", opened.position + 1, roleWord(opened.role, speech))}{" "}
            {inViewer && index !== undefined && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  const { position } = opened;
                  model.close();
                  viewer.oneTab.value = "conversation";
                  if (viewer.state.value.index === index) oneModel(viewer).goTo(position, true);
                  else viewer.open(index, 0, position);
                }}
              >
                {t("Open in the Conversation")}
              </button>
            )}
          </h2>
          {opened.reasoning !== null && (
            <TextBody text={opened.reasoning} markdown={false} label={t("reasoning")} />
          )}
          {opened.parts.map((part, at) => (
            <TextBody
              key={at}
              text={
                part.type === "text" ? part.text : part.type === "image" ? t("[image]") : jsonText(part.value)
              }
              markdown={false}
            />
          ))}
          {opened.calls.map((call, at) => (
            <pre key={at} class="call-raw">
              <Plain text={`${call.name}(${call.raw ?? jsonText(call.arguments)})`} />
            </pre>
          ))}
          {opened.error !== null && <TextBody text={opened.error} markdown={false} />}
          {opened.cut.length > 0 && (
            <p class="quiet">{t("The message is longer; the conversation has all of it.")}</p>
          )}
        </>
      )}
    </div>
  );
}
