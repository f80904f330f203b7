import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { TRAJECTORY_TABLE } from "../../src/core/query/trajectoryFields";
import { fieldName } from "../../src/core/query/suggest";
import { filterErrorInWords } from "../../src/words/filter";
import { formatCount, type Speech } from "../../src/words/format";
import { accept, type Choice, choicesAt, historyChoices, remember } from "../lab/filterWords";
import { Icon, IconButton, usePopover } from "../shared/controls";
import { useDismiss } from "../shared/dismiss";
import { listModel } from "./list/model";
import type { Viewer } from "./viewer";

const TYPING_MS = 120;
const SAY_MS = 600;

/** Filters of this session. */
const histories = new WeakMap<Viewer, string[]>();

/** The filter box: a combobox over fields, values and earlier filters; its error below. */
export function Filter({ viewer }: { readonly viewer: Viewer }) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const kept = viewer.state.value.query.filter;
  const problem = viewer.filterProblem.value;
  const [text, setText] = useState(kept);
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const [asked, setAsked] = useState(false);
  const [history, setHistory] = useState(false);
  const [help, setHelp] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const helpBox = useRef<HTMLDivElement>(null);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  // Set elsewhere: a step, a bucket.
  useEffect(() => {
    if (typing.current === undefined && kept !== text) setText(kept);
  }, [kept]);
  useMatchesSaid(viewer);

  const functions = viewer.info.value?.components ?? [];
  const columns = viewer.info.value?.metrics ?? [];
  const suggestions = useMemo<readonly Choice[]>(() => {
    if (history) return historyChoices(text, histories.get(viewer) ?? []);
    return caret === null
      ? []
      : choicesAt(text, caret, { functions, columns, table: TRAJECTORY_TABLE }, asked);
  }, [history, caret, asked, text, functions.join("\n"), columns.join("\n")]);
  const open = suggestions.length > 0;
  usePopover(list, box, open);
  usePopover(helpBox, box, help);
  useDismiss(help, [box, helpBox], (byKey) => {
    setHelp(false);
    if (byKey) input.current?.focus();
  });
  const close = (): void => {
    setCaret(null);
    setAsked(false);
    setHistory(false);
    setChosen(-1);
  };
  const apply = (value: string, now: boolean): void => {
    setText(value);
    clearTimeout(typing.current);
    const send = (): void => {
      typing.current = undefined;
      const { query } = viewer.state.value;
      if (value !== query.filter) viewer.set({ query: { ...query, filter: value } });
    };
    if (now) send();
    else typing.current = setTimeout(send, TYPING_MS);
  };
  const done = (): void => {
    histories.set(viewer, remember(histories.get(viewer) ?? [], text));
  };
  const take = (choice: Choice): void => {
    const next = accept(text, choice);
    apply(next.text, true);
    close();
    const element = input.current;
    if (!element) return;
    element.value = next.text;
    element.focus();
    element.setSelectionRange(next.caret, next.caret);
    // Behind a field's colon its values are the next question.
    if (choice.kind !== "history" && next.text.at(next.caret - 1) === ":") setCaret(next.caret);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const size = suggestions.length;
    const picked = suggestions[chosen];
    switch (event.key) {
      case "ArrowDown":
        if (open) setChosen((chosen + 1) % size);
        else if (text.trim() === "" && (histories.get(viewer) ?? []).length > 0) setHistory(true);
        else {
          setAsked(true);
          setCaret(input.current?.selectionStart ?? text.length);
        }
        break;
      case "ArrowUp":
        if (!open) return;
        setChosen(chosen <= 0 ? size - 1 : chosen - 1);
        break;
      case "Enter":
        if (open && picked) take(picked);
        else {
          apply(text, true);
          done();
          close();
        }
        break;
      case "Tab":
        if (!open || !picked) return;
        take(picked);
        break;
      case "Escape":
        if (open) close();
        else if (text !== "") {
          done();
          apply("", true);
        } else return;
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  const active = open && chosen >= 0 ? `filter-option-${chosen}` : undefined;
  return (
    <div class="filter" role="search" aria-label={t("Filter the trajectories")}>
      <div class={`filter-box${problem ? " wrong" : ""}`} ref={box}>
        <Icon name="filter" />
        <input
          id="filter"
          ref={input}
          type="text"
          role="combobox"
          spellcheck={false}
          autocomplete="off"
          maxLength={2000}
          value={text}
          placeholder={t("filter: reward<0.2 outcome:length")}
          aria-label={t("Filter")}
          aria-autocomplete="list"
          aria-expanded={open}
          aria-controls="filter-options"
          aria-invalid={problem !== null}
          {...(active === undefined ? {} : { "aria-activedescendant": active })}
          {...(problem ? { "aria-describedby": "filter-error" } : {})}
          onInput={(event) => {
            const element = event.currentTarget;
            close();
            setCaret(element.selectionStart ?? element.value.length);
            apply(element.value, false);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => {
            done();
            close();
          }}
        />
        {text !== "" && (
          <IconButton
            icon="close"
            label={t("Clear Filter")}
            onClick={() => {
              apply("", true);
              input.current?.focus();
            }}
          />
        )}
        <IconButton
          icon="question"
          label={t("What can be filtered")}
          pressed={help}
          onClick={() => setHelp(!help)}
        />
        <ul
          id="filter-options"
          role="listbox"
          class="filter-options"
          popover="manual"
          ref={list}
          aria-label={history ? t("Earlier filters") : t("Fields and values")}
        >
          {suggestions.map((choice, index) => (
            <li
              key={choice.text}
              id={`filter-option-${index}`}
              role="option"
              aria-selected={index === chosen}
              // Before the box loses the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                take(choice);
              }}
            >
              <Icon name={iconOf(choice.kind)} /> {choice.text}
            </li>
          ))}
        </ul>
      </div>
      {problem && (
        <p id="filter-error" class="filter-error" role="alert">
          <Icon name="error" />{" "}
          {t("At character {0}: {1}", problem.from + 1, filterErrorInWords(problem, speech))}{" "}
          <button
            type="button"
            class="link"
            onClick={() => {
              input.current?.focus();
              input.current?.setSelectionRange(problem.from, problem.to);
            }}
          >
            {t("Show")}
          </button>
        </p>
      )}
      <div class="filter-help" popover="manual" ref={helpBox}>
        {help && (
          <Help
            functions={functions}
            columns={columns}
            speech={speech}
            onTake={(example) => {
              apply(example, true);
              setHelp(false);
              input.current?.focus();
            }}
          />
        )}
      </div>
    </div>
  );
}

function iconOf(kind: Choice["kind"]): string {
  switch (kind) {
    case "history":
      return "history";
    case "value":
      return "symbol-enum-member";
    case "function":
      return "symbol-function";
    case "keyword":
      return "symbol-keyword";
    case "column":
    case "field":
    case "flag":
      return "symbol-field";
  }
}

function means(name: string, { t }: Speech): string {
  switch (name) {
    case "reward":
      return t("reward as the file has it");
    case "advantage":
      return t("as the trainer wrote it");
    case "now":
      return t("total by the open reward");
    case "state":
      return t("state of that score");
    case "outcome":
      return t("how the rollout ended");
    case "step":
      return t("training step, or a range of them");
    case "split":
      return t("train, val or as the file says");
    case "group":
      return t("trajectories of one group");
    case "id":
      return t("the one of that identity");
    case "task":
      return t("the task contains it");
    case "title":
      return t("the beginning contains it");
    case "file":
      return t("the file's name contains it");
    case "label":
      return t("good, bad, any, none, or a number");
    case "turns":
      return t("messages of the model");
    case "messages":
      return t("messages of all branches");
    case "calls":
      return t("tool calls");
    case "toolErrors":
      return t("tool answers that are errors");
    case "branches":
      return t("branches");
    case "tokens":
      return t("tokens, where they are counted");
    case "characters":
      return t("characters of all text");
    case "ms":
      return t("milliseconds it took");
    case "cost":
      return t("cost as the file has it");
    case "row":
      return t("trajectories by number, from 1");
    default:
      return "";
  }
}

interface HelpProps {
  readonly functions: readonly string[];
  readonly columns: readonly string[];
  readonly speech: Speech;
  readonly onTake: (example: string) => void;
}

function Help({ functions, columns, speech, onTake }: HelpProps) {
  const { t } = speech;
  const [first] = functions;
  const [column] = columns;
  const rows = [
    ...TRAJECTORY_TABLE.fields.map(({ name, example }) => ({ example, text: means(name, speech) })),
    ...(first === undefined ? [] : [{ example: `${fieldName(first)}>=1`, text: t("a reward component") }]),
    ...(column === undefined ? [] : [{ example: `${fieldName(column)}>0`, text: t("a metric") }]),
    {
      example: "failing",
      text: t("also: {0}", TRAJECTORY_TABLE.flags.filter((flag) => flag !== "failing").join(", ")),
    },
    { example: "truncated or failing", text: t("either; with nothing between them both must hold") },
    { example: "-truncated", text: t("all others") },
  ];
  return (
    <section aria-label={t("What can be filtered")}>
      <dl>
        {rows.map(({ example, text }) => (
          <div key={example}>
            <dt>
              <button type="button" class="link" title={t("Filter by this")} onClick={() => onTake(example)}>
                <code>{example}</code>
              </button>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        {t("What a trajectory doesn't have matches no comparison. There are no regular expressions.")}
      </p>
    </section>
  );
}

/** Says politely how many trajectories a new filter let through, once typing has paused. */
function useMatchesSaid(viewer: Viewer): void {
  const model = listModel(viewer);
  const { pages } = model.shown.value;
  const { filter } = viewer.state.value.query;
  const heard = useRef(filter);
  useEffect(() => {
    if (pages.total === null || heard.current === filter || pages.stale) return;
    const timer = setTimeout(() => {
      heard.current = filter;
      const { t, language } = viewer.speech.value;
      viewer.say(
        t(
          "matched {0} of {1}",
          formatCount(pages.total ?? 0, language),
          formatCount(viewer.rows.value, language),
        ),
      );
    }, SAY_MS);
    return () => clearTimeout(timer);
  }, [filter, pages.total, pages.stale]);
}
