import { type SourcePart, readFunctions } from "./functions";
import { readImport } from "./imports";
import type { ImportModel, SourceModel } from "./model";
import { readPatterns } from "./patterns";
import { SourceText, type SyntaxNode, argumentsOf, childrenOf, parsePython, walk } from "./syntax";

/** Name of the grammar's error nodes. */
const ERROR = "⚠";

/** Reads Python source of any state; never throws. A byte order mark is left out, as an editor does. */
export function parseSource(text: string): SourceModel {
  const source = new SourceText(text.startsWith("\uFEFF") ? text.slice(1) : text);
  const root = parsePython(source.text).topNode;
  const imports: ImportModel[] = [];
  const calls: SyntaxNode[] = [];
  const assigned = new Map<string, SyntaxNode>();
  let errors = 0;
  walk(root, (ref) => {
    if (ref.name === ERROR) {
      if (!isGap(ref.node, source)) errors++;
    } else if (ref.name === "ImportStatement") imports.push(...readImport(ref.node, source));
    else if (ref.name === "CallExpression") calls.push(ref.node);
    else if (ref.name === "AssignStatement") {
      const { firstChild: target, lastChild: value } = ref.node;
      if (target?.name === "VariableName" && value && value !== target)
        assigned.set(source.of(target), value);
    }
    return true;
  });
  const listed = readListed(calls, assigned, source);
  const re = imports.filter(({ module }) => module === "re" || module === "regex");
  const { patterns, uses } = readPatterns(
    calls,
    new Map([...assigned].filter(([, node]) => isStringLike(node))),
    new Set(re.filter(({ names }) => names.length === 0).flatMap(({ binds }) => binds)),
    new Set(re.flatMap(({ names }) => names)),
    source,
  );
  return {
    functions: readFunctions(errors > 0 ? partsOf(source.text) : [{ root, source }]),
    imports,
    rewardFuncs: listed.rewardFuncs,
    rubricFuncs: listed.rubricFuncs,
    patterns,
    patternUses: uses,
    broken: errors > 0,
  };
}

/**
 * Valid Python that the grammar (@lezer/python 1.1.19) doesn't know: a bare `yield`, `with (a as b, c):`, and a star
 * in a comprehension's target.
 */
function isGap(error: SyntaxNode, source: SourceText): boolean {
  const parent = error.parent;
  if (!parent) return false;
  if (parent.name === "YieldStatement" || parent.name === "YieldExpression") {
    return error.from === error.to && error.prevSibling?.name === "yield";
  }
  if (source.of(error).startsWith("*")) return parent.getChild("for") !== null;
  const bracket = parent.name === "ParenthesizedExpression" || parent.name === "TupleExpression";
  return (bracket ? parent.parent : parent)?.name === "WithStatement";
}

/**
 * A text with errors in parts that start where a top-level definition does: an open bracket then costs one function,
 * not all that come after it. (A definition quoted in a long string counts as one; it goes with the error.)
 */
function partsOf(text: string): SourcePart[] {
  const starts = [0];
  let decorated = false;
  for (const match of text.matchAll(/^(?:@|(?:async[ \t]+)?def\b|class\b)/gm)) {
    if (!decorated && match.index > 0) starts.push(match.index);
    decorated = match[0] === "@";
  }
  let firstLine = 0;
  return starts.map((start, i) => {
    const part = text.slice(start, starts[i + 1]);
    const source = new SourceText(part, firstLine);
    firstLine += source.lines - 1;
    return { root: parsePython(part).topNode, source };
  });
}

function isStringLike(node: SyntaxNode): boolean {
  if (node.name === "ParenthesizedExpression") return childrenOf(node)[1]?.name === "ContinuedString";
  return node.name === "String" || node.name === "ContinuedString";
}

/** Names handed to trainers and rubrics, through variables and registries of the same file too. */
function readListed(
  calls: readonly SyntaxNode[],
  assigned: ReadonlyMap<string, SyntaxNode>,
  source: SourceText,
): { rewardFuncs: string[]; rubricFuncs: string[] } {
  const rewardFuncs = new Set<string>();
  const rubricFuncs = new Set<string>();
  for (const call of calls) {
    const callee = call.firstChild;
    if (!callee) continue;
    const name = source.of(callee).split(".").pop() ?? "";
    const list = argumentsOf(call, source);
    const keyword = list.find((argument) => argument.name === "reward_funcs");
    const second = /Trainer$/.test(name) ? list.filter((argument) => argument.name === null)[1] : undefined;
    const value = keyword ?? (second?.value.name === "ArrayExpression" ? second : undefined);
    if (value) collectNames(value.value, rewardFuncs, assigned, source, 6);
    if (!/Rubric$/.test(name)) continue;
    const rubric = list.find((argument) => argument.name === "funcs") ?? list[0];
    if (rubric) collectNames(rubric.value, rubricFuncs, assigned, source, 6);
  }
  return { rewardFuncs: [...rewardFuncs], rubricFuncs: [...rubricFuncs] };
}

function collectNames(
  node: SyntaxNode,
  names: Set<string>,
  assigned: ReadonlyMap<string, SyntaxNode>,
  source: SourceText,
  depth: number,
): void {
  if (depth === 0) return;
  const below = (inner: SyntaxNode): void => collectNames(inner, names, assigned, source, depth - 1);
  switch (node.name) {
    case "VariableName": {
      const name = source.of(node);
      const value = assigned.get(name);
      const container =
        value && /^(?:Array|Tuple|Dictionary|ParenthesizedExpression|BinaryExpression)/.test(value.name);
      if (container) below(value);
      else names.add(name);
      return;
    }
    case "ArrayExpression":
    case "TupleExpression":
    case "ParenthesizedExpression":
    case "BinaryExpression":
      childrenOf(node).forEach(below);
      return;
    case "DictionaryExpression":
      childrenOf(node).forEach((child, i, all) => {
        if (all[i - 1]?.name === ":") below(child);
      });
      return;
    case "ArrayComprehensionExpression": {
      // `[REGISTRY[name] for name in wanted]`: any of the registry may be wanted.
      const element = childrenOf(node)[1];
      if (element?.name === "MemberExpression" && element.firstChild) below(element.firstChild);
      return;
    }
    case "CallExpression": {
      const callee = node.firstChild ? source.of(node.firstChild) : "";
      const first = argumentsOf(node, source)[0];
      if (/(?:^|\.)partial$/.test(callee) && first) below(first.value);
      return;
    }
    default:
      return;
  }
}
