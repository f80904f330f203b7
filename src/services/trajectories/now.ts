import type { LabSource } from "../lab/source";
import { scoredFacts } from "../lab/scoredFacts";
import { weigh, weightsOf } from "../lab/weighed";
import type { NowScore, TrajectorySource } from "./source";

/** Rows of the source that are asked for at once. */
const PAGE = 500;

interface Placed {
  readonly index: number;
  readonly id: string;
  readonly line: number;
  readonly file: string;
}

/**
 * What a session's scores say of a source's trajectories, by index: the weighted total where every function judged the
 * row or had nothing to say of it, else null with the worst state. Null where the source holds other files.
 */
export async function nowScores(
  { table, scored }: Pick<LabSource, "table" | "scored">,
  source: TrajectorySource,
): Promise<Map<number, NowScore> | null> {
  if (!scored || !concerns(table.info.files, source)) return null;
  const { complete, known } = source.progress();
  // Told again with the next rows; looking for each of them in a half-read source would be for nothing.
  if (!complete && known !== table.n) return new Map();
  const facts = scoredFacts({ table, scored });
  const { totals } = weigh(facts, weightsOf(facts, null));
  const index = await indexByRow(table, source);
  const scores = new Map<number, NowScore>();
  facts.states.forEach((state, row) => {
    const at = index(row);
    if (state === null || at === null) return;
    const total = totals[row] ?? Number.NaN;
    const value = state === "scored" && Number.isFinite(total) ? total : null;
    scores.set(at, { value, state });
  });
  return scores;
}

/** A session's samples are all files of the source; of a folder they may be a part. */
export function concerns(files: readonly string[], source: TrajectorySource): boolean {
  if (!source.info().folder) return files.length === 1 && files[0] === source.path;
  return files.length > 0 && files.every((file) => isBelow(source.path, file));
}

function isBelow(folder: string, file: string): boolean {
  return file.startsWith(folder) && /[\\/]/.test(file.slice(folder.length, folder.length + 1));
}

/**
 * Which trajectory a row is: of one file with equally many of both by position; else the one of its file and line, and
 * where a line has several the one with its id.
 */
async function indexByRow(
  { info, n, lines, ids, fileOf, sources }: LabSource["table"],
  source: TrajectorySource,
): Promise<(row: number) => number | null> {
  const { known } = source.progress();
  if (info.files.length === 1 && !source.info().folder && known === n)
    return (row) => (row < known ? row : null);
  const byLine = new Map<string, Placed[]>();
  const key = (file: string, line: number): string => `${line}:${file}`;
  for (let from = 0; from < known; from += PAGE) {
    const wanted = Array.from({ length: Math.min(PAGE, known - from) }, (_, at) => from + at);
    for (const { index, id, line } of await source.rows(wanted)) {
      const { file } = source.place(index);
      const list = byLine.get(key(file, line));
      if (list) list.push({ index, id, line, file });
      else byLine.set(key(file, line), [{ index, id, line, file }]);
    }
  }
  return (row) => {
    const file = sources?.[fileOf?.[row] ?? 0]?.path ?? info.files[0] ?? "";
    const found = byLine.get(key(file, lines[row] ?? 0)) ?? [];
    const [only] = found;
    if (found.length === 1 && only) return only.index;
    return found.find(({ id }) => id === ids[row])?.index ?? null;
  };
}
