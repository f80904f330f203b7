import type { FileScores } from "../../schema/live";
import type { RewardFunction } from "../../schema/reward";
import { COMMANDS, type CommandId } from "../ids";
import { formatCount, type Speech } from "../../words/format";
import { allowVerb } from "../../words/states";

export interface Lens {
  readonly title: string;
  readonly tooltip: string;
  readonly command: CommandId | "workbench.trust.manage";
}

export interface LensFacts {
  readonly trusted: boolean;
  /** Samples and permission are there. */
  readonly bound: boolean;
  readonly live: boolean;
  /** Name and rows of the sample set. */
  readonly samples: { readonly name: string; readonly rows: number } | null;
  readonly scores: FileScores | undefined;
  /** What the last comparison was with; it is still chosen while the present text can't be compared. */
  readonly baseline: BaselineKind | null;
}

export type BaselineKind = NonNullable<FileScores["functions"][number]["baseline"]>["kind"];

/** Verbs above one reward function, in the order in which they stand. */
export function lensesOf(
  fn: Pick<RewardFunction, "name" | "contract">,
  facts: LensFacts,
  speech: Speech,
): Lens[] {
  const { t, language } = speech;
  if (!facts.trusted)
    return [
      {
        title: t("Trust this folder to score…"),
        tooltip: t("In Restricted Mode Rewardsmith reads files but runs nothing."),
        command: "workbench.trust.manage",
      },
    ];
  const own = facts.scores?.functions.find((one) => one.name === fn.name);
  const contract: Lens = {
    title: `${own?.contract ?? fn.contract} ▾`,
    tooltip: t("Whose way of calling this function is used. Select another one."),
    command: COMMANDS.selectContract,
  };
  if (!facts.bound)
    return [
      {
        title: t("Score on samples…"),
        tooltip: t("Choose sample outputs and allow this file to run on them in this workspace."),
        command: COMMANDS.score,
      },
      contract,
    ];
  const lenses: Lens[] = [
    {
      title: t("Score"),
      tooltip: t("Score every sample now, with side effects."),
      command: COMMANDS.score,
    },
    {
      title: t("Check"),
      tooltip: t("Look for flaws: contract, signature, columns."),
      command: COMMANDS.check,
    },
    {
      title: t("Open Reward Lab"),
      tooltip: t("Edit the reward beside its samples, groups and flips."),
      command: COMMANDS.openLab,
    },
    contract,
    {
      title:
        facts.samples === null
          ? `${t("samples")} ▾`
          : `${facts.samples.name} (${formatCount(facts.samples.rows, language)}) ▾`,
      tooltip: t("Choose other samples or edit how their columns are used."),
      command: COMMANDS.pickSamples,
    },
    {
      title: `${baselineTitle(own?.baseline?.kind ?? facts.baseline, speech)} ▾`,
      tooltip: t("Flips are counted against this version."),
      command: COMMANDS.setBaseline,
    },
  ];
  const pinned = facts.scores?.pinned ?? null;
  if (pinned !== null)
    lenses.push({
      title: `${t("pinned: row {0}", formatCount(pinned + 1, language))} ▾`,
      tooltip: t("This sample's values stand beside the lines. Pin another one, or unpin it."),
      command: COMMANDS.pinSample,
    });
  for (const effect of new Set(own?.held.map((held) => held.effect)))
    lenses.push({
      title: allowVerb(effect, speech),
      tooltip: t(
        "Rows were held before a side effect while you typed. Allow it for this function, or press Score to run once.",
      ),
      command: COMMANDS.allowSideEffect,
    });
  if (!facts.live)
    lenses.push({
      title: t("Resume live scoring"),
      tooltip: t("Live scoring is paused for this file."),
      command: COMMANDS.resumeLive,
    });
  return lenses;
}

/** The present text is scored and there is nothing to compare it with. An edit meanwhile says nothing of HEAD. */
export function nothingAtHead(scores: FileScores): boolean {
  const scored = scores.functions.filter((fn) => fn.status === "fresh" && fn.n > 0);
  return scores.status === "fresh" && scored.length > 0 && scored.every((fn) => fn.baseline === null);
}

function baselineTitle(kind: BaselineKind | null, { t }: Speech): string {
  switch (kind) {
    case null:
      return t("baseline");
    case "saved":
      return t("baseline: saved file");
    case "head":
      return t("baseline: git HEAD");
    case "pin":
      return t("baseline: pinned");
  }
}
