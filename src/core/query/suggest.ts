import {
  FLIP_WORDS,
  KEYWORDS,
  LABEL_WORDS,
  NONE,
  STATE_WORDS,
  fieldOf,
  tableOf,
  type Field,
  type FilterNames,
} from "./fields";
import { tokenize } from "./tokens";

export interface Suggestion {
  readonly kind: "field" | "function" | "column" | "flag" | "keyword" | "value";
  /** What is shown. */
  readonly label: string;
  /** What replaces `from` to `to`; a field brings its `:`. */
  readonly insert: string;
}

export interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
}

/** What may stand at the cursor: names, flags and keywords, or a field's words behind its `:`. */
export function suggestFilter(text: string, cursor: number, names: FilterNames): Suggestions {
  const at = Math.min(Math.max(0, cursor), text.length);
  const { tokens } = tokenize(text);
  const index = tokens.findIndex(({ kind, from, to }) => kind === "word" && from < at && at <= to);
  const token = tokens[index];
  const word = token?.kind === "word" ? token : null;
  const before = tokens.filter(({ to, from }) => (word ? to <= word.from : to <= at) && from < at).at(-1);
  if (before?.kind === "operator") {
    const name = tokens[tokens.indexOf(before) - 1];
    const field = name?.kind === "word" ? fieldOf(name.text, name.quoted, names) : null;
    if (!field || word?.quoted) return { from: at, to: at, items: [] };
    // Of a list only the part at the cursor.
    const written = word ? text.slice(word.from, word.to) : "";
    const inside = word ? at - word.from : 0;
    const start = written.lastIndexOf(",", inside - 1) + 1;
    const comma = written.indexOf(",", inside);
    const base = word?.from ?? at;
    const from = base + start;
    const to = base + (comma === -1 ? written.length : comma);
    return { from, to, items: fitting(valuesOf(field), text.slice(from, at)) };
  }
  const from = word?.from ?? at;
  const to = word?.to ?? at;
  const typed = text.slice(from, at).replace(/^"/, "");
  // The name is there already with what belongs behind it.
  const hasOperator = tokens[index + 1]?.kind === "operator" && index !== -1;
  const items = fitting(nameItems(names), typed).map((item) =>
    hasOperator && item.insert.endsWith(":") ? { ...item, insert: item.insert.slice(0, -1) } : item,
  );
  return { from, to, items: items.filter(({ insert }) => !hasOperator || insert !== text.slice(from, to)) };
}

/** The name as a filter needs it: in quotes where it holds what separates. */
export function fieldName(name: string): string {
  return /^[^\s()":=<>!\-/][^\s()":=<>!]*$/.test(name) ? name : quoted(name);
}

/** Text in quotes, as a filter reads it back. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function nameItems({ functions, columns, table }: FilterNames): Suggestion[] {
  const { fields, flags } = tableOf(table ? { table } : {});
  const own = new Set<string>(fields.map(({ name }) => name.toLowerCase()));
  return [
    ...fields.map(({ name }): Suggestion => ({ kind: "field", label: name, insert: `${name}:` })),
    ...flags.map((name): Suggestion => ({ kind: "flag", label: name, insert: name })),
    ...functions.map((name): Suggestion => ({
      kind: "function",
      label: name,
      insert: `${fieldName(name)}:`,
    })),
    ...columns.map((name): Suggestion => {
      const hidden = own.has(name.toLowerCase()) || functions.includes(name);
      return { kind: "column", label: name, insert: `${hidden ? quoted(name) : fieldName(name)}:` };
    }),
    ...KEYWORDS.map((name): Suggestion => ({ kind: "keyword", label: name, insert: name })),
  ];
}

function valuesOf(field: Field): Suggestion[] {
  const words = (list: readonly string[]): Suggestion[] =>
    list.map((word) => ({ kind: "value", label: word, insert: word }));
  switch (field.kind) {
    case "state":
    case "function":
      return words(STATE_WORDS);
    case "word":
      return words([...field.words, NONE]);
    case "label":
      return words(LABEL_WORDS);
    case "flip":
      return words(FLIP_WORDS);
    case "number":
    case "column":
      return words([NONE]);
    case "row":
    case "name":
    case "text":
      return [];
  }
}

/** Those that begin with what is typed, then those that hold it. */
function fitting(items: readonly Suggestion[], typed: string): Suggestion[] {
  const wanted = typed.toLowerCase();
  const place = ({ label }: Suggestion): number => label.toLowerCase().indexOf(wanted);
  return [...items.filter((item) => place(item) === 0), ...items.filter((item) => place(item) > 0)];
}
