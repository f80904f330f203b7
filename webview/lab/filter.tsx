import { useEffect, useState } from "preact/hooks";
import { formatCount } from "../../src/words/format";
import { IconButton } from "../shared/controls";
import { FilterBox } from "../shared/filterBox";
import { FilterHelp } from "./filterHelp";
import type { Lab } from "./lab";
import { tableModel } from "./table/model";

const TYPING_MS = 90;
const SAY_MS = 600;

/** The filter whose matches were said last: of one set in another tab they are said where it is first seen. */
const heard = new WeakMap<Lab, string>();

/** The filter of the samples. */
export function Filter({ lab }: { readonly lab: Lab }) {
  const speech = lab.speech.value;
  const { t } = speech;
  const { facts, filterError } = tableModel(lab).shown.value.store;
  const kept = lab.state.value.filter;
  const [help, setHelp] = useState(false);
  // The one that a page begins with is no news.
  if (!heard.has(lab)) heard.set(lab, kept);
  const functions = facts?.functions.map((fn) => fn.name) ?? [];
  const columns = facts?.columns ?? [];
  useMatchesSaid(lab, help);
  return (
    <FilterBox
      owner={lab}
      speech={speech}
      kept={kept}
      problem={filterError}
      names={{ functions, columns }}
      label={t("Filter the samples")}
      placeholder={t("filter: state:raised or flip")}
      typingMs={TYPING_MS}
      help={help}
      onHelp={setHelp}
      onFilter={(filter) => {
        if (filter !== lab.state.value.filter) lab.set({ filter, scroll: 0 });
      }}
      helpFor={(take) => <FilterHelp functions={functions} columns={columns} speech={speech} onTake={take} />}
    />
  );
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
