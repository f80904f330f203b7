import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { RewardsmithError } from "../base/errors";
import { encodeParts } from "../core/scoring/encode";
import { mergeEnv } from "../runtime/envFile";
import { oneRowTable } from "../services/lab/attemptTable";
import { requireRow } from "../services/lab/way";
import type { ScoreSession } from "../services/scoreSession";
import { SEED } from "../services/versions";
import type { Graph } from "./compose";

export interface DebugJob {
  python: string;
  /** The program: a file of the worker's package. */
  module: string;
  args: string[];
  cwd: string;
  /** Variables to lay over the process's own. */
  env: Record<string, string>;
}

/**
 * One sample's call as a program that a debugger can launch: no fork, no limits, breakpoints in the user's own file. It
 * runs what is on disk. The job lies in our storage folder, one file for each function, written over by the next.
 */
export function debugJob(
  session: ScoreSession,
  graph: Graph,
  ask: { row: number; function: string },
  outer: AbortSignal,
): Promise<DebugJob> {
  return session.aside(async ({ table, composition, ready }, { ports, reward }) => {
    const { path } = reward;
    const part = composition.functions.find(({ fn }) => fn.name === ask.function);
    if (!part) throw new RewardsmithError("NoFunction", `there is no function ${ask.function} now`, { path });
    if (!/\.pyw?$/u.test(path))
      throw new RewardsmithError("BadArguments", "Only a Python file can be debugged.", { path });
    requireRow(table, ask.row);
    const { env, cwd, storage, workerPath } = graph.launch();
    const [sample = "null"] = encodeParts(oneRowTable(table, ask.row, "debug"), 1);
    const job = {
      path,
      ...(await ports.imports(path)),
      function: { name: ask.function, plan: part.plan },
      row: ask.row,
      seed: SEED,
    };
    const folder = join(storage, "debug");
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${ports.hasher.hash([path, ask.function]).slice(0, 16)}.json`);
    // Put together as text: the sample may hold what JSON of JavaScript's own has no form for.
    await writeFile(file, `{"job":${JSON.stringify(job)},\n"sample":${sample}}\n`);
    const merged = mergeEnv(process.env, env, delimiter);
    const laid = Object.keys(env).map((name): [string, string] => [name, merged[name] ?? ""]);
    return {
      python: ready.python.executable,
      module: join(workerPath, "debug.py"),
      args: [file],
      cwd: cwd ?? dirname(path),
      env: { ...Object.fromEntries(laid), PYTHONUTF8: "1", PYTHONUNBUFFERED: "1" },
    };
  }, outer);
}
