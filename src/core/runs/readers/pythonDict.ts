/** What a flat Python dict's `repr` holds; values that are no number, text or None come as undefined. */
export interface PythonDict {
  readonly entries: readonly (readonly [string, unknown])[];
  /** Position after the closing brace. */
  readonly end: number;
}

const SPACE = /[ \t]*/y;
const KEY = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/y;
const NUMBER = /[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)\b\.?/y;
/** `np.float64(0.5)`, `tensor(0.5000)`, `tensor(0.5, device='cuda:0')`. */
const WRAPPED =
  /(?:np\.|numpy\.)?(?:float|int|uint|longdouble|tensor)\w*\(([-+]?(?:[\d.]+(?:[eE][-+]?\d+)?|inf|nan))(?:,[^()]*)?\)/y;
const WORD = /None|True|False/y;

/** The dict whose `repr` begins at `from`; null where none does. Nested values are passed over. */
export function readPythonDict(text: string, from: number): PythonDict | null {
  if (text[from] !== "{") return null;
  const entries: (readonly [string, unknown])[] = [];
  let at = skipSpace(text, from + 1);
  if (text[at] === "}") return { entries, end: at + 1 };
  for (;;) {
    const key = match(KEY, text, at);
    if (!key) return null;
    at = skipSpace(text, at + key[0].length);
    if (text[at] !== ":") return null;
    const value = readValue(text, skipSpace(text, at + 1));
    if (!value) return null;
    entries.push([unescaped(key[1] ?? key[2] ?? ""), value.value]);
    at = skipSpace(text, value.end);
    if (text[at] === "}") return { entries, end: at + 1 };
    if (text[at] !== ",") return null;
    at = skipSpace(text, at + 1);
  }
}

function readValue(text: string, at: number): { readonly value: unknown; readonly end: number } | null {
  const quoted = match(KEY, text, at);
  if (quoted) return { value: unescaped(quoted[1] ?? quoted[2] ?? ""), end: at + quoted[0].length };
  const word = match(WORD, text, at);
  if (word) return { value: word[0] === "None" ? null : word[0] === "True", end: at + word[0].length };
  const wrapped = match(WRAPPED, text, at);
  if (wrapped) return { value: wrapped[1], end: at + wrapped[0].length };
  const number = match(NUMBER, text, at);
  if (number) return { value: number[0], end: at + number[0].length };
  const end = nestedEnd(text, at);
  return end < 0 ? null : { value: undefined, end };
}

/** Position of the comma or brace that ends the value at `from`, whatever it is; -1 where there is none. */
function nestedEnd(text: string, from: number): number {
  let level = 0;
  for (let at = from; at < text.length; at++) {
    const c = text[at] ?? "";
    if (c === "'" || c === '"') {
      const string = match(KEY, text, at);
      if (!string) return -1;
      at += string[0].length - 1;
    } else if ("([{".includes(c)) level++;
    else if (level > 0) {
      if (")]}".includes(c)) level--;
    } else if (c === "," || c === "}") return at;
  }
  return -1;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipSpace(text: string, at: number): number {
  return at + (match(SPACE, text, at)?.[0].length ?? 0);
}

function unescaped(text: string): string {
  return text.includes("\\") ? text.replace(/\\(.)/g, "$1") : text;
}
