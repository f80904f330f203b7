import { basename } from "node:path";
import type { SampleSetInfo } from "../../schema/sample";
import { formatCount, oneLine, type Speech } from "../../words/format";
import { inRanges, type Node } from "./tree";

/** What the Samples tree asks of the engine. */
export interface SampleReader {
  open(path: string): Promise<SampleSetInfo>;
  /** Label value → count, most frequent first. */
  labels(set: SampleSetInfo): Promise<readonly { readonly text: string; readonly count: number }[]>;
  /** Groups in order of their first row, with the rows in each; cut at a bound. */
  groups(
    set: SampleSetInfo,
  ): Promise<readonly { readonly id: string; readonly rows: number; readonly line: number }[]>;
}

/** One sample file: its columns, groups, labels and problems. The file is read when the node is opened. */
export function sampleFileNode(
  path: string,
  label: string,
  size: string,
  set: SampleSetInfo | undefined,
  usedBy: readonly string[],
  reader: SampleReader,
  speech: Speech,
): Node {
  const { t, language } = speech;
  const description = [
    set
      ? t("{0} rows, {1} groups", formatCount(set.rows, language), formatCount(set.groups, language))
      : size,
    usedBy.length === 0 ? "" : t("in use by {0}", usedBy.join(", ")),
  ]
    .filter((part) => part !== "")
    .join(" · ");
  return {
    id: `samples:${path}`,
    label,
    description,
    icon: set && set.problemCount > 0 ? "warning" : "database",
    aria: t("Sample file {0}, {1}", label, description),
    context: "sampleFile",
    children: async () => setNodes(set ?? (await reader.open(path)), reader, speech),
  };
}

async function setNodes(set: SampleSetInfo, reader: SampleReader, speech: Speech): Promise<readonly Node[]> {
  const { t, language } = speech;
  const id = `samples:${set.files.join("|")}`;
  const file = set.files[0] ?? "";
  const roles = rolesOf(set, speech);
  const nodes: Node[] = [
    {
      id: `${id}:columns`,
      label: t("columns"),
      description: String(set.columns.length),
      icon: "symbol-field",
      aria: t("{0} columns", set.columns.length),
      children: () =>
        inRanges(
          `${id}:columns`,
          set.columns.map((column) => {
            const role = roles.get(column.name);
            const description = [
              ...(role === undefined ? [] : [role]),
              column.kinds.join(" | "),
              ...(column.present < set.rows
                ? [
                    t(
                      "in {0} of {1} rows",
                      formatCount(column.present, language),
                      formatCount(set.rows, language),
                    ),
                  ]
                : []),
            ].join(" · ");
            return {
              id: `${id}:column:${column.name}`,
              label: column.name,
              description,
              tooltip: column.examples.map((example) => oneLine(example, 120)).join("\n"),
              icon: role === undefined ? "symbol-variable" : "symbol-key",
              aria: `${column.name}, ${description}`,
            };
          }),
          (from, to) => t("columns {0} to {1}", from, to),
        ),
    },
    {
      id: `${id}:groups`,
      label: t("groups"),
      description: `${formatCount(set.groups, language)} · ${groupingInWords(set, speech)}`,
      icon: "group-by-ref-type",
      aria: t("{0} groups, {1}", formatCount(set.groups, language), groupingInWords(set, speech)),
      children: async () =>
        inRanges(
          `${id}:groups`,
          (await reader.groups(set)).map((group) => ({
            id: `${id}:group:${group.id}`,
            label: oneLine(group.id, 80),
            description: t("{0} rows", formatCount(group.rows, language)),
            icon: "circle-small",
            aria: t("Group {0}, {1} rows", oneLine(group.id, 80), formatCount(group.rows, language)),
            open: { path: file, line: group.line - 1 },
          })),
          (from, to) => t("groups {0} to {1}", from, to),
        ),
    },
  ];
  if (set.mapping.label !== null) {
    const labels = await reader.labels(set);
    const count = labels.reduce((sum, one) => sum + one.count, 0);
    nodes.push({
      id: `${id}:labels`,
      label: t("labels"),
      description: t("{0} labelled", formatCount(count, language)),
      icon: "tag",
      aria: t("{0} labelled samples", formatCount(count, language)),
      children: () =>
        labels.map((one) => ({
          id: `${id}:label:${one.text}`,
          label: oneLine(one.text, 80),
          description: formatCount(one.count, language),
          icon: "circle-small",
          aria: `${oneLine(one.text, 80)}, ${one.count}`,
        })),
    });
  }
  if (set.problemCount > 0)
    nodes.push({
      id: `${id}:problems`,
      label: t("problems"),
      description: formatCount(set.problemCount, language),
      icon: "warning",
      aria: t("{0} problems", formatCount(set.problemCount, language)),
      children: () =>
        inRanges(
          `${id}:problems`,
          set.problems.map((problem, index) => ({
            id: `${id}:problem:${index}`,
            label: t("line {0}", problem.line),
            description: oneLine(problem.message, 200),
            tooltip: problem.message,
            icon: "warning",
            aria: `${t("line {0}", problem.line)}, ${oneLine(problem.message, 200)}`,
            open: { path: file, line: problem.line - 1 },
          })),
          (from, to) => t("problems {0} to {1}", from, to),
        ),
    });
  return nodes;
}

/** Column → the part it plays. */
function rolesOf(set: SampleSetInfo, { t }: Speech): Map<string, string> {
  const { prompt, completion, id, group, label, completionIds } = set.mapping;
  const roles = new Map<string, string>();
  if (completionIds !== null) roles.set(completionIds, t("token ids"));
  if (label !== null) roles.set(label, t("label"));
  if (group.by === "column") roles.set(group.column, t("group"));
  if (id !== null) roles.set(id, t("id"));
  if (prompt !== null) roles.set(prompt, t("prompt"));
  roles.set(completion, t("completion"));
  return roles;
}

export function groupingInWords(set: Pick<SampleSetInfo, "mapping">, { t }: Speech): string {
  const { group } = set.mapping;
  switch (group.by) {
    case "column":
      return t("by column {0}", group.column);
    case "prompt":
      return t("by equal prompt");
    case "size":
      return t("every {0} rows", group.size);
  }
}

export function bytesInWords(bytes: number, { language }: Speech): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: units[unit] ?? "byte",
    // Short bytes have no plural in English: "714 byte".
    unitDisplay: unit === 0 ? "long" : "short",
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  }).format(value);
}

export function labelOf(path: string, folders: readonly string[]): string {
  const folder = folders.find((one) => path.startsWith(`${one}/`) || path.startsWith(`${one}\\`));
  return folder === undefined ? basename(path) : path.slice(folder.length + 1).replaceAll("\\", "/");
}
