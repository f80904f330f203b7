import type { ImportModel } from "./model";
import { type SourceText, type SyntaxNode, childrenOf } from "./syntax";

/** One `import` statement gives one model per module it names. */
export function readImport(node: SyntaxNode, source: SourceText): ImportModel[] {
  const line = source.lineOf(node.from);
  const parts = childrenOf(node).filter((part) => part.name !== "(" && part.name !== ")");
  return parts[0]?.name === "from"
    ? readFrom(parts.slice(1), line, source)
    : readPlain(parts.slice(1), line, source);
}

interface Item {
  readonly name: string;
  readonly alias: string | null;
}

function readItems(parts: readonly SyntaxNode[], source: SourceText): Item[] {
  const items: Item[] = [];
  let name = "";
  let alias: string | null = null;
  let afterAs = false;
  const flush = (): void => {
    if (name !== "") items.push({ name, alias });
    name = "";
    alias = null;
    afterAs = false;
  };
  for (const part of parts) {
    if (part.name === ",") flush();
    else if (part.name === "as") afterAs = true;
    else if (part.name === "VariableName" || part.name === "." || part.name === "*") {
      if (afterAs) alias = source.of(part);
      else name += source.of(part);
    }
  }
  flush();
  return items;
}

function readPlain(parts: readonly SyntaxNode[], line: number, source: SourceText): ImportModel[] {
  return readItems(parts, source).map(({ name, alias }) => ({
    module: name,
    level: 0,
    names: [],
    binds: [alias ?? name.split(".")[0] ?? name],
    line,
  }));
}

function readFrom(parts: readonly SyntaxNode[], line: number, source: SourceText): ImportModel[] {
  const at = parts.findIndex((part) => part.name === "import");
  const head = at === -1 ? parts : parts.slice(0, at);
  const module = head
    .filter((part) => part.name === "." || part.name === "..." || part.name === "VariableName")
    .map((part) => source.of(part))
    .join("");
  if (module === "") return [];
  const items = at === -1 ? [] : readItems(parts.slice(at + 1), source);
  return [
    {
      module,
      level: /^\.*/.exec(module)?.[0].length ?? 0,
      names: items.map((item) => item.name),
      binds: items.filter((item) => item.name !== "*").map((item) => item.alias ?? item.name),
      line,
    },
  ];
}

/** A module that a file may import, as path segments below an import root (level 0) or below its package. */
export interface ImportCandidate {
  /** 0: below an import root; 1: the folder of the file; 2: the one above; … */
  readonly level: number;
  readonly segments: readonly string[];
}

/**
 * Every module that the imports may load. `from pkg import helper` may load `pkg` and `pkg/helper`; which of them are
 * files (`a/b.py` or `a/b/__init__.py`) is for the caller to see.
 */
export function importCandidates(imports: readonly ImportModel[]): ImportCandidate[] {
  const found = new Map<string, ImportCandidate>();
  const add = (level: number, segments: readonly string[]): void => {
    if (segments.length > 0) found.set(`${level}:${segments.join("/")}`, { level, segments });
  };
  for (const { module, level, names } of imports) {
    const segments = module.slice(level).split(".").filter(Boolean);
    for (let n = 1; n <= segments.length; n++) add(level, segments.slice(0, n));
    for (const name of names) if (name !== "*") add(level, [...segments, name]);
  }
  return [...found.values()];
}

/** Whether the file imports the package (or a module of it). */
export function importsPackage(imports: readonly ImportModel[], ...packages: readonly string[]): boolean {
  return imports.some(({ module, level }) => level === 0 && packages.includes(module.split(".")[0] ?? ""));
}
