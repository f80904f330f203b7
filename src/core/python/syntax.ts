import { parser } from "@lezer/python";
import type { Position, Range } from "../../schema/reward";

export type SyntaxTree = ReturnType<typeof parser.parse>;
export type SyntaxNode = SyntaxTree["topNode"];

/**
 * The grammar (@lezer/python 1.1.19) doesn't know floats like `1.`, which rewards are full of. It is given `.1`, of the
 * same length, so that every position stays right; texts are read from the original.
 */
export function parsePython(text: string): SyntaxTree {
  return parser.parse(text.replace(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/g, ".$1"));
}

/** Source text with its line table. Lines end as Python's and VS Code's do: \n, \r\n or \r. */
export class SourceText {
  readonly text: string;
  readonly #firstLine: number;
  readonly #starts: number[] = [0];

  /** @param firstLine line in the file of the text's first line, where the text is a part of it */
  constructor(text: string, firstLine = 0) {
    this.text = text;
    this.#firstLine = firstLine;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) this.#starts.push(i + 1);
    }
  }

  get lines(): number {
    return this.#starts.length;
  }

  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + this.#firstLine;
  }

  position(offset: number): Position {
    const line = this.lineOf(offset);
    return { line, character: offset - (this.#starts[line - this.#firstLine] ?? 0) };
  }

  range(from: number, to: number): Range {
    return { start: this.position(from), end: this.position(to) };
  }

  rangeOf(node: SyntaxNode): Range {
    return this.range(node.from, node.to);
  }

  /** Range without the white space at its end: block nodes reach to where the next statement starts. */
  trimmedRange(from: number, to: number): Range {
    const length = this.text.slice(from, to).trimEnd().length;
    return this.range(from, from + length);
  }

  of(node: SyntaxNode): string {
    return this.text.slice(node.from, node.to);
  }
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** A node in passing; `node` makes it one to keep. */
export interface NodeRef {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly node: SyntaxNode;
}

/**
 * Calls `visit` for each node below (not `node` itself); `false` keeps out of that node. Goes by cursor: making every
 * node an object costs more than parsing.
 */
export function walk(node: SyntaxNode, visit: (ref: NodeRef) => boolean): void {
  let self = true;
  node.cursor().iterate((ref) => {
    if (!self) return visit(ref);
    self = false;
    return true;
  });
}

export interface Argument {
  readonly name: string | null;
  readonly value: SyntaxNode;
}

/** Arguments of a call; starred ones are left out. */
export function argumentsOf(call: SyntaxNode, source: SourceText): Argument[] {
  const list = call.getChild("ArgList");
  if (!list) return [];
  const found: Argument[] = [];
  let part: SyntaxNode[] = [];
  const flush = (): void => {
    const [first, second, third] = part;
    part = [];
    if (!first || first.name === "*" || first.name === "**") return;
    if (second?.name === "AssignOp" && third) found.push({ name: source.of(first), value: third });
    else found.push({ name: null, value: first });
  };
  for (const child of childrenOf(list)) {
    if (child.name === "(" || child.name === ")") continue;
    if (child.name === ",") flush();
    else part.push(child);
  }
  flush();
  return found;
}

/** `re.compile` → ["re", "compile"]; null for anything that isn't names joined by dots. */
export function dottedName(node: SyntaxNode, source: SourceText): string[] | null {
  if (node.name === "VariableName") return [source.of(node)];
  if (node.name !== "MemberExpression") return null;
  const object = node.firstChild;
  const property = node.lastChild;
  if (!object || property?.name !== "PropertyName") return null;
  const head = dottedName(object, source);
  return head && [...head, source.of(property)];
}

/** The one subscript of `x[…]`; null for slices, several subscripts or attribute access. */
export function subscriptOf(member: SyntaxNode): SyntaxNode | null {
  const children = childrenOf(member);
  if (children.length !== 4 || children[1]?.name !== "[" || children[3]?.name !== "]") return null;
  const index = children[2];
  return index && index.name !== ":" ? index : null;
}

/** Value of a plain string literal without escapes that change it; null for others. */
export function simpleString(node: SyntaxNode, source: SourceText): string | null {
  if (node.name !== "String") return null;
  const match = /^[rRuU]?(['"])([^\\'"]*)\1$/.exec(source.of(node));
  return match ? (match[2] ?? "") : null;
}
