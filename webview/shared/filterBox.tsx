import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FilterNames } from "../../src/core/query/fields";
import type { FilterProblem } from "../../src/schema/filter";
import { filterErrorInWords } from "../../src/words/filter";
import type { Speech } from "../../src/words/format";
import { Icon, IconButton, usePopover } from "./controls";
import { useDismiss } from "./dismiss";
import { accept, type Choice, choicesAt, historyChoices, remember } from "./filterWords";

/** Filters of this session, by the page's model. */
const histories = new WeakMap<object, string[]>();

export interface FilterBoxProps {
  /** Whose filters of the session are offered again. */
  readonly owner: object;
  readonly speech: Speech;
  /** The filter that is in force. */
  readonly kept: string;
  readonly problem: FilterProblem | null;
  readonly names: FilterNames;
  /** Of the region, for screen readers. */
  readonly label: string;
  readonly placeholder: string;
  /** Milliseconds without a key after which a filter that is being typed is in force. */
  readonly typingMs: number;
  readonly maxLength?: number;
  /** The help is open. */
  readonly help: boolean;
  readonly onHelp: (open: boolean) => void;
  readonly onFilter: (value: string) => void;
  /** The help; an example that is taken becomes the filter. */
  readonly helpFor: (take: (example: string) => void) => ComponentChildren;
}

/** A combobox over fields, values and earlier filters; its error below, its help beside it. */
export function FilterBox({
  owner,
  speech,
  kept,
  problem,
  names,
  label,
  placeholder,
  typingMs,
  maxLength,
  help,
  onHelp,
  onFilter,
  helpFor,
}: FilterBoxProps) {
  const { t } = speech;
  const [text, setText] = useState(kept);
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const [asked, setAsked] = useState(false);
  const [history, setHistory] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  // Set elsewhere: a group's Enter, a bar of a picture, a step.
  useEffect(() => {
    if (typing.current === undefined && kept !== text) setText(kept);
  }, [kept]);

  const suggestions = useMemo<readonly Choice[]>(() => {
    if (history) return historyChoices(text, histories.get(owner) ?? []);
    return caret === null ? [] : choicesAt(text, caret, names, asked);
  }, [history, caret, asked, text, names.functions.join("\n"), names.columns.join("\n"), owner]);
  const open = suggestions.length > 0;
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const helpBox = useRef<HTMLDivElement>(null);
  usePopover(list, box, open);
  usePopover(helpBox, box, help);
  useDismiss(help, [box, helpBox], (byKey) => {
    onHelp(false);
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
      onFilter(value);
    };
    if (now) send();
    else typing.current = setTimeout(send, typingMs);
  };
  const done = (): void => {
    histories.set(owner, remember(histories.get(owner) ?? [], text));
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
        else if (text.trim() === "" && (histories.get(owner) ?? []).length > 0) setHistory(true);
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

  const active = open && chosen >= 0 ? `filter-option-${chosen}` : undefined;
  return (
    <div class="filter" role="search" aria-label={label}>
      <div class={`filter-box${problem ? " wrong" : ""}`} ref={box}>
        <Icon name="filter" />
        <input
          id="filter"
          ref={input}
          type="text"
          role="combobox"
          spellcheck={false}
          autocomplete="off"
          value={text}
          {...(maxLength === undefined ? {} : { maxLength })}
          placeholder={placeholder}
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
          onClick={() => onHelp(!help)}
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
        {help &&
          helpFor((example) => {
            apply(example, true);
            onHelp(false);
            input.current?.focus();
          })}
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

export interface FilterExample {
  readonly example: string;
  readonly means: string;
}

interface FilterExamplesProps {
  readonly rows: readonly FilterExample[];
  readonly speech: Speech;
  readonly onTake: (example: string) => void;
  /** What stands below them. */
  readonly children: ComponentChildren;
}

/** Fields of a filter with an example of each; an example can be taken. */
export function FilterExamples({ rows, speech, onTake, children }: FilterExamplesProps) {
  const { t } = speech;
  return (
    <section aria-label={t("What can be filtered")}>
      <dl>
        {rows.map(({ example, means }) => (
          <div key={example}>
            <dt>
              <button type="button" class="link" title={t("Filter by this")} onClick={() => onTake(example)}>
                <code>{example}</code>
              </button>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{children}</p>
    </section>
  );
}
