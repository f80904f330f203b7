import type { ReturnKind, StatementKind, StatementLine } from "./model";
import { type SourceText, type SyntaxNode, childrenOf, walk } from "./syntax";

const RANK: Record<StatementKind, number> = { branch: 4, return: 3, raise: 2, append: 1, other: 0 };
const ADDS = new Set(["append", "extend", "insert", "appendleft"]);
const SCORE_NAME = /score|reward|total|points|bonus|penalty/i;

/** Statement lines of a body, nested functions included. */
export function readStatements(body: SyntaxNode, source: SourceText): StatementLine[] {
  const lines = new Map<number, StatementLine>();
  const add = (node: SyntaxNode, kind: StatementKind, counted: SyntaxNode | null = null): void => {
    const line = source.lineOf(node.from);
    const known = lines.get(line);
    if (known && RANK[known.kind] >= RANK[kind]) return;
    lines.set(line, { line, kind, countedAt: counted ? source.lineOf(counted.from) : line });
  };
  visitBody(body, add, source);
  return [...lines.values()].sort((a, b) => a.line - b.line);
}

type Add = (node: SyntaxNode, kind: StatementKind, counted?: SyntaxNode | null) => void;

function visitBody(body: SyntaxNode, add: Add, source: SourceText): void {
  for (const statement of childrenOf(body)) visit(statement, add, source);
}

function firstStatement(body: SyntaxNode | undefined): SyntaxNode | null {
  return (body && childrenOf(body).find((child) => child.name !== ":" && !child.type.isError)) ?? null;
}

function visit(node: SyntaxNode, add: Add, source: SourceText): void {
  switch (node.name) {
    case ":":
    case "ScopeStatement":
      return;
    case "StatementGroup":
      visitBody(node, add, source);
      return;
    case "ReturnStatement":
      add(node, "return");
      return;
    case "RaiseStatement":
      add(node, "raise");
      return;
    case "YieldStatement":
      add(node, "append");
      return;
    case "ExpressionStatement":
    case "AssignStatement":
    case "UpdateStatement": {
      const kind = simpleKind(node, source);
      if (kind) add(node, kind);
      return;
    }
    case "IfStatement":
    case "ForStatement":
    case "WhileStatement":
    case "TryStatement":
      visitHeads(node, add, source);
      return;
    case "MatchStatement": {
      add(node, "branch");
      const body = node.getChild("MatchBody");
      for (const clause of body ? body.getChildren("MatchClause") : []) {
        const inner = clause.getChild("Body");
        const first = firstStatement(inner ?? undefined);
        add(clause, "branch", catchesAll(clause) ? first : null);
        if (inner) visitBody(inner, add, source);
      }
      return;
    }
    default:
      if (!node.name.endsWith("Statement") && !node.name.endsWith("Definition")) return;
      add(node, "other");
      for (const body of bodiesBelow(node)) visitBody(body, add, source);
  }
}

/** Bodies of `with`, nested `def` and `class`, decorated or not. */
function bodiesBelow(node: SyntaxNode): SyntaxNode[] {
  const inner = node.name === "DecoratedStatement" ? node.lastChild : node;
  return inner?.getChildren("Body") ?? [];
}

/** `if` / `for` / `while` / `try` with their further heads and bodies. */
function visitHeads(node: SyntaxNode, add: Add, source: SourceText): void {
  const children = childrenOf(node);
  children.forEach((child, index) => {
    const next = children.slice(index + 1).find((later) => later.name === "Body");
    switch (child.name) {
      case "if":
      case "elif":
      case "for":
      case "except":
        add(child, "branch");
        return;
      case "while": {
        const condition = children[index + 1];
        const endless = condition && /^(?:True|1)$/.test(source.of(condition));
        add(child, "branch", endless ? firstStatement(next) : null);
        return;
      }
      case "else":
        add(child, "branch", firstStatement(next));
        return;
      case "try":
        add(child, "other");
        return;
      case "Body":
        visitBody(child, add, source);
        return;
      default:
        return;
    }
  });
}

/** `case _:` and `case name:` without a guard. */
function catchesAll(clause: SyntaxNode): boolean {
  return clause.getChild("CapturePattern") !== null && !clause.getChild("Guard")?.firstChild;
}

function simpleKind(node: SyntaxNode, source: SourceText): StatementKind | null {
  const first = node.firstChild;
  if (!first) return null;
  if (node.name === "ExpressionStatement") {
    // Constants (doc strings, `...`) leave no code behind.
    if (["String", "ContinuedString", "Number", "...", "None", "Boolean"].includes(first.name)) return null;
    const callee = first.name === "CallExpression" ? first.firstChild : null;
    const property = callee?.name === "MemberExpression" ? callee.lastChild : null;
    return property?.name === "PropertyName" && ADDS.has(source.of(property)) ? "append" : "other";
  }
  if (node.name === "AssignStatement") {
    // A bare annotation (`x: int`) isn't run in a function.
    if (!node.getChild("AssignOp")) return null;
    if (node.lastChild?.name === "YieldExpression") return "append";
    return isSubscript(first) ? "append" : "other";
  }
  return isSubscript(first) || SCORE_NAME.test(source.of(first)) ? "append" : "other";
}

function isSubscript(node: SyntaxNode): boolean {
  return node.name === "MemberExpression" && node.lastChild?.name === "]";
}

const NUMBER_CALLS = new Set([
  "float",
  "int",
  "bool",
  "min",
  "max",
  "abs",
  "round",
  "sum",
  "len",
  "any",
  "all",
]);
const LIST_CALLS = new Set(["list", "map", "tuple", "sorted", "tolist"]);
const STRING_CALLS = new Set(["str", "strip", "lower", "upper", "join", "replace", "format", "repr"]);

/** Kinds of what a function gives back, nested functions left out; `yield` makes it a list. */
export function returnKindsOf(body: SyntaxNode, source: SourceText): ReturnKind[] {
  const kinds = new Set<ReturnKind>();
  const assigned = new Map<string, SyntaxNode>();
  const returned: SyntaxNode[] = [];
  walk(body, (ref) => {
    switch (ref.name) {
      case "FunctionDefinition":
      case "LambdaExpression":
      case "ClassDefinition":
        return false;
      case "AssignStatement": {
        const [target, op, value] = childrenOf(ref.node);
        if (target?.name === "VariableName" && op?.name === "AssignOp" && value) {
          const name = source.of(target);
          if (!assigned.has(name)) assigned.set(name, value);
        }
        return true;
      }
      case "YieldStatement":
      case "YieldExpression":
        kinds.add("list");
        return true;
      case "ReturnStatement":
        returned.push(ref.node);
        return true;
      default:
        return true;
    }
  });
  for (const statement of returned) {
    const values = childrenOf(statement).slice(1);
    const [value] = values;
    if (!value) kinds.add("none");
    else if (values.length > 1) kinds.add("list");
    else for (const kind of expressionKinds(value, assigned, source, 3)) kinds.add(kind);
  }
  return [...kinds];
}

function expressionKinds(
  node: SyntaxNode,
  assigned: ReadonlyMap<string, SyntaxNode>,
  source: SourceText,
  depth: number,
): ReturnKind[] {
  switch (node.name) {
    case "ArrayExpression":
    case "ArrayComprehensionExpression":
    case "ComprehensionExpression":
    case "TupleExpression":
      return ["list"];
    case "Number":
    case "Boolean":
    case "UnaryExpression":
      return ["number"];
    case "String":
    case "FormatString":
    case "ContinuedString":
      return ["string"];
    case "DictionaryExpression":
    case "DictionaryComprehensionExpression":
      return ["dict"];
    case "None":
      return ["none"];
    case "ParenthesizedExpression": {
      const inner = childrenOf(node)[1];
      return inner && depth > 0 ? expressionKinds(inner, assigned, source, depth - 1) : ["unknown"];
    }
    case "ConditionalExpression": {
      const [yes, , , , no] = childrenOf(node);
      if (depth === 0) return ["unknown"];
      return [yes, no].flatMap((part) => (part ? expressionKinds(part, assigned, source, depth - 1) : []));
    }
    case "BinaryExpression": {
      const [left, operator] = childrenOf(node);
      if (!left || !operator || depth === 0) return ["unknown"];
      if (["CompareOp", "in", "not", "is"].includes(operator.name)) return ["number"];
      if (operator.name !== "ArithOp") return ["unknown"];
      if (source.of(operator) === "/" || source.of(operator) === "-") return ["number"];
      return expressionKinds(left, assigned, source, depth - 1);
    }
    case "CallExpression": {
      const callee = node.firstChild;
      const last = callee?.name === "MemberExpression" ? callee.lastChild : callee;
      const name = last ? source.of(last) : "";
      if (NUMBER_CALLS.has(name)) return ["number"];
      if (LIST_CALLS.has(name)) return ["list"];
      return STRING_CALLS.has(name) ? ["string"] : ["unknown"];
    }
    case "VariableName": {
      const value = assigned.get(source.of(node));
      return value && depth > 0 ? expressionKinds(value, assigned, source, depth - 1) : ["unknown"];
    }
    default:
      return ["unknown"];
  }
}
