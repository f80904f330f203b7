import { applyEdits, modify } from "jsonc-parser";
import type { SampleSetInfo } from "../../schema/sample";

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
