import type { RewardFunction } from "../../schema/reward";
import { readItemAccess, readKwargsKeys } from "./access";
import type { FunctionModel } from "./model";
import { readStatements, returnKindsOf } from "./statements";
import { type SourceText, type SyntaxNode, argumentsOf, childrenOf, dottedName, walk } from "./syntax";

type Parameters = RewardFunction["parameters"];

/** Parameters that hold every completion of a batch, or just one. */
const LIST_PARAMETERS = ["completions"];
const ITEM_PARAMETERS = ["completion", "response"];

export function readParameters(list: SyntaxNode | null, source: SourceText): Parameters {
  const parameters: Parameters = [];
  let stars = 0;
  let keywordOnly = false;
  let inDefault = false;
  let start = 0;
  let nameRead = false;
  for (const child of list ? childrenOf(list) : []) {
    const last = parameters[parameters.length - 1];
    switch (child.name) {
      case ",":
        if (stars === 1 && !nameRead) keywordOnly = true;
        stars = 0;
        inDefault = false;
        nameRead = false;
        break;
      case "*":
      case "**":
        if (inDefault) break;
        stars = child.name.length;
        start = child.from;
        break;
      case "VariableName":
        if (inDefault || nameRead) break;
        nameRead = true;
        parameters.push({
          name: source.of(child),
          kind: stars === 2 ? "kwargs" : stars === 1 ? "args" : keywordOnly ? "keyword" : "positional",
          hasDefault: false,
          range: source.range(stars > 0 ? start : child.from, child.to),
        });
        if (stars === 1) keywordOnly = true;
        break;
      case "TypeDef":
        if (last) last.range = { ...last.range, end: source.position(child.to) };
        break;
      case "AssignOp":
        inDefault = true;
        if (last) last.hasDefault = true;
        break;
      default:
        break;
    }
  }
  return parameters;
}

/** Names and attributes used in a body. */
function usesOf(node: SyntaxNode, source: SourceText): { mentions: Set<string>; attributes: Set<string> } {
  const mentions = new Set<string>();
  const attributes = new Set<string>();
  walk(node, ({ name, from, to }) => {
    if (name === "VariableName") mentions.add(source.text.slice(from, to));
    else if (name === "PropertyName") attributes.add(source.text.slice(from, to));
    return true;
  });
  return { mentions, attributes };
}

function decoratorsOf(node: SyntaxNode, source: SourceText): string[] {
  return node.getChildren("Decorator").map((decorator) =>
    childrenOf(decorator)
      .filter((child) => child.name === "VariableName" || child.name === ".")
      .map((child) => source.of(child))
      .join(""),
  );
}

interface Callable {
  /** `FunctionDefinition` or `LambdaExpression`. */
  readonly definition: SyntaxNode;
  readonly source: SourceText;
  readonly decorators: readonly string[];
  /** Drop `self`. */
  readonly method: boolean;
  readonly bases: readonly string[];
}

interface Naming {
  readonly name: string;
  readonly nameNode: SyntaxNode;
  readonly kind: FunctionModel["kind"];
  readonly metricName: string;
  /** What is shown as the function: the definition, or the assignment. */
  readonly outer: SyntaxNode;
  /** Arguments that a partial has filled in. */
  readonly bound: { readonly positional: number; readonly keywords: readonly string[] };
}

const NOTHING_BOUND = { positional: 0, keywords: [] };

/** @param outer source of the naming: another part of the file than the callable's, maybe */
function describe(callable: Callable, naming: Naming, outer: SourceText): FunctionModel {
  const { definition, source } = callable;
  const body = definition.getChild("Body") ?? lambdaBody(definition) ?? definition;
  const annotation = childrenOf(definition).find((child) => child.name === "TypeDef");
  let parameters = readParameters(definition.getChild("ParamList"), source);
  if (callable.method) parameters = parameters.slice(1);
  parameters = parameters
    .slice(Math.min(naming.bound.positional, parameters.filter((p) => p.kind === "positional").length))
    .map((p) => (naming.bound.keywords.includes(p.name) ? { ...p, hasDefault: true } : p));
  const isDefinition = definition.name === "FunctionDefinition";
  const first = isDefinition ? childrenOf(body).find((child) => child.name !== ":") : body;
  const kwargs = parameters.find((parameter) => parameter.kind === "kwargs");
  const has = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
  return {
    name: naming.name,
    isAsync: definition.getChild("async") !== null,
    kind: naming.kind,
    metricName: naming.metricName,
    range: outer.trimmedRange(naming.outer.from, naming.outer.to),
    nameRange: outer.rangeOf(naming.nameNode),
    bodyRange: source.trimmedRange((first ?? body).from, body.to),
    decorators: callable.decorators,
    bases: callable.bases,
    parameters,
    returns: annotation ? source.of(annotation).replace(/^(?:->|:)\s*/, "") : null,
    returnKinds: isDefinition ? returnKindsOf(body, source) : [],
    statements: isDefinition ? readStatements(body, source) : [],
    ...usesOf(body, source),
    kwargsKeys: kwargs ? readKwargsKeys(body, kwargs.name, source) : [],
    access: readItemAccess(body, LIST_PARAMETERS.filter(has), ITEM_PARAMETERS.filter(has), source),
  };
}

function lambdaBody(definition: SyntaxNode): SyntaxNode | null {
  return definition.name === "LambdaExpression" ? definition.lastChild : null;
}

interface ClassModel {
  readonly name: string;
  readonly bases: readonly string[];
  readonly call: Callable | null;
}

/** A file, or a part of it that was parsed by itself. */
export interface SourcePart {
  readonly root: SyntaxNode;
  readonly source: SourceText;
}

/** Module-level callables; also those inside module-level `if`, `try` and `with`, but not under `__main__`. */
export function readFunctions(parts: readonly SourcePart[]): FunctionModel[] {
  const functions: FunctionModel[] = [];
  const callables = new Map<string, Callable>();
  const classes = new Map<string, ClassModel>();

  const visit = (node: SyntaxNode, source: SourceText): void => {
    switch (node.name) {
      case "DecoratedStatement":
      case "FunctionDefinition":
      case "ClassDefinition": {
        const decorated = node.name === "DecoratedStatement";
        const inner = decorated ? node.lastChild : node;
        const nameNode = inner?.getChild("VariableName");
        if (!inner || !nameNode) return;
        const name = source.of(nameNode);
        if (inner.name === "ClassDefinition") {
          classes.set(name, readClass(name, inner, source));
          return;
        }
        if (inner.name !== "FunctionDefinition") return;
        const decorators = decorated ? decoratorsOf(node, source) : [];
        const callable = { definition: inner, source, decorators, method: false, bases: [] };
        callables.set(name, callable);
        const naming = {
          name,
          nameNode,
          kind: "def",
          metricName: name,
          outer: inner,
          bound: NOTHING_BOUND,
        } as const;
        functions.push(describe(callable, naming, source));
        return;
      }
      case "AssignStatement": {
        const found = readBinding(node, callables, classes, source);
        if (found) functions.push(found);
        return;
      }
      case "IfStatement":
        if (/__name__/.test(source.text.slice(node.from, node.getChild("Body")?.from ?? node.to))) return;
        node.getChildren("Body").forEach((body) => visit(body, source));
        return;
      case "TryStatement":
      case "WithStatement":
        node.getChildren("Body").forEach((body) => visit(body, source));
        return;
      case "Body":
      case "Script":
        childrenOf(node).forEach((child) => visit(child, source));
        return;
      default:
        return;
    }
  };
  for (const { root, source } of parts) visit(root, source);
  return functions;
}

function readClass(name: string, node: SyntaxNode, source: SourceText): ClassModel {
  const bases = argumentsOf(node, source)
    .filter((argument) => argument.name === null)
    .map((argument) => (dottedName(argument.value, source) ?? []).join("."));
  let call: Callable | null = null;
  for (const child of childrenOf(node.getChild("Body") ?? node)) {
    const inner = child.name === "DecoratedStatement" ? child.lastChild : child;
    const nameNode = inner?.name === "FunctionDefinition" ? inner.getChild("VariableName") : null;
    if (inner && nameNode && source.of(nameNode) === "__call__") {
      call = { definition: inner, source, decorators: [], method: true, bases };
    }
  }
  return { name, bases, call };
}

/** `NAME = lambda …`, `NAME = partial(f, …)`, `NAME = Class(…)`, `NAME = factory(…)`. */
function readBinding(
  node: SyntaxNode,
  callables: ReadonlyMap<string, Callable>,
  classes: ReadonlyMap<string, ClassModel>,
  source: SourceText,
): FunctionModel | null {
  const nameNode = node.firstChild;
  const value = node.lastChild;
  if (nameNode?.name !== "VariableName" || !value || !node.getChild("AssignOp")) return null;
  const name = source.of(nameNode);
  const naming = { name, nameNode, outer: node, bound: NOTHING_BOUND };
  if (value.name === "LambdaExpression") {
    const callable = { definition: value, source, decorators: [], method: false, bases: [] };
    return describe(callable, { ...naming, kind: "lambda", metricName: "<lambda>" }, source);
  }
  if (value.name !== "CallExpression" || !value.firstChild) return null;
  const callee = (dottedName(value.firstChild, source) ?? []).join(".");
  if (callee === "partial" || callee === "functools.partial") {
    const [target, ...rest] = argumentsOf(value, source);
    const inner = target && source.of(target.value);
    const callable = inner === undefined ? undefined : callables.get(inner);
    if (!callable || inner === undefined) return null;
    const bound = {
      positional: rest.filter((argument) => argument.name === null).length,
      keywords: rest.flatMap((argument) => (argument.name === null ? [] : [argument.name])),
    };
    return describe(callable, { ...naming, kind: "partial", metricName: inner, bound }, source);
  }
  const made = classes.get(callee);
  if (made?.call) return describe(made.call, { ...naming, kind: "object", metricName: made.name }, source);
  const factory = callables.get(callee);
  const product = factory && returnedFunction(factory);
  if (!product) return null;
  const metricName = product.source.of(product.definition.getChild("VariableName") ?? product.definition);
  return describe(product, { ...naming, kind: "object", metricName }, source);
}

/** The function defined in a factory that the factory returns by name. */
function returnedFunction({ definition: factory, source }: Callable): Callable | null {
  const body = factory.getChild("Body");
  if (!body) return null;
  const inner = new Map<string, SyntaxNode>();
  let found: SyntaxNode | null = null;
  for (const child of childrenOf(body)) {
    const definition = child.name === "DecoratedStatement" ? child.lastChild : child;
    const nameNode = definition?.name === "FunctionDefinition" ? definition.getChild("VariableName") : null;
    if (definition && nameNode) inner.set(source.of(nameNode), definition);
    if (child.name === "ReturnStatement" && child.lastChild?.name === "VariableName") {
      found = inner.get(source.of(child.lastChild)) ?? null;
    }
  }
  return found && { definition: found, source, decorators: [], method: false, bases: [] };
}
