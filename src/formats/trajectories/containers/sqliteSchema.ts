/** A column as `CREATE TABLE` declares it. */
export interface ColumnDeclared {
  readonly name: string;
  /** Value of rows that were written before the column was added. */
  readonly fallback: unknown;
  /** Another name of the row's own number, which isn't stored as a value. */
  readonly isRowid: boolean;
}

const TOKEN =
  /\s+|--[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|[\w$.\u0080-\uffff]+|[^]/g;
const TABLE_CONSTRAINTS = new Set(["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]);

/**
 * Columns of a table that are stored, in order, from the statement that made it (https://sqlite.org/lang_createtable.html).
 * Null: a table without rowids, or a statement that isn't understood.
 */
export function declaredColumns(sql: string): readonly ColumnDeclared[] | null {
  const tokens = [...sql.matchAll(TOKEN)]
    .map(([token]) => token)
    .filter((token) => !/^(\s|--|\/\*)/.test(token));
  const open = tokens.indexOf("(");
  if (open < 0) return null;
  const parts: string[][] = [[]];
  let level = 1;
  let at = open + 1;
  for (; at < tokens.length && level > 0; at++) {
    const token = tokens[at] ?? "";
    if (token === "(") level++;
    if (token === ")") level--;
    if (level === 0) break;
    if (token === "," && level === 1) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const options = tokens.slice(at + 1).map((token) => token.toUpperCase());
  if (options.includes("WITHOUT")) return null;
  const keys = parts.filter(([first]) => first?.toUpperCase() === "PRIMARY").map(keyOfTable);
  return parts
    .filter(([first]) => first !== undefined && !TABLE_CONSTRAINTS.has(first.toUpperCase()))
    .filter((part) => !isVirtual(part))
    .map((part) => declared(part, keys));
}

function declared(
  [first = "", ...rest]: readonly string[],
  keys: readonly (string | null)[],
): ColumnDeclared {
  const name = unquoted(first);
  const words = rest.map((token) => token.toUpperCase());
  const isInteger = words[0] === "INTEGER";
  const key = words.indexOf("PRIMARY");
  const isOwnKey = key > 0 && words[key + 1] === "KEY" && words[key + 2] !== "DESC";
  const isTableKey = keys.some((one) => one?.toLowerCase() === name.toLowerCase());
  const byDefault = words.indexOf("DEFAULT");
  return {
    name,
    isRowid: isInteger && (isOwnKey || isTableKey),
    fallback: byDefault < 0 ? null : literal(rest.slice(byDefault + 1)),
  };
}

/** The one column of `PRIMARY KEY (column)`. */
function keyOfTable(part: readonly string[]): string | null {
  const open = part.indexOf("(");
  const column = part[open + 1];
  return column !== undefined && part[open + 2] === ")" ? unquoted(column) : null;
}

/** Worked out when read: no value of it is stored. */
function isVirtual(part: readonly string[]): boolean {
  const words = part.map((token) => token.toUpperCase());
  return words.some((word, i) => word === "AS" && words[i + 1] === "(") && !words.includes("STORED");
}

function literal([first = "", second = ""]: readonly string[]): unknown {
  if (first.startsWith("'")) return unquoted(first);
  const number = first === "-" || first === "+" ? `${first}${second}` : first;
  return /^[-+]?\d+(\.\d*)?(e\d+)?$/i.test(number) ? Number(number) : null;
}

function unquoted(token: string): string {
  const quote = token[0] ?? "";
  if (quote === "[") return token.slice(1, -1);
  if (quote === '"' || quote === "`" || quote === "'")
    return token.slice(1, -1).replaceAll(quote + quote, quote);
  return token;
}
