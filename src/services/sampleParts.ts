import { columnOf, underColumn } from "../core/scoring/paths";
import type { ReadResult, Row } from "../formats/reader";
import type { SampleMapping } from "../schema/sample";
import { columnNames, guessMapping } from "./sampleMapping";

/** Files of one set with their parts under the same names, where each file calls them as it likes. */
export interface UnifiedFiles {
  readonly results: readonly ReadResult[];
  /** One a file: our name of a column → the file's own, where they differ. */
  readonly renamed: readonly ReadonlyMap<string, string>[];
  /** Parts that are the same in all files now: they win over a guess from all rows together. */
  readonly hints: Partial<SampleMapping>;
}

/**
 * Guesses the parts of each file for itself, and gives those of later files the names that the first has: CSV rows with
 * `response` beside JSON lines with `completion` are one set. Prompt, completion and token ids are renamed; id, label
 * and group, which a reward may ask for by their own names, stand under both. A file that holds whole conversations
 * beside one that doesn't is left as it is.
 */
export function unifyFiles(results: readonly ReadResult[], hints: Partial<SampleMapping>): UnifiedFiles {
  const guesses = results.map(({ rows, texts }) =>
    rows.length === 0 ? null : guessMapping(rows, hints, withTexts(rows, texts)),
  );
  const first = guesses.find((guess) => guess !== null);
  const all = results.map((result, i): Rename[] => {
    const guess = guesses[i];
    if (!guess || !first || guess === first || isConversation(guess) !== isConversation(first)) return [];
    return renames(guess, first, columnNames(result.rows));
  });
  const names = all.map((pairs) => new Map(pairs.map(({ from, to }) => [to, from])));
  if (results.length < 2 || !first) return { results, renamed: names, hints };
  const unified = results.map((result, i) => renamed(result, all[i] ?? []));
  const { prompt, completion, completionIds } = first;
  // A part that the first file lacks may be in another one.
  const fixed = {
    completion,
    ...(prompt !== null && { prompt }),
    ...(completionIds !== null && { completionIds }),
  };
  return { results: unified, renamed: names, hints: { ...fixed, ...hints } };
}

interface Rename {
  readonly from: string;
  readonly to: string;
  /** The column keeps its own name too. */
  readonly both: boolean;
}

function renames(guess: SampleMapping, first: SampleMapping, names: readonly string[]): Rename[] {
  const group = (mapping: SampleMapping): string | null =>
    mapping.group.by === "column" ? mapping.group.column : null;
  const pairs: [from: string | null, to: string | null, both: boolean][] = [
    [guess.completion, first.completion, false],
    [guess.prompt, first.prompt, false],
    [guess.completionIds, first.completionIds, false],
    [guess.id, first.id, true],
    [guess.label, first.label, true],
    [group(guess), group(first), true],
  ];
  return pairs.flatMap(([from, to, both]) =>
    from === null || to === null || from === to || names.includes(to) ? [] : [{ from, to, both }],
  );
}

function renamed(result: ReadResult, all: readonly Rename[]): ReadResult {
  if (all.length === 0) return result;
  const floats = new Set(result.floats);
  for (const place of result.floats)
    for (const { from, to } of all) if (columnOf(place) === from) floats.add(underColumn(place, from, to));
  const rename = (row: Row): Row => {
    const kept = Object.entries(row).filter(
      ([name]) => !all.some(({ from, both }) => from === name && !both),
    );
    const added = all
      .filter(({ from }) => from in row)
      .map(({ from, to }): [string, unknown] => [to, row[from]]);
    return Object.fromEntries<unknown>([...kept, ...added]);
  };
  const { texts } = result;
  return { ...result, rows: result.rows.map(rename), floats, ...(texts && { texts: texts.map(rename) }) };
}

function isConversation({ prompt, completion }: SampleMapping): boolean {
  return prompt === completion;
}

function withTexts(rows: readonly Row[], texts: readonly Row[] | undefined): readonly Row[] {
  return texts ? rows.map((row, i) => ({ ...row, ...texts[i] })) : rows;
}
