import type { FilterProblem } from "../../schema/filter";

export type Operator = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=";

interface Span {
  readonly from: number;
  readonly to: number;
}

export type Token = Span &
  (
    | { readonly kind: "open" | "close" | "minus" }
    | { readonly kind: "operator"; readonly operator: Operator }
    /** `quoted`: in double quotes, `\"` and `\\` taken back; `closed`: the end quote is there. */
    | { readonly kind: "word"; readonly text: string; readonly quoted: boolean; readonly closed: boolean }
  );

const OPERATOR = /!=|[<>]=?|[:=]/y;
const WORD = /(?:(?!!=)[^\s()":=<>])+/y;
/** A value may hold what a field may not: `url:http://x`, `time:12:30`. */
const VALUE = /[^\s()"]+/y;
/** Searching by pattern isn't supported: what looks like one is said to be one, not searched for. */
const REGEX = /\/(?:\\.|[^/\n\\])+\/[dgimsuvy]*(?=[\s)]|$)/y;
/** Minus and what it denies stand together: `-tied`, `-(a b)`. Alone, or within a word, it is a dash. */
const MINUS = /-(?=[^\s)])/y;

/** Tokens of the text, and the first thing that can't be one. Never throws; spans lie in the text, in order. */
export function tokenize(text: string): { tokens: Token[]; problem: FilterProblem | null } {
  const tokens: Token[] = [];
  let problem: FilterProblem | null = null;
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
  };
  while (at < text.length) {
    const from = at;
    const char = text[at] ?? "";
    if (/\s/.test(char)) {
      at++;
      continue;
    }
    if (char === "(" || char === ")") {
      at++;
      tokens.push({ kind: char === "(" ? "open" : "close", from, to: at });
      continue;
    }
    if (char === '"') {
      const { value, end, closed } = readQuoted(text, at);
      at = end;
      tokens.push({ kind: "word", text: value, quoted: true, closed, from, to: end });
      if (!closed) problem ??= { code: "open-quote", subject: value, near: null, from, to: end };
      continue;
    }
    const before = tokens.at(-1);
    const afterOperator = before?.kind === "operator";
    const pattern = take(REGEX);
    if (pattern !== null) {
      at += pattern.length;
      tokens.push({ kind: "word", text: pattern, quoted: false, closed: true, from, to: at });
      problem ??= { code: "regex", subject: pattern, near: null, from, to: at };
      continue;
    }
    if (!afterOperator && take(MINUS) !== null) {
      at++;
      tokens.push({ kind: "minus", from, to: at });
      continue;
    }
    const operator = take(OPERATOR);
    // `a::b`: the second colon is the value's.
    if (operator !== null && !(afterOperator && before.to === at)) {
      at += operator.length;
      tokens.push({ kind: "operator", operator: operatorOf(operator), from, to: at });
      continue;
    }
    const word = take(afterOperator ? VALUE : WORD) ?? char;
    at += word.length;
    tokens.push({ kind: "word", text: word, quoted: false, closed: true, from, to: at });
  }
  return { tokens, problem };
}

function readQuoted(text: string, start: number): { value: string; end: number; closed: boolean } {
  let value = "";
  let at = start + 1;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === '"') return { value, end: at + 1, closed: true };
    const next = text[at + 1];
    const escaped = char === "\\" && (next === '"' || next === "\\");
    value += escaped ? next : char;
    at += escaped ? 2 : 1;
  }
  return { value, end: text.length, closed: false };
}

function operatorOf(text: string): Operator {
  switch (text) {
    case "=":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return text;
    default:
      return ":";
  }
}
