import { resolve } from "node:path";
import { RewardsmithError } from "../base/errors";
import type { Projects } from "../services/project";
import type { ScoreOnceOptions } from "../services/scoreOnce";
import type { SampleMapping } from "../schema/sample";
import type { EngineSettings } from "../schema/settings";
import {
  type Arguments,
  readChoice,
  readMapping,
  readNumber,
  readPairs,
  readTarget,
  wrong,
} from "./arguments";

export interface ScoreRequest {
  /** `mapping` is null here: `hints` are made into one once the samples are open. */
  readonly options: ScoreOnceOptions;
  readonly hints: Partial<SampleMapping>;
  readonly settings: Pick<EngineSettings, "python" | "workerMode">;
}

/** What the arguments of `score` and `check` ask for; what they leave out comes from the suite, or by default. */
export function scoreRequest(args: Arguments, cwd: string, calls: 1 | 2): ScoreRequest {
  const [target, ...more] = args.positionals;
  if (target === undefined)
    throw wrong(`${args.command ?? "score"} needs a Python file: FILE.py or FILE.py:FUNCTION.`);
  if (more.length > 0)
    throw wrong(`One Python file at a time: ${more.join(", ")} is too much. Sample files follow --samples.`);
  const { file, functions } = readTarget(target);
  const read = <T>(
    name: Parameters<Arguments["text"]>[0],
    parse: (option: string, text: string) => T,
  ): T | null => {
    const text = args.text(name);
    return text === null ? null : parse(name, text);
  };
  const { group, ...hints } = readMapping(args);
  const weights = read("weights", (option, text) =>
    readPairs(option, text).map(([fn, weight]): [string, number] => [
      fn,
      readNumber(option, weight, "weight"),
    ]),
  );
  return {
    hints,
    options: {
      file: resolve(cwd, file),
      functions,
      files: args.samples.map((path) => resolve(cwd, path)),
      mapping: null,
      contract: read("contract", (option, text) => readChoice(option, text, ["trl", "plain"])),
      weights: Object.fromEntries(weights ?? []),
      groupBy:
        group === undefined
          ? null
          : group.by === "size"
            ? group.size
            : group.by === "column"
              ? group.column
              : "prompt",
      advantages: read("advantages", (option, text) => readChoice(option, text, ["group", "batch", "none"])),
      aggregation: read("aggregation", (option, text) =>
        readChoice(option, text, ["sum_then_normalize", "normalize_then_sum"]),
      ),
      batch: read("batch", (option, text) => readNumber(option, text, "count")),
      timeoutSeconds: read("timeout", (option, text) => readNumber(option, text, "seconds")),
      baselineRef: read("baseline", (_, text) =>
        text.toUpperCase() === "HEAD" ? "HEAD" : resolve(cwd, text),
      ),
      calls,
    },
    settings: {
      // A bare name is looked up on PATH, as a shell would.
      python: read("python", (_, text) => (/[\\/]/.test(text) ? resolve(cwd, text) : text)),
      workerMode:
        read("mode", (option, text) => readChoice(option, text, ["auto", "fork", "spare"])) ?? "auto",
    },
  };
}

/** Faults of the nearest project file: an error stops the command, warnings are returned for the reader. */
export async function projectNotes(projects: Pick<Projects, "find">, file: string): Promise<string[]> {
  const { path, problems } = await projects.find(file);
  return problems.map((problem) => {
    const line = problem.range ? problem.range.start.line + 1 : null;
    const message = `${path ?? ""}${line === null ? "" : `:${line}`}: ${problem.message}`;
    if (problem.severity === "error") throw new RewardsmithError("BadProject", message, { path, line });
    return message;
  });
}
