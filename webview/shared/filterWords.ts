import type { FilterNames } from "../../src/core/query/fields";
import { type Suggestion, suggestFilter } from "../../src/core/query/suggest";

/** A line of the filter's list, and the part of the filter that it replaces. */
export interface Choice {
  readonly text: string;
  readonly insert: string;
  readonly from: number;
  readonly to: number;
  readonly kind: Suggestion["kind"] | "history";
}

const MOST = 40;

/**
 * What may stand at the caret. Unasked (`asked` false) only what a letter has been typed of, or the words behind a field's
 * colon: a list that opens at every space is in the way.
 */
export function choicesAt(text: string, caret: number, names: FilterNames, asked: boolean): Choice[] {
  const { from, to, items } = suggestFilter(text, caret, names);
  const written = text.slice(from, to);
  return items
    .filter(({ kind, insert }) => insert !== written && (asked || kind === "value" || from < caret))
    .slice(0, MOST)
    .map(({ kind, label, insert }) => ({ text: kind === "value" ? label : insert, insert, from, to, kind }));
}

/** Earlier filters as choices, each in place of the whole. */
export function historyChoices(text: string, history: readonly string[]): Choice[] {
  return history
    .filter((one) => one !== text)
    .map((one) => ({ text: one, insert: one, from: 0, to: text.length, kind: "history" }));
}

/** The text after a choice, and where the caret stands then. */
export function accept(text: string, { insert, from, to }: Choice): { text: string; caret: number } {
  return { text: text.slice(0, from) + insert + text.slice(to), caret: from + insert.length };
}

/** Filters of the session, newest first, each once. */
export function remember(history: readonly string[], text: string, most = 20): string[] {
  const trimmed = text.trim();
  if (trimmed === "") return [...history];
  return [trimmed, ...history.filter((one) => one !== trimmed)].slice(0, most);
}
