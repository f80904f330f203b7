import { useEffect, useRef, useState } from "preact/hooks";
import { TRAJECTORY_TABLE } from "../../src/core/query/trajectoryFields";
import { fieldName } from "../../src/core/query/suggest";
import { formatCount, type Speech } from "../../src/words/format";
import { FilterBox, FilterExamples } from "../shared/filterBox";
import { listModel } from "./list/model";
import type { Viewer } from "./viewer";

const TYPING_MS = 120;
const SAY_MS = 600;
/** As the contract has it. */
const LONGEST = 2000;

/** The filter of the trajectories. */
export function Filter({ viewer }: { readonly viewer: Viewer }) {
  const speech = viewer.speech.value;
  const { t } = speech;
  const [help, setHelp] = useState(false);
  const functions = viewer.info.value?.components ?? [];
  const columns = viewer.info.value?.metrics ?? [];
  useMatchesSaid(viewer);
  return (
    <FilterBox
      owner={viewer}
      speech={speech}
      kept={viewer.state.value.query.filter}
      problem={viewer.filterProblem.value}
      names={{ functions, columns, table: TRAJECTORY_TABLE }}
      label={t("Filter the trajectories")}
      placeholder={t("filter: reward<0.2 outcome:length")}
      typingMs={TYPING_MS}
      maxLength={LONGEST}
      help={help}
      onHelp={setHelp}
      onFilter={(filter) => {
        const { query } = viewer.state.value;
        if (filter !== query.filter) viewer.set({ query: { ...query, filter } });
      }}
      helpFor={(take) => <Help functions={functions} columns={columns} speech={speech} onTake={take} />}
    />
  );
}

function means(name: string, { t }: Speech): string {
  switch (name) {
    case "reward":
      return t("reward as the file has it");
    case "advantage":
      return t("as the trainer wrote it");
    case "now":
      return t("total by the open reward");
    case "state":
      return t("state of that score");
    case "outcome":
      return t("how the rollout ended");
    case "step":
      return t("training step, or a range of them");
    case "split":
      return t("train, val or as the file says");
    case "group":
      return t("trajectories of one group");
    case "id":
      return t("the one of that identity");
    case "task":
      return t("the task contains it");
    case "title":
      return t("the beginning contains it");
    case "file":
      return t("the file's name contains it");
    case "label":
      return t("good, bad, any, none, or a number");
    case "turns":
      return t("messages of the model");
    case "messages":
      return t("messages of all branches");
    case "calls":
      return t("tool calls");
    case "toolErrors":
      return t("tool answers that are errors");
    case "branches":
      return t("branches");
    case "tokens":
      return t("tokens, where they are counted");
    case "characters":
      return t("characters of all text");
    case "ms":
      return t("milliseconds it took");
    case "cost":
      return t("cost as the file has it");
    case "row":
      return t("trajectories by number, from 1");
    default:
      return "";
  }
}

interface HelpProps {
  readonly functions: readonly string[];
  readonly columns: readonly string[];
  readonly speech: Speech;
  readonly onTake: (example: string) => void;
}

function Help({ functions, columns, speech, onTake }: HelpProps) {
  const { t } = speech;
  const [first] = functions;
  const [column] = columns;
  const rows = [
    ...TRAJECTORY_TABLE.fields.map(({ name, example }) => ({ example, means: means(name, speech) })),
    ...(first === undefined ? [] : [{ example: `${fieldName(first)}>=1`, means: t("a reward component") }]),
    ...(column === undefined ? [] : [{ example: `${fieldName(column)}>0`, means: t("a metric") }]),
    {
      example: "failing",
      means: t("also: {0}", TRAJECTORY_TABLE.flags.filter((flag) => flag !== "failing").join(", ")),
    },
    { example: "truncated or failing", means: t("either; with nothing between them both must hold") },
    { example: "-truncated", means: t("all others") },
  ];
  return (
    <FilterExamples rows={rows} speech={speech} onTake={onTake}>
      {t("What a trajectory doesn't have matches no comparison. There are no regular expressions.")}
    </FilterExamples>
  );
}

/** Says politely how many trajectories a new filter let through, once typing has paused. */
function useMatchesSaid(viewer: Viewer): void {
  const model = listModel(viewer);
  const { pages } = model.shown.value;
  const { filter } = viewer.state.value.query;
  const heard = useRef(filter);
  useEffect(() => {
    if (pages.total === null || heard.current === filter || pages.stale) return;
    const timer = setTimeout(() => {
      heard.current = filter;
      const { t, language } = viewer.speech.value;
      viewer.say(
        t(
          "matched {0} of {1}",
          formatCount(pages.total ?? 0, language),
          formatCount(viewer.rows.value, language),
        ),
      );
    }, SAY_MS);
    return () => clearTimeout(timer);
  }, [filter, pages.total, pages.stale]);
}
