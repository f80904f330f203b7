import type { Range, RewardFunction } from "../../schema/reward";

/** What can be read from Python source without running it; works on broken text (made by `@lezer/python`). */
export interface SourceModel {
  /**
   * Module-level callables in order: `def`, `async def`, and names bound to a lambda, `functools.partial(…)`, an
   * instance of a class of this file with `__call__`, or what a factory of this file returns. A name that is defined
   * twice is here twice; Python keeps the last.
   */
  readonly functions: readonly FunctionModel[];
  readonly imports: readonly ImportModel[];
  /** Names listed as `reward_funcs=` (or second positional list) of a trainer. */
  readonly rewardFuncs: readonly string[];
  /** Names listed as `funcs=` of a rubric: another framework's rewards. */
  readonly rubricFuncs: readonly string[];
  /** String literals handed to `re.*` functions, with the flags text after them. */
  readonly patterns: readonly PatternModel[];
  /** Where those patterns are applied to a text. */
  readonly patternUses: readonly PatternUse[];
  /** The grammar finds syntax errors. Only Python itself decides whether it loads. */
  readonly broken: boolean;
}

export interface ImportModel {
  /** Dotted name as written, leading dots included: `pkg.mod`, `.helper`, `.`. */
  readonly module: string;
  /** Leading dots; 0 for an absolute import. */
  readonly level: number;
  /** Imported names, as they are called in the other module; empty for a plain `import`. `*` for a star. */
  readonly names: readonly string[];
  /** Names that the import binds in this file. */
  readonly binds: readonly string[];
  readonly line: number;
}

export type ReturnKind = "list" | "number" | "string" | "dict" | "none" | "unknown";
export type StatementKind = "return" | "branch" | "append" | "raise" | "other";

export interface StatementLine {
  readonly line: number;
  readonly kind: StatementKind;
  /**
   * Line whose hits stand for this one: itself, but the first statement below for heads that Python doesn't report
   * when it steps (`else:`, `case _:`, `while True:`).
   */
  readonly countedAt: number;
}

export interface FunctionModel {
  readonly name: string;
  readonly isAsync: boolean;
  readonly kind: "def" | "object" | "partial" | "lambda";
  /** Under which name the trainer logs it: of a partial the inner function, of an object its class. */
  readonly metricName: string;
  readonly range: Range;
  readonly nameRange: Range;
  readonly bodyRange: Range;
  /** Dotted names without arguments, e.g. `vf.reward`. */
  readonly decorators: readonly string[];
  /** Base classes of the class behind an object; empty for others. */
  readonly bases: readonly string[];
  readonly parameters: RewardFunction["parameters"];
  /** Text of the return annotation. */
  readonly returns: string | null;
  /** What its return expressions look like; empty where there is none. */
  readonly returnKinds: readonly ReturnKind[];
  /** Statement lines of the body by kind (0-based), for previews; only lines inside the body. */
  readonly statements: readonly StatementLine[];
  /** Names used in the body. */
  readonly mentions: ReadonlySet<string>;
  /** Attributes used in the body: `random` of `np.random`. */
  readonly attributes: ReadonlySet<string>;
  /** Keys looked up in the `**kwargs` parameter. */
  readonly kwargsKeys: readonly KwargsKey[];
  readonly access: ItemAccess;
}

export interface KwargsKey {
  readonly name: string;
  /** `kwargs["x"]`, `kwargs.get("x")`, `"x" in kwargs`. */
  readonly how: "index" | "get" | "in";
  readonly range: Range;
}

/** How the body reads one completion: what it takes a completion to be. */
export interface ItemAccess {
  /** As a list of messages: `completion[0]["content"]`, `message["content"]`. */
  readonly message: readonly Range[];
  /** As a text: `completion.strip()`, `re.search(p, completion)`, `"x" in completion`. */
  readonly text: readonly Range[];
  /** `completion[0]` and no more: one message of a chat, one character of a text. */
  readonly firstItem: readonly Range[];
  /** It asks `isinstance(…)` of a completion, so it knows of both shapes. */
  readonly asksType: boolean;
}

export interface PatternModel {
  /** Range of the literal. */
  readonly range: Range;
  /** The literal as written, prefix and quotes included; adjacent literals as written too. */
  readonly literal: string;
  /** `re` function it was handed to first, e.g. `compile`. */
  readonly call: string;
  /** Argument text of flags, e.g. `re.DOTALL`; empty where there is none. */
  readonly flags: string;
  /** Name that the compiled pattern is bound to, if any. */
  readonly boundTo: string | null;
}

export interface PatternUse {
  /** Index in `patterns`. */
  readonly pattern: number;
  /** `match`, `search`, `fullmatch`, `findall`, `finditer`, `sub`, `subn`, `split`. */
  readonly method: string;
  readonly line: number;
}
