import type { FilterProblem } from "../../schema/filter";
import { SCORE_STATES, type ScoreState } from "../../schema/score";
import {
  FLIP_WORDS,
  LABEL_WORDS,
  NONE,
  STATE_WORDS,
  fieldOf,
  knownNames,
  nearestName,
  tableOf,
  type Field,
  type FilterNames,
} from "./fields";
import { tokenize, type Operator, type Token } from "./tokens";

export type Comparator = "=" | "!=" | "<" | "<=" | ">" | ">=";

/** A filter, understood. */
export type FilterNode =
  | { readonly kind: "all" }
  | { readonly kind: "and" | "or"; readonly of: readonly FilterNode[] }
  | { readonly kind: "not"; readonly of: FilterNode }
  /** In the completion or the prompt. */
  | { readonly kind: "search"; readonly text: string }
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "compare"; readonly field: Field; readonly is: Comparator; readonly value: number }
  /** Both ends belong to it. */
  | { readonly kind: "range"; readonly field: Field; readonly from: number; readonly to: number }
  /** The field has no value in this row. */
  | { readonly kind: "missing"; readonly field: Field }
  /** 0-based rows, ends included. */
  | { readonly kind: "rows"; readonly ranges: readonly (readonly [from: number, to: number])[] }
  /** Of the row (its functions' worst), or of one function; null = not scored in this pass. */
  | { readonly kind: "state"; readonly field: Field; readonly states: ReadonlySet<ScoreState | null> }
  | { readonly kind: "label"; readonly words: ReadonlySet<string> }
  | { readonly kind: "flip"; readonly directions: ReadonlySet<1 | -1> }
  | { readonly kind: "name"; readonly field: Field; readonly names: ReadonlySet<string> }
  | { readonly kind: "contains"; readonly field: Field; readonly text: string };

export interface ParsedFilter {
  /** Null where there is a problem. */
  readonly node: FilterNode | null;
  readonly problem: FilterProblem | null;
}

const MAX_DEPTH = 100;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const ROWS = /^(\d*)(?:(\.\.)(\d*))?$/;

/**
 * Reads a filter. Terms one after another must all hold, `or` binds weaker, `not` and `-` stronger:
 *
 * - `field:value`, `field<1`, `<=`, `>`, `>=`, `=` (same as `:`), `!=`; a list `state:raised,crashed`, a range
 *   `total:0.2..0.5`, `field:none` for no value (`state:none`: not scored in this pass); behind a function's name either
 *   its value or its state;
 * - `flip`, `tied`, `filtered`, `nogradient`, `crumb`, `pinned`, `recovered`, `unscored` (not scored in this pass);
 * - any other word, or text in quotes: occurs in the completion or the prompt, whatever the case.
 *
 * Never throws; the problem's place lies in the text.
 */
export function parseFilter(text: string, names: FilterNames): ParsedFilter {
  const { tokens, problem } = tokenize(text);
  if (problem) return { node: null, problem };
  if (tokens.length === 0) return { node: { kind: "all" }, problem: null };
  const parser = new Parser(tokens, names);
  try {
    return { node: parser.all(), problem: null };
  } catch (error) {
    if (error instanceof ParseStop) return { node: null, problem: error.problem };
    throw error;
  }
}

/** Ends the parser at the first problem. */
class ParseStop extends Error {
  readonly problem: FilterProblem;
  constructor(problem: FilterProblem) {
    super(problem.code);
    this.problem = problem;
  }
}

type Word = Extract<Token, { kind: "word" }>;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #names: FilterNames;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], names: FilterNames) {
    this.#tokens = tokens;
    this.#names = names;
  }

  all(): FilterNode {
    const node = this.#or();
    const rest = this.#peek();
    if (rest) stop("stray-parenthesis", ")", rest);
    return node;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  /** The word `and`, `or` or `not`, unless it is a field's name (`not:5`) or in quotes. */
  #keyword(): "and" | "or" | "not" | null {
    const token = this.#peek();
    if (token?.kind !== "word" || token.quoted || this.#tokens[this.#at + 1]?.kind === "operator")
      return null;
    const word = token.text.toLowerCase();
    return word === "and" || word === "or" || word === "not" ? word : null;
  }

  #or(): FilterNode {
    const of = [this.#and()];
    while (this.#keyword() === "or") {
      const or = this.#peek();
      this.#at++;
      if (!this.#startsTerm()) stop("no-term", "or", or);
      of.push(this.#and());
    }
    return of.length === 1 && of[0] ? of[0] : { kind: "or", of };
  }

  #and(): FilterNode {
    const of: FilterNode[] = [];
    for (;;) {
      const word = this.#keyword();
      const token = this.#peek();
      if (word === "and") {
        this.#at++;
        if (of.length === 0 || !this.#startsTerm()) stop("no-term", "and", token);
      } else if (!this.#startsTerm()) break;
      of.push(this.#not());
    }
    if (of.length === 0) {
      const token = this.#peek();
      if (token?.kind === "close") stop("stray-parenthesis", ")", token);
      stop("no-term", "or", token ?? this.#tokens.at(-1));
    }
    return of.length === 1 && of[0] ? of[0] : { kind: "and", of };
  }

  /** What comes next is a term, or can only be a wrong one. */
  #startsTerm(): boolean {
    const token = this.#peek();
    if (!token || token.kind === "close") return false;
    const word = this.#keyword();
    return word === null || word === "not";
  }

  #not(): FilterNode {
    let denied = false;
    for (;;) {
      const token = this.#peek();
      if (token?.kind !== "minus" && this.#keyword() !== "not") break;
      this.#at++;
      if (!this.#startsTerm()) stop("no-term", token?.kind === "minus" ? "-" : "not", token);
      denied = !denied;
    }
    const node = this.#term();
    return denied ? { kind: "not", of: node } : node;
  }

  #term(): FilterNode {
    const token = this.#peek();
    if (token?.kind === "open") {
      if (++this.#depth > MAX_DEPTH) stop("too-deep", "(", token);
      this.#at++;
      if (this.#peek()?.kind === "close" || !this.#peek()) stop("no-term", "(", token);
      const node = this.#or();
      if (this.#peek()?.kind !== "close") stop("open-parenthesis", "(", token);
      this.#at++;
      this.#depth--;
      return node;
    }
    if (token?.kind !== "word")
      return stop("no-field", token?.kind === "operator" ? token.operator : "", token);
    this.#at++;
    const operator = this.#peek();
    if (operator?.kind !== "operator") return alone(token, this.#names);
    this.#at++;
    const value = this.#peek();
    const field = fieldOf(token.text, token.quoted, this.#names);
    if (!field) {
      const near = nearestName(token.text, knownNames(this.#names));
      return stop("unknown-field", token.text, token, near);
    }
    if (value?.kind !== "word") return stop("no-value", operator.operator, operator);
    this.#at++;
    return comparison(field, operator.operator, value);
  }
}

function alone(word: Word, names: FilterNames): FilterNode {
  const { flags } = tableOf(names);
  const flag = word.quoted ? undefined : flags.find((known) => known === word.text.toLowerCase());
  return flag ? { kind: "flag", flag } : { kind: "search", text: word.text };
}

function comparison(field: Field, operator: Operator, value: Word): FilterNode {
  const is: Comparator = operator === ":" ? "=" : operator;
  if (is === "!=" && !isNumber(value)) return { kind: "not", of: equality(field, value) };
  if (is === "=") return equality(field, value);
  switch (field.kind) {
    case "number":
    case "function":
    case "label":
    case "column":
      return { kind: "compare", field, is, value: number(value) };
    case "row": {
      const row = number(value) - 1;
      return { kind: "compare", field, is, value: row };
    }
    case "state":
    case "flip":
    case "name":
    case "word":
    case "text":
      // A name or text that looks like a number is compared as what it is.
      if (is === "!=") return { kind: "not", of: equality(field, value) };
      return stop("not-ordered", field.name, value);
  }
}

function equality(field: Field, value: Word): FilterNode {
  const none = !value.quoted && value.text.toLowerCase() === NONE;
  switch (field.kind) {
    case "number":
      return none ? { kind: "missing", field } : numeric(field, value);
    case "function":
      if (none) return { kind: "missing", field };
      return isNumber(value) || rangeOf(value.text) ? numeric(field, value) : states(field, value);
    case "row":
      return rows(value);
    case "state":
      return states(field, value);
    case "label":
      if (isNumber(value)) return numeric(field, value);
      return { kind: "label", words: new Set(words(value, LABEL_WORDS)) };
    case "flip": {
      const said = words(value, FLIP_WORDS);
      if (said.includes("any")) return { kind: "flag", flag: "flip" };
      return { kind: "flip", directions: new Set(said.map((word) => (word === "up" ? 1 : -1))) };
    }
    case "name":
      return { kind: "name", field, names: new Set(value.quoted ? [value.text] : listed(value.text)) };
    case "word":
      return {
        kind: "name",
        field,
        names: new Set(words(value, [...field.words, NONE])),
      };
    case "text":
      return { kind: "contains", field, text: value.text };
    case "column":
      if (none) return { kind: "missing", field };
      return value.quoted ? { kind: "contains", field, text: value.text } : columnValue(field, value);
  }
}

/** A number, or a range of them, where the column has numbers; a part of its text where it has text. */
function columnValue(field: Field, value: Word): FilterNode {
  const contains: FilterNode = { kind: "contains", field, text: value.text };
  const range = rangeOf(value.text);
  return range ? { kind: "or", of: [{ kind: "range", field, ...range }, contains] } : contains;
}

function numeric(field: Field, value: Word): FilterNode {
  const range = rangeOf(value.text);
  if (range) return { kind: "range", field, ...range };
  return { kind: "compare", field, is: "=", value: number(value) };
}

function rangeOf(text: string): { from: number; to: number } | null {
  const parts = text.split("..");
  const [from = "", to = ""] = parts;
  if (parts.length !== 2 || (from === "" && to === "")) return null;
  if ((from !== "" && !NUMBER.test(from)) || (to !== "" && !NUMBER.test(to))) return null;
  return {
    from: from === "" ? Number.NEGATIVE_INFINITY : Number(from),
    to: to === "" ? Number.POSITIVE_INFINITY : Number(to),
  };
}

function isNumber(value: Word): boolean {
  return NUMBER.test(value.text);
}

function number(value: Word): number {
  return isNumber(value) ? Number(value.text) : stop("not-a-number", value.text, value);
}

/** Rows as people count them, from 1. */
function rows(value: Word): FilterNode {
  const ranges = listed(value.text).map((part): [number, number] => {
    const match = ROWS.exec(part);
    const [, first = "", dots, last = ""] = match ?? [];
    const from = first === "" ? 1 : Number(first);
    const to = dots === undefined ? from : last === "" ? Number.MAX_SAFE_INTEGER : Number(last);
    if (!match || (first === "" && last === "") || from < 1 || to < 1) stop("not-a-row", part, value);
    return [Math.min(from, to) - 1, Math.max(from, to) - 1];
  });
  return { kind: "rows", ranges };
}

function states(field: Field, value: Word): FilterNode {
  const said = words(value, STATE_WORDS);
  const known = SCORE_STATES.filter((state) => said.includes(state));
  return { kind: "state", field, states: new Set([...known, ...(said.includes(NONE) ? [null] : [])]) };
}

/** Words of a list, each one of those that the field knows; `timed out` is `timed-out`. */
function words(value: Word, known: readonly string[]): string[] {
  return listed(value.text).map((part) => {
    const word = part
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, "-");
    if (known.includes(word)) return word;
    return stop("unknown-value", part, value, nearestName(word, known));
  });
}

/** `a,b`: both; empty parts (while one is being typed) say nothing. */
function listed(text: string): string[] {
  const parts = text.split(",").filter((part) => part !== "");
  return parts.length === 0 ? [text] : parts;
}

function stop(
  code: FilterProblem["code"],
  subject: string,
  at: Pick<Token, "from" | "to"> | undefined,
  near: string | null = null,
): never {
  throw new ParseStop({ code, subject, near, from: at?.from ?? 0, to: at?.to ?? 0 });
}
