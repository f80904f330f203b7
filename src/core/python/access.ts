import type { Range } from "../../schema/reward";
import type { ItemAccess, KwargsKey } from "./model";
import {
  type SourceText,
  type SyntaxNode,
  argumentsOf,
  childrenOf,
  simpleString,
  subscriptOf,
  walk,
} from "./syntax";

const TEXT_METHODS = new Set(
  (
    "strip lstrip rstrip split rsplit splitlines partition rpartition lower upper casefold startswith endswith " +
    "find rfind replace removeprefix removesuffix encode isdigit isalpha isupper islower isspace"
  ).split(" "),
);
const PATTERN_METHODS = new Set([
  "match",
  "search",
  "fullmatch",
  "findall",
  "finditer",
  "sub",
  "subn",
  "split",
]);
const LETTER_TESTS = new Set(["isdigit", "isalpha", "isupper", "islower", "isspace", "lower", "upper"]);

/** Names in a body that hold the list of completions, one completion, or one message of it. */
class Names {
  readonly lists: ReadonlySet<string>;
  readonly items: Set<string>;
  readonly messages = new Set<string>();
  readonly source: SourceText;

  constructor(lists: readonly string[], items: readonly string[], source: SourceText) {
    this.lists = new Set(lists);
    this.items = new Set(items);
    this.source = source;
  }

  isList(node: SyntaxNode): boolean {
    return node.name === "VariableName" && this.lists.has(this.source.of(node));
  }

  isItem(node: SyntaxNode | null): boolean {
    if (!node) return false;
    if (node.name === "VariableName") return this.items.has(this.source.of(node));
    const list = node.name === "MemberExpression" ? node.firstChild : null;
    return list !== null && this.isList(list) && subscriptOf(node) !== null;
  }

  isMessage(node: SyntaxNode | null): boolean {
    if (!node) return false;
    if (node.name === "VariableName") return this.messages.has(this.source.of(node));
    const index = node.name === "MemberExpression" ? subscriptOf(node) : null;
    return index !== null && isIndex(index) && this.isItem(node.firstChild);
  }

  /** `for target in iterable`, of loops and comprehensions alike. */
  bind(targets: readonly SyntaxNode[], iterable: SyntaxNode): void {
    const [only] = targets;
    if (only && targets.length === 1) {
      if (only.name === "TupleExpression" || only.name === "ParenthesizedExpression") {
        this.bind(childrenOf(only).filter(isTarget), iterable);
        return;
      }
      if (this.isList(iterable)) this.add(this.items, only);
      else if (this.isItem(iterable)) this.add(this.messages, only);
      else this.bindCall([only], iterable);
      return;
    }
    this.bindCall(targets, iterable);
  }

  bindCall(targets: readonly SyntaxNode[], iterable: SyntaxNode): void {
    if (iterable.name !== "CallExpression" || !iterable.firstChild) return;
    const values = argumentsOf(iterable, this.source)
      .filter((argument) => argument.name === null)
      .map((argument) => argument.value);
    switch (this.source.of(iterable.firstChild)) {
      case "zip":
        targets.forEach((target, i) => {
          const value = values[i];
          if (value) this.bind([target], value);
        });
        return;
      case "enumerate": {
        const [, target] = targets;
        if (target && values[0]) this.bind([target], values[0]);
        return;
      }
      case "reversed":
      case "list":
      case "tqdm":
        if (values[0]) this.bind(targets, values[0]);
        return;
      default:
        return;
    }
  }

  add(names: Set<string>, node: SyntaxNode): void {
    if (node.name === "VariableName") names.add(this.source.of(node));
  }
}

const NO_ACCESS: ItemAccess = { message: [], text: [], firstItem: [], asksType: false };
const BINDING = /^(?:AssignStatement|ForStatement|.*ComprehensionExpression|ArgList)$/;

function isTarget(node: SyntaxNode): boolean {
  return ["VariableName", "TupleExpression", "ParenthesizedExpression", "ArrayExpression"].includes(
    node.name,
  );
}

function isIndex(node: SyntaxNode): boolean {
  return node.name === "Number" || (node.name === "UnaryExpression" && node.lastChild?.name === "Number");
}

/**
 * How a body reads its completions. `lists` are parameters that hold all of them, `items` those that hold one. Only
 * what is plainly written is seen: a completion handed to another function is not followed.
 */
export function readItemAccess(
  body: SyntaxNode,
  lists: readonly string[],
  items: readonly string[],
  source: SourceText,
): ItemAccess {
  const names = new Names(lists, items, source);
  if (lists.length === 0 && items.length === 0) return NO_ACCESS;
  // A comprehension uses its names before it binds them.
  walk(body, (ref) => {
    if (BINDING.test(ref.name)) collectBindings(ref.node, names, source);
    return true;
  });
  const message: Range[] = [];
  const text: Range[] = [];
  const firstItem: Range[] = [];
  let asksType = false;
  walk(body, (ref) => {
    if (ref.name === "MemberExpression") {
      const { node } = ref;
      const found = memberAccess(node, names, source);
      if (found === "message") message.push(source.rangeOf(node));
      else if (found === "text") text.push(source.rangeOf(node));
      else if (found === "first") firstItem.push(source.rangeOf(node));
    } else if (ref.name === "CallExpression") {
      const { node } = ref;
      const callee = node.firstChild;
      if (!callee) return true;
      const values = argumentsOf(node, source).map((argument) => argument.value);
      const called = callee.name === "MemberExpression" ? callee.lastChild : callee;
      const name = called ? source.of(called) : "";
      if (name === "isinstance" && values[0] && (names.isItem(values[0]) || names.isMessage(values[0]))) {
        asksType = true;
      }
      if (callee.name === "MemberExpression" && PATTERN_METHODS.has(name)) {
        const item = values.find((value) => names.isItem(value));
        if (item) text.push(source.rangeOf(item));
      }
    } else if (ref.name === "BinaryExpression") {
      const { node } = ref;
      const [left, operator, right] = childrenOf(node);
      if (left?.name === "String" && operator?.name === "in" && right && names.isItem(right)) {
        text.push(source.rangeOf(node));
      }
    }
    return true;
  });
  return { message, text, firstItem, asksType };
}

function collectBindings(node: SyntaxNode, names: Names, source: SourceText): void {
  if (node.name === "AssignStatement") {
    const [target, op, value] = childrenOf(node);
    if (target?.name !== "VariableName" || op?.name !== "AssignOp" || !value) return;
    if (names.isItem(value)) names.items.add(source.of(target));
    else if (names.isMessage(value)) names.messages.add(source.of(target));
    return;
  }
  const children = childrenOf(node);
  children.forEach((child, start) => {
    if (child.name !== "for") return;
    const end = children.findIndex((later, i) => i > start && later.name === "in");
    const iterable = children[end + 1];
    if (end === -1 || !iterable) return;
    names.bind(children.slice(start + 1, end).filter(isTarget), iterable);
  });
}

function memberAccess(
  node: SyntaxNode,
  names: Names,
  source: SourceText,
): "message" | "text" | "first" | null {
  const object = node.firstChild;
  if (!object) return null;
  const index = subscriptOf(node);
  const property = node.lastChild?.name === "PropertyName" ? source.of(node.lastChild) : null;
  const key = index?.name === "String";
  // `completion[0]["content"]` is found once, at the outer node.
  if (names.isMessage(object) || names.isItem(object)) {
    if (key || (property === "get" && names.isMessage(object))) return "message";
  }
  if (!names.isItem(object)) return null;
  if (property !== null) return TEXT_METHODS.has(property) ? "text" : null;
  if (!index || !isIndex(index)) return null;
  return aboutOneLetter(node, source) ? null : "first";
}

/** `item[0]` that goes on to a message's part, or that is plainly meant as one letter. */
function aboutOneLetter(node: SyntaxNode, source: SourceText): boolean {
  const parent = node.parent;
  if (!parent) return false;
  if (parent.name === "MemberExpression" && parent.firstChild?.from === node.from) {
    const property = parent.lastChild?.name === "PropertyName" ? source.of(parent.lastChild) : null;
    if (property === null || property === "get") return true;
    return LETTER_TESTS.has(property);
  }
  if (parent.name === "AssignStatement") return true;
  if (parent.name !== "BinaryExpression") return false;
  return childrenOf(parent).some((child) => simpleString(child, source) !== null);
}

/** Keys that a body looks up in its `**kwargs`. */
export function readKwargsKeys(body: SyntaxNode, kwargs: string, source: SourceText): KwargsKey[] {
  const keys: KwargsKey[] = [];
  const isKwargs = (node: SyntaxNode | null | undefined): boolean =>
    node?.name === "VariableName" && source.of(node) === kwargs;
  const add = (node: SyntaxNode | null | undefined, how: KwargsKey["how"]): void => {
    const name = node ? simpleString(node, source) : null;
    if (node && name !== null) keys.push({ name, how, range: source.rangeOf(node) });
  };
  walk(body, (ref) => {
    if (!["MemberExpression", "CallExpression", "BinaryExpression"].includes(ref.name)) return true;
    const { node } = ref;
    if (ref.name === "MemberExpression" && isKwargs(node.firstChild)) add(subscriptOf(node), "index");
    else if (ref.name === "CallExpression") {
      const callee = node.firstChild;
      if (callee?.name !== "MemberExpression" || !isKwargs(callee.firstChild)) return true;
      const method = callee.lastChild ? source.of(callee.lastChild) : "";
      if (method === "get" || method === "pop") add(argumentsOf(node, source)[0]?.value, "get");
    } else if (ref.name === "BinaryExpression" && isKwargs(node.lastChild)) add(node.firstChild, "in");
    return true;
  });
  return keys;
}
