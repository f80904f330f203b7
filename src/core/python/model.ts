import type { Range, RewardFunction } from "../../schema/reward";

/** What can be read from Python source without running it; works on broken text (made by `@lezer/python`). */
export interface SourceModel {
  /** Module-level callables: `def`, `async def`, and names bound to a lambda, `functools.partial(…)` or an instance of a class of this file with `__call__`. */
  readonly functions: readonly FunctionModel[];
  readonly imports: readonly {
    readonly module: string;
    readonly names: readonly string[];
    readonly line: number;
  }[];
  /** Calls with a keyword `reward_funcs=[…]` (or positional list) of a trainer: names listed. */
  readonly rewardFuncs: readonly string[];
  /** String literals handed to `re.*` functions, with the flags text after them. */
  readonly patterns: readonly PatternModel[];
  /** The text has syntax errors. */
  readonly broken: boolean;
}

export interface FunctionModel {
  readonly name: string;
  readonly isAsync: boolean;
  readonly kind: "def" | "object" | "partial" | "lambda";
  readonly range: Range;
  readonly nameRange: Range;
  readonly bodyRange: Range;
  readonly decorators: readonly string[];
  readonly parameters: RewardFunction["parameters"];
  /** Text of the return annotation. */
  readonly returns: string | null;
  /** Statement lines of the body by kind (0-based), for previews. */
  readonly statements: readonly {
    readonly line: number;
    readonly kind: "return" | "branch" | "append" | "raise" | "other";
  }[];
}

export interface PatternModel {
  /** Range of the literal. */
  readonly range: Range;
  /** The literal as written, prefix and quotes included. */
  readonly literal: string;
  readonly call: string;
  /** Argument text of flags, e.g. `re.DOTALL`; empty where there is none. */
  readonly flags: string;
  /** Name that the compiled pattern is bound to, if any. */
  readonly boundTo: string | null;
}
