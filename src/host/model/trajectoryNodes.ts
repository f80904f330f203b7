import type { EngineClient } from "../process/link";
import { COMMANDS } from "../ids";
import { formatCount, formatScore, oneLine, type Speech } from "../../words/format";
import { outcomeInWords } from "../../words/trajectories";
import { inRanges, MOST_CHILDREN, type Node } from "./tree";

type Ask = Parameters<EngineClient["trajectoryNodes"]>[0];
export type TrajectoryNodes = Awaited<ReturnType<EngineClient["trajectoryNodes"]>>;

export interface TrajectoryReader {
  read(ask: Ask): Promise<TrajectoryNodes>;
}

export interface Source {
  readonly path: string;
  readonly label: string;
  readonly title: string;
  readonly size: string;
}

/** A file or run with trajectories: its steps, groups and trajectories, read when a node is opened. */
export function sourceNode(source: Source, reader: TrajectoryReader, speech: Speech): Node {
  const { t } = speech;
  const id = `trajectories:${source.path}`;
  const description = [source.title, source.size].filter((part) => part !== "").join(" · ");
  return {
    id,
    label: source.label,
    description,
    icon: "list-tree",
    aria: t("Trajectories {0}, {1}", source.label, description),
    context: "trajectorySource",
    command: {
      id: COMMANDS.openTrajectories,
      title: t("Open Trajectories"),
      argument: { source: source.path },
    },
    children: () => level({ id, path: source.path, level: null, filter: "", group: null }, reader, speech),
  };
}

/** All sources, in ranges where they are many. `truncated`: not every file was looked at, which is said. */
export function sourceNodes(
  sources: readonly Source[],
  truncated: boolean,
  reader: TrajectoryReader,
  speech: Speech,
): Node[] {
  const { t } = speech;
  const nodes = sources.map((source) => sourceNode(source, reader, speech));
  const name = (from: number, to: number): string => t("sources {0} to {1}", from, to);
  const listed = inRanges("trajectories", nodes, name, 0, MOST_ON_LEVEL);
  if (!truncated) return [...listed];
  const label = t("Not all files were looked at.");
  const tooltip = t(
    "There are very many. A file that isn't listed here can be opened as trajectories all the same.",
  );
  return [
    ...listed,
    { id: "trajectories:unlisted", label, tooltip, icon: "info", aria: `${label} ${tooltip}` },
  ];
}

interface Place {
  readonly id: string;
  readonly path: string;
  readonly level: Ask["level"];
  readonly filter: string;
  /** An index in the group whose members are meant; null: of no group alone. */
  readonly group: number | null;
}

/** Room for what is said below the children of a level: that it is being read, that there are problems. */
const NOTES = 2;
const MOST_ON_LEVEL = MOST_CHILDREN - NOTES;

/** The children of a place: one page where that is all, else ranges whose pages are read when they are opened. */
async function level(place: Place, reader: TrajectoryReader, speech: Speech): Promise<Node[]> {
  const first = await read(place, 0, MOST_CHILDREN, reader);
  const at = { ...place, level: first.level };
  const notes = [
    ...reading(place.id, first.complete, speech),
    ...(place.level === null ? problems(place, first.problems, speech) : []),
  ];
  if (first.total <= MOST_ON_LEVEL) return [...nodesOf(at, first, reader, speech), ...notes];
  return [...ranges(at, 0, first.total, MOST_ON_LEVEL, reader, speech), ...notes];
}

function read(
  { path, level: of, filter, group }: Place,
  from: number,
  count: number,
  reader: TrajectoryReader,
): Promise<TrajectoryNodes> {
  return reader.read({ path, level: of, filter, group, from, count });
}

/** At most `most` ranges; a range that holds more than 200 is ranges again. */
function ranges(
  place: Place,
  from: number,
  to: number,
  most: number,
  reader: TrajectoryReader,
  speech: Speech,
): Node[] {
  const { t, language } = speech;
  let size = MOST_CHILDREN;
  while ((to - from) / size > most) size *= MOST_CHILDREN;
  const nodes: Node[] = [];
  for (let start = from; start < to; start += size) {
    const end = Math.min(to, start + size);
    const label = t("{0} to {1}", formatCount(start + 1, language), formatCount(end, language));
    nodes.push({
      // By its size, not its end: the last one grows with its file, and stays open.
      id: `${place.id}/${start}+${size}`,
      label,
      aria: label,
      icon: "list-tree",
      children: async () => {
        if (size > MOST_CHILDREN) return ranges(place, start, end, MOST_CHILDREN, reader, speech);
        const page = await read(place, start, end - start, reader);
        const nodes = nodesOf(place, page, reader, speech);
        // A source that was closed meanwhile is read anew.
        const whole = page.complete || nodes.length === end - start;
        return [...nodes, ...reading(`${place.id}/${start}+${size}`, whole, speech)];
      },
    });
  }
  return nodes;
}

function nodesOf(place: Place, page: TrajectoryNodes, reader: TrajectoryReader, speech: Speech): Node[] {
  const { t, language } = speech;
  const { path } = place;
  const below = (term: string): string => (place.filter === "" ? term : `${place.filter} ${term}`);
  switch (page.level) {
    case "step":
      return page.steps.map(({ step, split, n, mean }) => {
        const label = split === null ? t("step {0}", step) : t("{0} step {1}", split, step);
        const description = t(
          "{0} trajectories · mean reward {1}",
          formatCount(n, language),
          formatScore(mean, language),
        );
        const id = `${place.id}/step:${split ?? ""}:${step}`;
        const filter = below(`step:${step}${split === null ? "" : ` split:${quoted(split)}`}`);
        return {
          id,
          label,
          description,
          icon: "milestone",
          aria: `${label}, ${description}`,
          children: () => level({ id, path, level: "group", filter, group: null }, reader, speech),
        };
      });
    case "group":
      return page.groups.map((group) => {
        const name = oneLine(group.title === "" ? group.id : group.title, 60);
        const range =
          group.min === null
            ? t("no reward")
            : group.min === group.max
              ? formatScore(group.min, language)
              : t("{0} to {1}", formatScore(group.min, language), formatScore(group.max, language));
        const description = `${formatCount(group.n, language)} · ${range}${group.tied && group.n > 1 ? ` · ${t("tied")}` : ""}`;
        const id = `${place.id}/group:${group.id}`;
        return {
          id,
          label: name,
          description,
          tooltip: group.id,
          icon: "group-by-ref-type",
          aria: t("Group {0}, {1} trajectories, rewards {2}", name, group.n, range),
          children: () =>
            level(
              { id, path, level: "trajectory", filter: "", group: group.members[0]?.index ?? null },
              reader,
              speech,
            ),
        };
      });
    case "trajectory":
      return page.rows.map((row) => {
        const words = outcomeInWords(row.outcome, speech);
        const reward = row.reward === null ? t("no reward") : formatScore(row.reward, language);
        const label = formatCount(row.index + 1, language);
        const description = `${reward} · ${words}`;
        const bad = row.flags.includes("error") || row.toolErrors > 0;
        return {
          id: `${place.id}/${row.index}`,
          label,
          description,
          tooltip: row.title,
          icon: bad ? "warning" : row.outcome === "finished" ? "pass" : "circle-outline",
          aria: t("Trajectory {0}, reward {1}, {2}", label, reward, words),
          context: "trajectory",
          command: {
            id: COMMANDS.openTrajectories,
            title: t("Open Trajectory"),
            argument: { source: path, index: row.index },
          },
        };
      });
  }
}

function reading(id: string, complete: boolean, { t }: Speech): Node[] {
  if (complete) return [];
  const label = t("Still being read…");
  return [{ id: `${id}:reading`, label, icon: "sync", aria: label, unfinished: true }];
}

/** Said once, below the source; the viewer lists them. */
function problems({ id, path }: Place, n: number, { t, language }: Speech): Node[] {
  if (n === 0) return [];
  const label = n === 1 ? t("1 problem") : t("{0} problems", formatCount(n, language));
  const tooltip = t("The viewer lists them under Problems.");
  return [
    {
      id: `${id}:problems`,
      label,
      tooltip,
      icon: "warning",
      aria: `${label}. ${tooltip}`,
      command: { id: COMMANDS.openTrajectories, title: t("Open Trajectories"), argument: { source: path } },
    },
  ];
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
