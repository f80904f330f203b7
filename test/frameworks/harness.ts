import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FRAMEWORK_ENV } from "../../scripts/frameworks.mjs";

/** Numbers as the harness writes them: not-a-number as words, None as null. */
export type Cell = number | "nan" | "inf" | "-inf" | null;

export interface ScoreCase {
  id: string;
  op: "score";
  /** One list a function, a value a row. */
  rewards: Cell[][];
  weights: number[];
  /** Group size. */
  n: number;
  scale: "group" | "batch" | "none";
  aggregation: "sum_then_normalize" | "normalize_then_sum";
}

export interface TrainCase extends Omit<ScoreCase, "op" | "rewards"> {
  op: "train";
  file: string;
  functions: string[];
  completions: string[];
  columns: Record<string, unknown[]>;
}

export interface FateCase extends Pick<ScoreCase, "id" | "scale" | "aggregation"> {
  op: "fate";
  behaviour: string;
  with_other: boolean;
  seconds: number;
}

export interface Scored {
  id: string;
  advantages: Cell[];
  rewards: Cell[];
  /** Null under normalize_then_sum. */
  means: Cell[] | null;
  stds: Cell[];
  perFunction: Cell[][];
  logged: Record<string, Cell>;
}
export type Trained = Pick<Scored, "id" | "advantages" | "perFunction" | "logged"> & { completion: string[] };
export type Ended = { id: string } & (
  Omit<Scored, "id"> | { error: string; message: string } | { exit: number } | { waits: number }
);

/** Of a case by its op: the harness answers each in its own form. */
export type Result = Scored & Trained & Ended;

export interface Results {
  versions: Record<string, string>;
  get(id: string): Result;
  /** Wall clock of the Python process, milliseconds. */
  ms: number;
}

export function toNumber(cell: Cell | undefined): number {
  if (typeof cell === "number") return cell;
  if (cell === "inf") return Number.POSITIVE_INFINITY;
  if (cell === "-inf") return Number.NEGATIVE_INFINITY;
  return Number.NaN;
}

/** Runs all cases in one Python process (importing torch and TRL takes most of its time). */
export async function runCases(
  python: string,
  script: string,
  cases: readonly { id: string }[],
): Promise<Results> {
  const folder = await mkdtemp(path.join(tmpdir(), "rewardsmith-frameworks-"));
  try {
    const input = path.join(folder, "cases.jsonl");
    const output = path.join(folder, "results.jsonl");
    await writeFile(input, cases.map((c) => JSON.stringify(c)).join("\n"));
    const started = performance.now();
    const { code, text } = await runPython(python, [path.join(import.meta.dirname, script), input, output]);
    if (code !== 0) throw new Error(`${script} ended with ${String(code)}:\n${text.slice(-4000)}`);
    const [first, ...lines] = (await readFile(output, "utf8")).trimEnd().split("\n");
    const results = new Map(
      lines.map((line) => {
        const result = JSON.parse(line) as Result;
        return [result.id, result] as const;
      }),
    );
    return {
      versions: (JSON.parse(first ?? "{}") as { versions: Record<string, string> }).versions,
      ms: performance.now() - started,
      get(id) {
        const result = results.get(id);
        if (result === undefined) throw new Error(`no result for case ${id}`);
        return result;
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runPython(python: string, args: readonly string[]): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, args, {
      env: { ...process.env, ...FRAMEWORK_ENV },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    const keep = (chunk: Buffer) => (text = (text + chunk.toString()).slice(-20_000));
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, text }));
  });
}

/** A generator with a seed, so that a failing case can be met again (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
