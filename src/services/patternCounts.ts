import { RewardsmithError } from "../base/errors";
import type { PatternModel, SourceModel } from "../core/python/model";
import { parseSource } from "../core/python/source";
import type { SampleTable } from "../core/scoring/table";
import { allRows } from "../core/scoring/plan";
import { encodeParts } from "../core/scoring/encode";
import type { Position, Range } from "../schema/reward";
import type { CallPlan } from "../schema/worker";
import type { EngineSettings } from "../schema/settings";
import { completionText, oneLine } from "./functionScores";
import { liveKind } from "./passRequest";
import type { ScoringPorts } from "./ports";
import { runPass } from "./scoreRunner";
import { SEED } from "./versions";

export interface PatternCount {
  readonly range: Range;
  readonly pattern: string;
  readonly matched: number;
  readonly of: number;
  readonly misses: { row: number; text: string }[];
  readonly error: string | null;
}

/** One call a completion: the user's own `re` decides, so the counts are what the reward will see. */
const PLAN: CallPlan = {
  unit: "sample",
  arguments: [{ name: "completion", from: "completion" }],
  passing: "named",
  returns: "number",
  awaits: "functions",
};
const CALLS = new Set(["match", "search", "fullmatch"]);
const MOST_MISSES = 5;
const KEPT = 50;

/** How many completions a pattern literal matches, by literal, flags and samples. */
export class PatternCounts {
  readonly #ports: ScoringPorts;
  readonly #known = new Map<string, Promise<Omit<PatternCount, "range">>>();

  constructor(ports: ScoringPorts) {
    this.#ports = ports;
  }

  /** Null where no pattern literal is at the position. */
  async at(
    path: string,
    text: string,
    position: Position,
    table: SampleTable,
    settings: EngineSettings,
    signal?: AbortSignal,
  ): Promise<PatternCount | null> {
    const source = parseSource(text);
    const index = source.patterns.findIndex(({ range }) => holds(range, position));
    const pattern = source.patterns[index];
    if (!pattern) return null;
    const method = methodOf(source, index, pattern);
    const key = JSON.stringify([pattern.literal, pattern.flags, method, table.info.set]);
    let counted = this.#known.get(key);
    if (!counted) {
      counted = this.#count(path, pattern, method, table, settings, signal);
      this.#known.set(key, counted);
      // A count that was cancelled or couldn't be made is made again when it is asked for again.
      counted.catch(() => this.#known.delete(key));
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= KEPT) break;
        this.#known.delete(oldest);
      }
    }
    return { range: pattern.range, ...(await counted) };
  }

  async #count(
    path: string,
    pattern: PatternModel,
    method: string,
    table: SampleTable,
    settings: EngineSettings,
    signal?: AbortSignal,
  ): Promise<Omit<PatternCount, "range">> {
    const { worker, clock } = this.#ports;
    await worker.ready(signal);
    await worker.load(table.info.set, () => encodeParts(table, 500));
    const target = `${path}.rewardsmith-pattern.py`;
    const pass = await runPass(
      worker,
      clock,
      {
        target: {
          path: target,
          module: "rewardsmith_pattern",
          roots: [],
          overlays: { [target]: program(pattern, method) },
        },
        functions: [{ name: "matches", plan: PLAN, allow: [] }],
        set: table.info.set,
        n: table.n,
        batches: [allRows(table)],
        limits: {
          unitSeconds: settings.liveTimeoutSeconds,
          loadSeconds: settings.liveTimeoutSeconds,
          memoryMb: settings.memoryMb,
          outputBytes: settings.outputBytes,
        },
        seed: SEED,
        calls: 1,
        trace: null,
        ...liveGuard(settings),
      },
      signal ? { signal } : {},
    );
    if (signal?.aborted) throw new RewardsmithError("Cancelled", "counting matches was cancelled");
    const rows = pass.functions[0]?.rows ?? [];
    const misses = rows.flatMap((cell, row) => (cell?.state === "scored" && cell.value === 0 ? [row] : []));
    const failed = rows.find((cell) => cell && cell.state !== "scored");
    return {
      pattern: pattern.literal,
      matched: rows.filter((cell) => cell?.value === 1).length,
      of: table.n,
      misses: misses
        .slice(0, MOST_MISSES)
        .map((row) => ({ row, text: oneLine(completionText(table.completion[row])) })),
      error:
        pass.failure?.message ??
        (failed ? (failed.reason?.text ?? failed.reason?.code ?? failed.state) : null),
    };
  }
}

/** The literal as it is written, so that Python itself reads prefixes, escapes and joined parts. */
function program({ literal, flags }: PatternModel, method: string): string {
  const list = flags === "" ? "" : `, ${flags}`;
  return [
    "import re",
    "from re import *",
    `PATTERN = re.compile((${literal})${list})`,
    "def text_of(completion):",
    "    if isinstance(completion, str):",
    "        return completion",
    "    if isinstance(completion, dict):",
    "        return text_of(completion.get('content') or '')",
    "    if isinstance(completion, list):",
    "        return '\\n'.join(text_of(part) for part in completion)",
    "    return str(completion)",
    "def matches(completion):",
    `    return 1.0 if PATTERN.${method}(text_of(completion)) else 0.0`,
    "",
  ].join("\n");
}

function liveGuard(settings: EngineSettings): {
  guarded: boolean;
  patience: number | null;
  searches: boolean;
} {
  const { guarded, patience, searches } = liveKind(settings);
  return { guarded, patience, searches };
}

/** As the pattern is applied in the file; those that look for every place (`findall`, `sub`) count like `search`. */
function methodOf(source: SourceModel, index: number, pattern: PatternModel): string {
  const used = source.patternUses.find((use) => use.pattern === index)?.method ?? pattern.call;
  return CALLS.has(used) ? used : "search";
}

function holds({ start, end }: Range, { line, character }: Position): boolean {
  const after = line > start.line || (line === start.line && character >= start.character);
  const before = line < end.line || (line === end.line && character <= end.character);
  return after && before;
}
