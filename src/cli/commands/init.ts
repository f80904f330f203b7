import { relative, resolve, sep } from "node:path";
import { RewardsmithError } from "../../base/errors";
import { type ScanResult, scanFolders } from "../../engine/scan";
import { readSampleFile } from "../../formats/registry";
import { baseName, dirName, resolvePath } from "../../services/paths";
import { PROJECT_FILE } from "../../services/project";
import { columnNames, guessMapping } from "../../services/sampleMapping";
import { type Arguments, wrong } from "../arguments";
import { createFile } from "../createFile";
import { EXIT, type Exit } from "../exit";
import type { Session } from "../session";
import { count } from "../table";

const MOST_FILES = 200;
/** Files up to this size are looked into: settings and lock files are JSON too. */
const LOOKED_INTO_BYTES = 2_000_000;
const MOST_SAMPLES = 4;

/** `rewardsmith init`: a commented project file for what is there. Never overwrites. */
export async function init(args: Arguments, session: Session): Promise<Exit> {
  const [folder = ".", ...more] = args.positionals;
  if (more.length > 0) throw wrong(`init takes one folder: ${more.join(", ")} is too much.`);
  const home = resolve(session.cwd, folder);
  const path = resolvePath(home, PROJECT_FILE);
  const there = await session.files.stat(home);
  if (!there?.directory)
    throw new RewardsmithError("FileMissing", `There is no folder ${home}.`, { path: home });
  const exists = (): RewardsmithError =>
    wrong(`${path} is there already and isn't overwritten. Delete or rename it to make a new one.`);
  if (await session.files.stat(path)) throw exists();
  const found = await scanFolders([home], MOST_FILES, () => null, session.signal);
  const scan = { ...found, samples: await withCompletions(found.samples, session.files) };
  if (!(await createFile(path, projectText(scan, home)))) throw exists();
  const functions = scan.rewards.flatMap((file) => file.functions).length;
  if (args.json)
    session.terminal.out(
      `${JSON.stringify({
        schema: 1,
        path,
        rewards: scan.rewards.map(({ path: file, functions: own }) => ({
          path: file,
          functions: own.map(({ name }) => name),
        })),
        samples: scan.samples.map((sample) => sample.path),
        truncated: scan.truncated,
      })}\n`,
    );
  else
    session.terminal.out(
      `Wrote ${path}: ${count(functions, "reward function")} in ${count(scan.rewards.length, "file")}, ${count(scan.samples.length, "sample file")}.${scan.truncated ? " The folder is large: not all of it was looked at." : ""}\n`,
    );
  return EXIT.fine;
}

/** A sample file with its columns; null where it is too large to look into. */
interface Samples {
  readonly path: string;
  readonly bytes: number;
  readonly columns: ReadonlySet<string> | null;
}

/** Those that can be read as samples, as far as that can be told without reading a large one. */
async function withCompletions(samples: ScanResult["samples"], files: Session["files"]): Promise<Samples[]> {
  const checked = samples.map(async (sample): Promise<Samples[]> => {
    if (sample.bytes > LOOKED_INTO_BYTES) return [{ ...sample, columns: null }];
    try {
      const { rows } = await readSampleFile(await files.read(sample.path), baseName(sample.path));
      if (guessMapping(rows.slice(0, 100)) === null) return [];
      return [{ ...sample, columns: new Set(columnNames(rows)) }];
    } catch (error) {
      if (error instanceof RewardsmithError) return [];
      throw error;
    }
  });
  return (await Promise.all(checked)).flat();
}

/** One suite a reward file, with the sample files that lie nearest to it among those that have its columns. */
export function projectText(
  scan: Pick<ScanResult, "rewards"> & { readonly samples: readonly Samples[] },
  home: string,
): string {
  const name = (path: string): string => relative(home, path).split(sep).join("/");
  const used = new Set<string>();
  const suites = scan.rewards.map((file) => {
    const samples = nearest(file.path, fitting(file.functions, scan.samples)).map((sample) =>
      JSON.stringify(name(sample)),
    );
    const rewards = file.functions.map(
      (fn) => `        { "use": ${JSON.stringify(`${name(file.path)}:${fn.name}`)}, "weight": 1 }`,
    );
    return [
      `    ${JSON.stringify(suiteName(name(file.path), used))}: {`,
      `      // FILE.py:FUNCTION, each with its weight in the total.`,
      `      "rewards": [`,
      rewards.join(",\n"),
      `      ],`,
      samples.length > 0
        ? `      // Outputs to score: JSON Lines, JSON, CSV or Parquet.`
        : `      // No outputs with the columns it needs were found: list JSON Lines, JSON, CSV or Parquet files here.`,
      `      "samples": [${samples.join(", ")}],`,
      `      // Which column plays which part, where the guess is wrong: "completion", "prompt", "id", "label", or a`,
      `      // parameter of the reward.`,
      `      // "columns": { "completion": "output", "gold": "answer" },`,
      `      // Completions that the trainer compares: a column's name, "prompt", or { "size": N } rows in a row.`,
      `      // "group": { "by": "prompt" },`,
      `      "trainer": { "framework": "trl", "advantages": "group" }`,
      `    }`,
    ].join("\n");
  });
  const body =
    suites.length > 0
      ? suites.join(",\n")
      : `    // No reward functions were found. A suite looks like this:\n    // "main": { "rewards": [{ "use": "reward.py:correctness" }], "samples": ["outputs.jsonl"] }`;
  return `{\n  // Rewards, samples and trainer settings for Rewardsmith. Paths start from this file's folder.\n  "schema": 1,\n  "suites": {\n${body}\n  }\n}\n`;
}

/** Those with every column that the functions need; where none has them all, those that do for one function. */
function fitting(
  functions: ScanResult["rewards"][number]["functions"],
  samples: readonly Samples[],
): Samples[] {
  const has = ({ columns }: Samples, fn: (typeof functions)[number]): boolean =>
    fn.columns.every(({ name, required }) => !required || (columns?.has(name) ?? true));
  const all = samples.filter((sample) => functions.every((fn) => has(sample, fn)));
  return all.length > 0 ? all : samples.filter((sample) => functions.some((fn) => has(sample, fn)));
}

/** Those in the reward's own folder; else those in the nearest folder above or below that has some. */
function nearest(reward: string, samples: readonly Samples[]): string[] {
  const from = dirName(reward);
  const distance = (path: string): number => relative(from, dirName(path)).split(sep).filter(Boolean).length;
  const sorted = samples.map(({ path }) => ({ path, far: distance(path) })).sort((a, b) => a.far - b.far);
  return sorted
    .filter(({ far }) => far === sorted[0]?.far)
    .slice(0, MOST_SAMPLES)
    .map(({ path }) => path);
}

function suiteName(path: string, used: Set<string>): string {
  const stem = path.replace(/\.py$/, "");
  const base = stem.includes("/") ? (stem.split("/").at(-1) ?? stem) : stem;
  const name = used.has(base) ? stem : base;
  used.add(name);
  return name;
}
