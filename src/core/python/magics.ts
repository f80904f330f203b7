/**
 * IPython's own syntax in a cell, written as Python of as many lines: what a magic or a shell command would do isn't
 * done. After IPython 8's `inputtransformer2`: transforms apply where a logical line starts, never inside a string,
 * a bracket or a continued line.
 */
export interface PlainCell {
  readonly lines: string[];
  /** Names of `from __future__ import …` statements: a module has them at its very start, so they are taken out. */
  readonly future: readonly string[];
}

/** Cell magics whose body runs as Python in the notebook's own names. */
const RUN_AS_PYTHON = /^%%(?:time|capture|prun)\b/;
const ASSIGNED = /^([A-Za-z_][^=!%#]*?)\s*=\s*(?:!|%(?=[A-Za-z]))(.*)$/;
const HELP = /^(?:\?{1,2}\s*[%\w.*]+|%{0,2}[A-Za-z_][\w.*]*(?:\[[^\]]*\])?\?{1,2})\s*;?$/;
const TIMED = /^%time\s+(?=[^\s-])(.*)$/;
const FUTURE = /^from\s+__future__\s+import\s+\(?([\w\s,]+?)\)?\s*(?:#.*)?$/;

/** Lines as VS Code and Python count them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

/** `lines` of a cell that doesn't run, as many as it has. */
export function silenced(text: string): string[] {
  return linesOf(text).map((_, index) => (index === 0 ? "pass" : ""));
}

export function withoutMagics(text: string): PlainCell {
  const given = linesOf(text);
  const first = given.findIndex((line) => line.trim() !== "");
  const magic = given[first]?.trim() ?? "";
  const isCellMagic = magic.startsWith("%%");
  if (isCellMagic && !RUN_AS_PYTHON.test(magic)) return { lines: silenced(text), future: [] };
  const lines: string[] = [];
  const future: string[] = [];
  const state = new LineState();
  /** The line before was replaced and goes on here. */
  let swallowing = false;
  given.forEach((line, index) => {
    if (swallowing) {
      swallowing = line.endsWith("\\");
      lines.push("");
      return;
    }
    const plain =
      state.startsLogical && !(isCellMagic && index === first)
        ? plainLine(line, future)
        : isCellMagic && index === first
          ? "pass"
          : null;
    swallowing = plain !== null && line.endsWith("\\");
    lines.push(plain ?? line);
    if (!swallowing) state.read(plain ?? line);
  });
  return { lines, future };
}

/** What stands in place of a logical line's first line; null = itself. */
function plainLine(line: string, future: string[]): string | null {
  const code = line.trim();
  const indent = line.slice(0, line.length - line.trimStart().length);
  const names = indent === "" ? FUTURE.exec(code)?.[1] : undefined;
  if (names !== undefined) {
    future.push(...names.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])));
    return "pass";
  }
  const timed = TIMED.exec(code)?.[1];
  if (timed !== undefined) return indent + timed;
  if (code.startsWith("%") || code.startsWith("!") || HELP.test(code)) return `${indent}pass`;
  const [, target, asked] = ASSIGNED.exec(code) ?? [];
  if (target === undefined || asked === undefined) return null;
  // `x = %time f()` is what f() gives; what a shell or another magic gives isn't known.
  const value = /^time\s+(.+)$/.exec(asked)?.[1];
  return `${indent}${target} = ${value ?? (code.includes("=!") || /=\s*!/.test(code) ? "[]" : "None")}`;
}

/** Follows strings, brackets and continued lines, as far as it takes to know where a statement may start. */
class LineState {
  /** Quotes of the string that is open, or "". */
  #quote = "";
  #depth = 0;
  #continued = false;

  get startsLogical(): boolean {
    return this.#quote === "" && this.#depth === 0 && !this.#continued;
  }

  read(line: string): void {
    this.#continued = false;
    let escapedEnd = false;
    for (let at = 0; at < line.length; at++) {
      const char = line.charAt(at);
      if (this.#quote !== "") {
        if (char === "\\") {
          escapedEnd = at === line.length - 1;
          at++;
        } else if (line.startsWith(this.#quote, at)) {
          at += this.#quote.length - 1;
          this.#quote = "";
        }
      } else if (char === "#") break;
      else if (char === '"' || char === "'") {
        this.#quote = line.startsWith(char.repeat(3), at) ? char.repeat(3) : char;
        at += this.#quote.length - 1;
      } else if ("([{".includes(char)) this.#depth++;
      else if (")]}".includes(char)) this.#depth = Math.max(0, this.#depth - 1);
      else if (char === "\\" && at === line.length - 1) this.#continued = true;
    }
    // A string in single quotes ends with its line, closed or not.
    if (this.#quote.length === 1 && !escapedEnd) this.#quote = "";
  }
}
