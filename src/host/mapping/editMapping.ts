import { own } from "../../base/own";
import { QuickPickItemKind, type QuickPickItem, window } from "vscode";
import { assertNever } from "../../base/assert";
import type { SampleMapping, SampleSetInfo } from "../../schema/sample";
import type { RewardTarget } from "../commands/command";
import type { Host } from "../host";
import { groupingInWords } from "../model/sampleNodes";
import { formatCount } from "../../words/format";
import { writeMapping } from "./writeMapping";

type Part = "prompt" | "completion" | "id" | "group" | "completionIds" | "label";

interface PartItem extends QuickPickItem {
  readonly act: "use" | "write" | "part" | "parameter" | "none";
  readonly part?: Part;
  readonly parameter?: string;
}

export interface EditedMapping {
  readonly set: SampleSetInfo;
  /** The user changed something. */
  readonly chosen: boolean;
}

/** Shows which column plays which part and lets each be changed, until the mapping is taken. Null: given up. */
export async function editMapping(
  host: Host,
  target: RewardTarget,
  first: SampleSetInfo,
): Promise<EditedMapping | null> {
  const { t, language } = host.speech;
  let set = first;
  let chosen = false;
  for (;;) {
    const problems = set.problemCount === 0 ? "" : ` · ${unreadable(set.problemCount, host)}`;
    const parts = await missingParameters(host, target, set);
    const use: PartItem = {
      act: "use",
      label: `$(check) ${t("Use these samples")}`,
      description: `${t("{0} rows, {1} groups", formatCount(set.rows, language), formatCount(set.groups, language))}${problems}`,
    };
    const answer = await window.showQuickPick<PartItem>(
      [
        use,
        {
          act: "none",
          label: t("How columns are used (choose one to change it)"),
          kind: QuickPickItemKind.Separator,
        },
        ...partItems(set, host),
        ...parts,
        { act: "none", label: "", kind: QuickPickItemKind.Separator },
        { act: "write", label: `$(save) ${t("Write this to rewardsmith.json and use it")}` },
      ],
      {
        title: t(
          "Columns of {0} (2 of 2)",
          set.files.map((file) => file.split(/[\\/]/u).at(-1) ?? file).join(", "),
        ),
        placeHolder:
          set.mappingSource === "guessed" ? t("Guessed from the file: is this right?") : t("As chosen"),
        ignoreFocusOut: true,
      },
    );
    if (!answer) return null;
    if (answer.act === "use") return { set, chosen };
    if (answer.act === "write") {
      await writeMapping(host, target, set);
      return { set, chosen };
    }
    const next = await change(host, set, answer);
    if (!next) continue;
    const client = await host.engine.client();
    try {
      set = await client.openSamples({ files: set.files, mapping: next });
      chosen = true;
    } catch (error) {
      void window.showErrorMessage(
        t("These samples can't be read so: {0}", error instanceof Error ? error.message : String(error)),
      );
    }
  }
}

function unreadable(count: number, { speech }: Host): string {
  return count === 1
    ? speech.t("1 line could not be read")
    : speech.t("{0} lines could not be read", formatCount(count, speech.language));
}

function partItems(set: SampleSetInfo, host: Host): PartItem[] {
  const { t } = host.speech;
  const { mapping } = set;
  const none = t("none");
  const example = (column: string | null): string | undefined =>
    set.columns.find((one) => one.name === column)?.examples[0];
  const item = (part: Part, label: string, value: string, column: string | null): PartItem => {
    const detail = example(column);
    return {
      act: "part",
      part,
      label: `$(edit) ${label}`,
      description: value,
      ...(detail === undefined ? {} : { detail }),
    };
  };
  return [
    item("prompt", t("Prompt"), mapping.prompt ?? none, mapping.prompt),
    item("completion", t("Completion"), mapping.completion, mapping.completion),
    item("group", t("Groups"), groupingInWords(set, host.speech), null),
    item("id", t("Identity"), mapping.id ?? t("from the content"), mapping.id),
    item("label", t("Label"), mapping.label ?? none, mapping.label),
    item("completionIds", t("Token ids"), mapping.completionIds ?? none, null),
  ];
}

/** Parameters that the reward needs and no column has: each can be given a column. */
async function missingParameters(host: Host, target: RewardTarget, set: SampleSetInfo): Promise<PartItem[]> {
  const { t } = host.speech;
  const model = host.models.get(target.path) ?? (await host.models.refresh(target.path));
  const needed = new Set(
    (model?.functions ?? []).flatMap((fn) => fn.columns.filter((one) => one.required).map((one) => one.name)),
  );
  for (const parameter of Object.keys(set.mapping.columns)) needed.add(parameter);
  return [...needed].flatMap((parameter) => {
    const column = own(set.mapping.columns, parameter);
    if (column === undefined && set.columns.some((one) => one.name === parameter)) return [];
    return [
      {
        act: "parameter" as const,
        parameter,
        label: `${column === undefined ? "$(warning)" : "$(edit)"} ${t("Parameter {0}", parameter)}`,
        description: column ?? t("no column of this name: choose one"),
      },
    ];
  });
}

interface ColumnItem extends QuickPickItem {
  readonly column?: string | null;
  readonly grouping?: SampleMapping["group"] | "ask-size";
}

async function change(host: Host, set: SampleSetInfo, item: PartItem): Promise<SampleMapping | null> {
  const { t } = host.speech;
  const { mapping } = set;
  const columns: ColumnItem[] = set.columns.map((column) => ({
    label: column.name,
    description: column.kinds.join(" | "),
    ...(column.examples[0] === undefined ? {} : { detail: column.examples[0] }),
    column: column.name,
    grouping: { by: "column", column: column.name },
  }));
  const special: ColumnItem[] =
    item.part === "group"
      ? [
          { label: t("Equal prompts"), grouping: { by: "prompt" } },
          { label: t("Every n rows…"), grouping: "ask-size" },
        ]
      : item.part === "completion" || item.act === "parameter"
        ? []
        : [{ label: t("None"), column: null }];
  const picked = await window.showQuickPick([...special, ...columns], {
    title: item.label.replace(/^\$\([\w-]+\) /u, ""),
    placeHolder: t("Column of the file"),
    ignoreFocusOut: true,
  });
  if (!picked) return null;
  if (item.act === "parameter" && item.parameter !== undefined && typeof picked.column === "string")
    return { ...mapping, columns: { ...mapping.columns, [item.parameter]: picked.column } };
  const column = picked.column ?? null;
  switch (item.part) {
    case "completion":
      return column === null ? null : { ...mapping, completion: column };
    case "prompt":
      return { ...mapping, prompt: column };
    case "id":
      return { ...mapping, id: column };
    case "label":
      return { ...mapping, label: column };
    case "completionIds":
      return { ...mapping, completionIds: column };
    case "group": {
      if (picked.grouping !== "ask-size")
        return picked.grouping ? { ...mapping, group: picked.grouping } : null;
      const size = await askSize(host);
      return size === null ? null : { ...mapping, group: { by: "size", size } };
    }
    case undefined:
      return null;
    default:
      return assertNever(item.part);
  }
}

async function askSize(host: Host): Promise<number | null> {
  const { t } = host.speech;
  const text = await window.showInputBox({
    title: t("Rows in a group"),
    value: "8",
    ignoreFocusOut: true,
    validateInput: (value) => (/^[1-9]\d{0,6}$/u.test(value.trim()) ? null : t("A whole number from 1 on")),
  });
  return text === undefined ? null : Number(text.trim());
}
