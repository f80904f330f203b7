import { applyEdits, modify } from "jsonc-parser";
import type { Suite } from "../../schema/project";
import type { SampleMapping, SampleSetInfo } from "../../schema/sample";

export const EMPTY_PROJECT = '{\n  "schema": 1,\n  "suites": {}\n}\n';

/** Keys of a suite and their values, as `rewardsmith.json` writes them. */
export type SuiteParts = readonly (readonly [key: string, value: unknown])[];

/** What a chosen mapping says, in the project file's words. */
export function suiteParts(
  set: Pick<SampleSetInfo, "mapping">,
  files: readonly string[],
  rewards: readonly string[],
): SuiteParts {
  const { prompt, completion, id, label, group, columns } = set.mapping;
  const named: Record<string, string> = { ...columns, completion };
  if (prompt !== null) named["prompt"] = prompt;
  if (id !== null) named["id"] = id;
  if (label !== null) named["label"] = label;
  const grouping = (): Record<string, unknown> => {
    switch (group.by) {
      case "column":
        return { by: group.column };
      case "prompt":
        return { by: "prompt" };
      case "size":
        return { size: group.size };
    }
  };
  return [
    ...(rewards.length > 0 ? [["rewards", rewards.map((use) => ({ use }))] as const] : []),
    ["samples", files],
    ["columns", named],
    ["group", grouping()],
  ];
}

/** A guessed mapping with what a suite says laid over it: the inverse of {@link suiteParts}. */
export function mappingOf(suite: Pick<Suite, "columns" | "group">, guess: SampleMapping): SampleMapping {
  const { prompt, completion, id, label, ...columns } = suite.columns;
  const group = (): SampleMapping["group"] => {
    if (suite.group?.size !== undefined) return { by: "size", size: suite.group.size };
    if (suite.group?.by === undefined) return guess.group;
    return suite.group.by === "prompt" ? { by: "prompt" } : { by: "column", column: suite.group.by };
  };
  return {
    prompt: prompt ?? guess.prompt,
    completion: completion ?? guess.completion,
    id: id ?? guess.id,
    label: label ?? guess.label,
    completionIds: guess.completionIds,
    group: group(),
    columns: { ...guess.columns, ...columns },
  };
}

/** Sets parts of a suite in the text of a project file; comments and everything else stay as they are. */
export function withSuite(text: string, suite: string, parts: SuiteParts): string {
  return parts.reduce(
    (now, [key, value]) =>
      applyEdits(
        now,
        modify(now, ["suites", suite, key], value, {
          formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" },
        }),
      ),
    text,
  );
}
