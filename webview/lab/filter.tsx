import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { filterErrorInWords } from "../../src/words/filter";
import { formatCount } from "../../src/words/format";
import { Icon, IconButton, usePopover } from "../shared/controls";
import { useDismiss } from "../shared/dismiss";
import { FilterHelp } from "./filterHelp";
import { accept, type Choice, choicesAt, historyChoices, remember } from "./filterWords";
import type { Lab } from "./lab";
import { tableModel } from "./table/model";

const TYPING_MS = 90;
const SAY_MS = 600;

/** The filter whose matches were said last: of one set in another tab they are said where it is first seen. */
const heard = new WeakMap<Lab, string>();

/** Filters of this session. */
const histories = new WeakMap<Lab, string[]>();

/** The filter box: a combobox over fields, values and earlier filters; its error and what it matched below. */
export function Filter({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  const model = tableModel(lab);
  const { facts, filterError } = model.shown.value.store;
  const kept = lab.state.value.filter;
  const [text, setText] = useState(kept);
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const [asked, setAsked] = useState(false);
  const [history, setHistory] = useState(false);
  const [help, setHelp] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  // Set elsewhere: a group's Enter, a bar of a picture.
  useEffect(() => {
    if (typing.current === undefined && kept !== text) setText(kept);
  }, [kept]);

  // The one that a page begins with is no news.
  if (!heard.has(lab)) heard.set(lab, kept);
  const names = facts?.functions.map((fn) => fn.name) ?? [];
  const columns = facts?.columns ?? [];
  const suggestions = useMemo<readonly Choice[]>(() => {
    if (history) return historyChoices(text, histories.get(lab) ?? []);
    return caret === null ? [] : choicesAt(text, caret, { functions: names, columns }, asked);
  }, [history, caret, asked, text, names.join("\n"), columns.join("\n"), lab]);
  const open = suggestions.length > 0;
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const helpBox = useRef<HTMLDivElement>(null);
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
      if (value !== lab.state.value.filter) lab.set({ filter: value, scroll: 0 });
    };
    if (now) send();
    else typing.current = setTimeout(send, TYPING_MS);
  };
  const done = (): void => {
    histories.set(lab, remember(histories.get(lab) ?? [], text));
  };
  const take = (suggestion: Choice): void => {
    const next = accept(text, suggestion);
    apply(next.text, true);
    close();
    const element = input.current;
    if (!element) return;
    element.value = next.text;
    element.focus();
    element.setSelectionRange(next.caret, next.caret);
    // Behind a field's colon its values are the next question.
    if (suggestion.kind !== "history" && next.text.at(next.caret - 1) === ":") setCaret(next.caret);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = (by: 1 | -1): number =>
      chosen === -1
        ? by === 1
          ? 0
          : suggestions.length - 1
        : (chosen + by + suggestions.length) % suggestions.length;
    const picked = suggestions[chosen];
    switch (event.key) {
      case "ArrowDown":
        if (open) setChosen(next(1));
        else if (text.trim() === "" && (histories.get(lab) ?? []).length > 0) setHistory(true);
        else {
          setAsked(true);
          setCaret(input.current?.selectionStart ?? text.length);
        }
        break;
      case "ArrowUp":
        if (!open) return;
        setChosen(next(-1));
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

  useMatchesSaid(lab, help);
  const active = open && chosen >= 0 ? `filter-option-${chosen}` : undefined;
  return (
    <div class="filter" role="search" aria-label={t("Filter the samples")}>
      <div class={`filter-box${filterError ? " wrong" : ""}`} ref={box}>
        <Icon name="filter" />
        <input
          id="filter"
          ref={input}
          type="text"
          role="combobox"
          spellcheck={false}
          autocomplete="off"
          value={text}
          placeholder={t("filter: state:raised or flip")}
          aria-label={t("Filter")}
          aria-autocomplete="list"
          aria-expanded={open}
          aria-controls="filter-options"
          aria-invalid={filterError !== null}
          {...(active === undefined ? {} : { "aria-activedescendant": active })}
          {...(filterError ? { "aria-describedby": "filter-error" } : {})}
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
          {suggestions.map((suggestion, index) => (
            <li
              key={suggestion.text}
              id={`filter-option-${index}`}
              role="option"
              aria-selected={index === chosen}
              // Before the box loses the focus.
              onPointerDown={(event) => {
                event.preventDefault();
                take(suggestion);
              }}
            >
              <Icon name={choiceIcon(suggestion.kind)} /> {suggestion.text}
            </li>
          ))}
        </ul>
      </div>
      {filterError && (
        <p id="filter-error" class="filter-error" role="alert">
          <Icon name="error" />{" "}
          {t(
            "At character {0}: {1}",
            filterError.from + 1,
            filterErrorInWords(filterError, lab.speech.value),
          )}{" "}
          <button
            type="button"
            class="link"
            onClick={() => {
              input.current?.focus();
              input.current?.setSelectionRange(filterError.from, filterError.to);
            }}
          >
            {t("Show")}
          </button>
        </p>
      )}
      <div class="filter-help" popover="manual" ref={helpBox}>
        {help && (
          <FilterHelp
            functions={names}
            columns={columns}
            speech={lab.speech.value}
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

function choiceIcon(kind: Choice["kind"]): string {
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

/** Says politely how many rows a new filter let through, once typing has paused. */
function useMatchesSaid(lab: Lab, quiet: boolean): void {
  const model = tableModel(lab);
  const { store } = model.shown.value;
  const { facts } = store;
  const matched = facts?.matched;
  const { filter } = lab.state.value;
  useEffect(() => {
    if (facts === null || quiet || heard.get(lab) === filter || store.stale) return;
    const timer = setTimeout(() => {
      heard.set(lab, filter);
      const { t, language } = lab.speech.value;
      lab.say(
        t("matched {0} of {1}", formatCount(facts.matched, language), formatCount(facts.rows, language)),
      );
    }, SAY_MS);
    return () => clearTimeout(timer);
  }, [filter, matched, store.stale]);
}

/** What the filter let through, and how the table is drawn. */
export function TableTools({ lab }: { readonly lab: Lab }) {
  const { t, language } = lab.speech.value;
  const model = tableModel(lab);
  const { facts } = model.shown.value.store;
  const { grouped } = lab.state.value;
  const menu = model.menu.value;
  const below = (button: HTMLElement): { readonly x: number; readonly y: number } => {
    const { left, bottom } = button.getBoundingClientRect();
    return { x: left, y: bottom };
  };
  return (
    <div class="table-tools">
      <span class="quiet matched">
        {facts &&
          t("matched {0} of {1}", formatCount(facts.matched, language), formatCount(facts.rows, language))}
      </span>
      <IconButton
        icon="group-by-ref-type"
        label={t("Rows of a Group Together")}
        pressed={grouped}
        onClick={() => {
          lab.set({ grouped: !grouped, scroll: 0 });
          lab.say(grouped ? t("Rows in their own order") : t("Rows of a group stand together"));
        }}
      />
      <IconButton
        icon="list-selection"
        label={t("Columns")}
        menu
        expanded={menu?.kind === "columns"}
        onClick={(button) => (model.menu.value = { kind: "columns", col: null, ...below(button) })}
      />
      <IconButton
        icon="copy"
        label={t("Copy Rows")}
        menu
        expanded={menu?.kind === "copy"}
        onClick={(button) => (model.menu.value = { kind: "copy", ...below(button) })}
      />
    </div>
  );
}
