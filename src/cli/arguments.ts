import { parseArgs } from "node:util";
import { RewardsmithError } from "../base/errors";
import type { SampleMapping } from "../schema/sample";

const OPTIONS = {
  samples: { type: "string", multiple: true },
  columns: { type: "string" },
  "group-by": { type: "string" },
  contract: { type: "string" },
  weights: { type: "string" },
  advantages: { type: "string" },
  aggregation: { type: "string" },
  batch: { type: "string" },
  timeout: { type: "string" },
  python: { type: "string" },
  mode: { type: "string" },
  baseline: { type: "string" },
  rows: { type: "string" },
  as: { type: "string" },
  "fail-on": { type: "string" },
  recipe: { type: "string" },
  checkpoint: { type: "string" },
  suite: { type: "string" },
  set: { type: "string", multiple: true },
  smoke: { type: "boolean" },
  backend: { type: "string" },
  name: { type: "string" },
  env: { type: "string", multiple: true },
  secret: { type: "string", multiple: true },
  from: { type: "string" },
  bytes: { type: "string" },
  follow: { type: "boolean", short: "f" },
  now: { type: "boolean" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

export type OptionName = keyof typeof OPTIONS;

type ListOption = "env" | "secret" | "set";
type FlagOption = "follow" | "now" | "smoke";
type TextOption = Exclude<OptionName, "samples" | "json" | "help" | "version" | FlagOption | ListOption>;

const SHARED: readonly OptionName[] = ["json", "help", "version"];
const SCORE: readonly OptionName[] = [
  ...SHARED,
  "samples",
  "columns",
  "group-by",
  "contract",
  "weights",
  "advantages",
  "aggregation",
  "batch",
  "timeout",
  "python",
  "mode",
  "baseline",
];
const ALLOWED: Readonly<Record<string, readonly OptionName[]>> = {
  score: SCORE,
  check: [...SCORE, "fail-on"],
  read: [...SHARED, "rows", "as", "columns", "group-by"],
  init: SHARED,
  run: [...SHARED, "recipe", "backend", "name", "env", "secret", "from", "bytes", "follow", "now", "python"],
};
export const COMMANDS = Object.keys(ALLOWED);

export interface Arguments {
  readonly command: string | null;
  readonly positionals: readonly string[];
  readonly samples: readonly string[];
  readonly json: boolean;
  readonly help: boolean;
  readonly version: boolean;
  /** What stands after `--`, word by word: a command of the user's own. */
  readonly rest: readonly string[];
  text(name: TextOption): string | null;
  texts(name: ListOption): readonly string[];
  flag(name: FlagOption): boolean;
}

const PYTHON = /\.pyw?(:|$)/;

/** Throws BadArguments with a sentence that names the option. `--samples A B` takes all that follows it. */
export function readArguments(argv: readonly string[]): Arguments {
  const { own, rest: after } = splitRest(argv);
  let parsed;
  try {
    parsed = parseArgs({ args: [...own], options: OPTIONS, allowPositionals: true, tokens: true });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message.replace(/\. To specify.*$/s, ".") : String(error));
  }
  const positionals: string[] = [];
  const samples: string[] = [];
  let inSamples = false;
  for (const token of parsed.tokens) {
    if (token.kind === "positional")
      (inSamples && !PYTHON.test(token.value) ? samples : positionals).push(token.value);
    else if (token.kind === "option") {
      inSamples = token.name === "samples";
      if (inSamples && typeof token.value === "string") samples.push(token.value);
    } else inSamples = false;
  }
  const [command, ...rest] = positionals;
  const values = parsed.values;
  if (command !== undefined && !COMMANDS.includes(command))
    throw wrong(`There is no command ${JSON.stringify(command)}. There are: ${COMMANDS.join(", ")}.`);
  const allowed = command === undefined ? SHARED : (ALLOWED[command] ?? SHARED);
  for (const token of parsed.tokens)
    if (token.kind === "option" && !allowed.some((name) => name === token.name))
      throw wrong(`${command ?? "rewardsmith"} has no option ${token.rawName}.`);
  return {
    command: command ?? null,
    positionals: rest,
    samples,
    json: values.json ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
    rest: after,
    text: (name) => values[name] ?? null,
    texts: (name) => values[name] ?? [],
    flag: (name) => values[name] ?? false,
  };
}

/** `run … -- COMMAND`: words after `--` are the user's, also where they look like options of ours. */
export function splitRest(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly rest: readonly string[];
} {
  const cut = argv[0] === "run" ? argv.indexOf("--") : -1;
  return cut < 0 ? { own: argv, rest: [] } : { own: argv.slice(0, cut), rest: argv.slice(cut + 1) };
}

export function wrong(message: string): RewardsmithError {
  return new RewardsmithError("BadArguments", message);
}

/** "a=1,b=2" → pairs. */
export function readPairs(option: string, text: string): [string, string][] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const cut = part.indexOf("=");
      if (cut < 1) throw wrong(`--${option}: ${JSON.stringify(part)} isn't NAME=VALUE.`);
      return [part.slice(0, cut).trim(), part.slice(cut + 1).trim()];
    });
}

export function readNumber(option: string, text: string, kind: "count" | "seconds" | "weight"): number {
  const value = Number(text);
  const fits =
    text.trim() !== "" &&
    Number.isFinite(value) &&
    (kind === "weight" || (value > 0 && (kind === "seconds" || Number.isInteger(value))));
  if (!fits)
    throw wrong(
      `--${option}: ${JSON.stringify(text)} isn't ${kind === "count" ? "a whole number from 1" : kind === "seconds" ? "a number of seconds above 0" : "a number"}.`,
    );
  return value;
}

export function readChoice<T extends string>(option: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw wrong(`--${option}: ${JSON.stringify(text)} isn't one of ${choices.join(", ")}.`);
  return found;
}

/** --columns and --group-by as parts of a mapping. */
export function readMapping(args: Arguments): Partial<SampleMapping> {
  const columns = args.text("columns");
  const group = args.text("group-by");
  const hints: Partial<SampleMapping> = {};
  if (columns !== null) {
    const others: Record<string, string> = {};
    for (const [part, column] of readPairs("columns", columns)) {
      if (part === "prompt") hints.prompt = column;
      else if (part === "completion") hints.completion = column;
      else if (part === "id") hints.id = column;
      else if (part === "label") hints.label = column;
      else if (part === "completion_ids") hints.completionIds = column;
      else others[part] = column;
    }
    if (Object.keys(others).length > 0) hints.columns = others;
  }
  if (group !== null)
    hints.group =
      group === "prompt"
        ? { by: "prompt" }
        : /^\d+$/.test(group)
          ? { by: "size", size: readNumber("group-by", group, "count") }
          : { by: "column", column: group };
  return hints;
}

/** "FILE.py:f,g" → the file and the functions; null = all of its rewards. */
export function readTarget(text: string): { file: string; functions: string[] | null } {
  const found = /^(.+?\.(?:pyw?|ipynb))(?::(.*))?$/.exec(text);
  if (!found?.[1])
    throw wrong(`${JSON.stringify(text)} isn't a Python file or notebook (FILE.py or FILE.py:FUNCTION).`);
  const names = (found[2] ?? "").split(/[:,]/).filter((name) => name !== "");
  return { file: found[1], functions: names.length > 0 ? names : null };
}

/** "A:B" from 1, both included; "A:" and ":B" are open. → from (0-based) and count. */
export function readRows(text: string): { from: number; count: number } {
  const found = /^(\d*):(\d*)$/.exec(text) ?? (/^\d+$/.test(text) ? [text, text, text] : null);
  const first = found?.[1] ? Number(found[1]) : 1;
  const last = found?.[2] ? Number(found[2]) : Number.POSITIVE_INFINITY;
  if (!found || first < 1 || last < first)
    throw wrong(`--rows: ${JSON.stringify(text)} isn't A:B with rows counted from 1.`);
  return { from: first - 1, count: last - first + 1 };
}
