import type { PatternModel, PatternUse } from "./model";
import {
  type Argument,
  type SourceText,
  type SyntaxNode,
  argumentsOf,
  childrenOf,
  dottedName,
} from "./syntax";

/** `re` functions and where their flags stand by position. */
const FLAGS_AT: Readonly<Record<string, number>> = {
  compile: 1,
  match: 2,
  search: 2,
  fullmatch: 2,
  findall: 2,
  finditer: 2,
  split: 3,
  sub: 4,
  subn: 4,
};

interface Found {
  readonly patterns: PatternModel[];
  readonly uses: PatternUse[];
}

/**
 * Pattern literals and where they are used.
 * @param calls every call expression of the file, in order
 * @param strings string literals by the name they are assigned to
 * @param modules names under which `re` (or `regex`) is known
 * @param functions names imported from it, e.g. `search`
 */
export function readPatterns(
  calls: readonly SyntaxNode[],
  strings: ReadonlyMap<string, SyntaxNode>,
  modules: ReadonlySet<string>,
  functions: ReadonlySet<string>,
  source: SourceText,
): Found {
  const patterns: PatternModel[] = [];
  const uses: PatternUse[] = [];
  const bound = new Map<string, number>();
  const known = new Map<string, number>();

  const add = (literal: SyntaxNode, call: string, flags: string, boundTo: string | null): number => {
    const key = `${literal.from}:${call}:${flags}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    patterns.push({ range: source.rangeOf(literal), literal: source.of(literal), call, flags, boundTo });
    known.set(key, patterns.length - 1);
    return patterns.length - 1;
  };

  const functionOf = (callee: SyntaxNode): string | null => {
    const [module, name, more] = dottedName(callee, source) ?? [];
    if (module === undefined || more !== undefined) return null;
    if (name === undefined) return functions.has(module) && module in FLAGS_AT ? module : null;
    return modules.has(module) && name in FLAGS_AT ? name : null;
  };

  for (const call of calls) {
    const callee = call.firstChild;
    const name = callee && functionOf(callee);
    if (name !== "compile") continue;
    const list = argumentsOf(call, source);
    const literal = literalOf(list[0]?.value, strings, source);
    if (!literal) continue;
    const target = boundName(call, source);
    const index = add(literal, name, flagsOf(list, name, source), target);
    if (target !== null) bound.set(target, index);
    const method = call.parent?.name === "MemberExpression" ? call.parent.lastChild : null;
    if (method?.name === "PropertyName" && source.of(method) in FLAGS_AT) {
      uses.push({ pattern: index, method: source.of(method), line: source.lineOf(call.from) });
    }
  }
  for (const call of calls) {
    const callee = call.firstChild;
    if (!callee) continue;
    const line = source.lineOf(call.from);
    const name = functionOf(callee);
    if (name !== null && name !== "compile") {
      const list = argumentsOf(call, source);
      const first = list[0]?.value;
      const index = first?.name === "VariableName" ? bound.get(source.of(first)) : undefined;
      if (index !== undefined) {
        uses.push({ pattern: index, method: name, line });
        continue;
      }
      const literal = literalOf(first, strings, source);
      if (!literal) continue;
      uses.push({ pattern: add(literal, name, flagsOf(list, name, source), null), method: name, line });
      continue;
    }
    const [object, method, more] = dottedName(callee, source) ?? [];
    if (object === undefined || method === undefined || more !== undefined) continue;
    const index = bound.get(object);
    if (index !== undefined && method in FLAGS_AT) uses.push({ pattern: index, method, line });
  }
  return { patterns, uses };
}

function literalOf(
  node: SyntaxNode | undefined,
  strings: ReadonlyMap<string, SyntaxNode>,
  source: SourceText,
): SyntaxNode | null {
  if (!node) return null;
  if (node.name === "String" || node.name === "ContinuedString") return node;
  if (node.name === "ParenthesizedExpression") return literalOf(childrenOf(node)[1], strings, source);
  return node.name === "VariableName" ? (strings.get(source.of(node)) ?? null) : null;
}

function flagsOf(list: readonly Argument[], name: string, source: SourceText): string {
  const keyword = list.find((argument) => argument.name === "flags");
  const positional = list.filter((argument) => argument.name === null)[FLAGS_AT[name] ?? -1];
  const node = keyword?.value ?? positional?.value;
  return node ? source.of(node) : "";
}

/** `NAME` in `NAME = re.compile(…)`. */
function boundName(call: SyntaxNode, source: SourceText): string | null {
  const parent = call.parent;
  const target = parent?.name === "AssignStatement" ? parent.firstChild : null;
  return target?.name === "VariableName" ? source.of(target) : null;
}
