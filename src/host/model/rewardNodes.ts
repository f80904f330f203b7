import type { FileScores, FunctionScores } from "../../schema/live";
import type { FileModel, RewardFunction } from "../../schema/reward";
import { SCORE_STATES } from "../../schema/score";
import { COMMANDS } from "../ids";
import { healthOf, meanText } from "../../words/defLine";
import { errorAtLine } from "../../words/errors";
import { formatCount, type Speech } from "../../words/format";
import { contractSentence, nothingToCompare } from "../../words/hover";
import { contractExplained, countOfState, meaningOfState, statesInWords } from "../../words/states";
import type { Node } from "./tree";

export interface RewardFacts {
  readonly model: FileModel;
  readonly scores: FileScores | undefined;
  /** Path as the user knows it. */
  readonly label: string;
}

/** One reward file: its functions, each with mean, contract and states. */
export function rewardFileNode(facts: RewardFacts, speech: Speech): Node {
  const { model, scores, label } = facts;
  const { t } = speech;
  const error = scores?.error ? errorAtLine(scores.error, model.path, speech) : null;
  return {
    id: `reward:${model.path}`,
    label,
    ...(error === null ? {} : { description: error }),
    icon: error === null ? "symbol-file" : "warning",
    aria: error === null ? t("Reward file {0}", label) : t("Reward file {0}, {1}", label, error),
    context: "rewardFile",
    open: { path: model.path, line: model.functions[0]?.line ?? 0 },
    expanded: true,
    children: () => model.functions.map((fn) => functionNode(fn, facts, speech)),
  };
}

function functionNode(fn: RewardFunction, { model, scores }: RewardFacts, speech: Speech): Node {
  const { t } = speech;
  const own = scores?.functions.find((one) => one.name === fn.name);
  const mean = own ? meanText(own, speech) : null;
  const contract = own?.contract ?? fn.contract;
  const old = own !== undefined && own.status !== "fresh" && mean !== null;
  const description = [contract, ...(mean === null ? [] : [old ? t("{0} (from before)", mean) : mean])].join(
    " · ",
  );
  const look = functionIcon(own);
  const states = own
    ? [...statesInWords(own.states, speech, false), ...(allTied(own) ? [t("all groups tied")] : [])]
    : [];
  return {
    id: `reward:${model.path}:${fn.name}`,
    label: fn.name,
    description,
    tooltip: [`${fn.name} · ${description}`, ...states].join("\n"),
    ...look,
    aria: [fn.name, description, ...states].join(", "),
    context: "rewardFunction",
    open: { path: model.path, line: fn.line },
    children: () => functionChildren(fn, own, model.path, speech),
  };
}

function functionIcon(own: FunctionScores | undefined): { icon: string; color?: string } {
  if (!own || own.status === "none") return { icon: "circle-outline" };
  if (own.status === "running") return { icon: "sync" };
  if (own.status === "old") return { icon: "history" };
  const health = healthOf(own);
  if (health === "error") return { icon: "error", color: "list.errorForeground" };
  return health === "good" && own.states.scored === own.n && !allTied(own)
    ? { icon: "pass", color: "testing.iconPassed" }
    : { icon: "warning", color: "list.warningForeground" };
}

function allTied({ groups }: FunctionScores): boolean {
  return groups.n > 0 && groups.tied === groups.n;
}

function functionChildren(
  fn: RewardFunction,
  own: FunctionScores | undefined,
  path: string,
  speech: Speech,
): readonly Node[] {
  const { t, language } = speech;
  const contract = own?.contract ?? fn.contract;
  const id = `reward:${path}:${fn.name}`;
  const why = contractSentence({ contract, reasons: own?.reasons ?? fn.reasons }, speech);
  const nodes: Node[] = [
    {
      id: `${id}:contract`,
      label: t("contract {0}", contract),
      description: contractExplained(contract, speech),
      tooltip: why,
      icon: "plug",
      aria: why,
      command: {
        id: COMMANDS.selectContract,
        title: t("Select Contract…"),
        argument: { path, function: fn.name },
      },
    },
  ];
  if (!own) return nodes;
  for (const state of SCORE_STATES) {
    const count = own.states[state] ?? 0;
    if (count === 0) continue;
    const label = countOfState(state, count, speech);
    const meaning = meaningOfState(state, speech);
    nodes.push({
      id: `${id}:${state}`,
      label,
      tooltip: meaning,
      icon: stateIcon(state),
      aria: `${label}. ${meaning}`,
    });
  }
  if (own.groups.n > 0) {
    const label = nothingToCompare(own)
      ? t("no group could be compared")
      : t(
          "{0} of {1} groups tied",
          formatCount(own.groups.tied, language),
          formatCount(own.groups.n, language),
        );
    nodes.push({ id: `${id}:groups`, label, icon: "group-by-ref-type", aria: label });
  }
  return nodes;
}

export function stateIcon(state: (typeof SCORE_STATES)[number]): string {
  switch (state) {
    case "scored":
      return "pass";
    case "non-finite":
      return "question";
    case "not-applicable":
      return "circle-slash";
    case "invalid-return":
      return "symbol-misc";
    case "raised":
      return "error";
    case "timed-out":
      return "watch";
    case "crashed":
      return "flame";
    case "cancelled":
      return "stop-circle";
    case "unscored":
      return "law";
    case "held":
      return "shield";
  }
}
