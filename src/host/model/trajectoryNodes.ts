import type { EngineClient } from "../process/link";
import { COMMANDS } from "../ids";
import { formatCount, formatScore, oneLine, type Speech } from "../../words/format";
import { outcomeInWords } from "../../words/trajectories";
import { MOST_CHILDREN, type Node } from "./tree";

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
    children: () => level({ id, path: source.path, level: null, filter: "" }, reader, speech),
  };
}

interface Place {
  readonly id: string;
  readonly path: string;
  readonly level: Ask["level"];
  readonly filter: string;
}

/** The children of a place: one page where that is all, else ranges whose pages are read when they are opened. */
async function level(place: Place, reader: TrajectoryReader, speech: Speech): Promise<Node[]> {
  const { path, filter } = place;
  const first = await reader.read({ path, level: place.level, filter, from: 0, count: MOST_CHILDREN });
  const at = { ...place, level: first.level };
  const notes = note(place.id, first, speech);
  if (first.total <= MOST_CHILDREN) return [...nodesOf(at, first, reader, speech), ...notes];
  return [...ranges(at, 0, first.total, reader, speech), ...notes];
}

/** At most 200 ranges; a range that holds more than 200 is ranges again. */
function ranges(place: Place, from: number, to: number, reader: TrajectoryReader, speech: Speech): Node[] {
  const { t, language } = speech;
  let size = MOST_CHILDREN;
  while ((to - from) / size > MOST_CHILDREN) size *= MOST_CHILDREN;
  const nodes: Node[] = [];
  for (let start = from; start < to; start += size) {
    const end = Math.min(to, start + size);
    const label = t("{0} to {1}", formatCount(start + 1, language), formatCount(end, language));
    nodes.push({
      id: `${place.id}/${start}+${end - start}`,
      label,
      aria: label,
      icon: "list-tree",
      children: async () => {
        if (end - start > MOST_CHILDREN) return ranges(place, start, end, reader, speech);
        const { path, level: of, filter } = place;
        const page = await reader.read({ path, level: of, filter, from: start, count: end - start });
        return nodesOf(place, page, reader, speech);
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
          children: () => level({ id, path, level: "group", filter }, reader, speech),
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
              { id, path, level: "trajectory", filter: below(`group:${quoted(group.id)}`) },
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

function note(id: string, { complete, problems }: TrajectoryNodes, { t }: Speech): Node[] {
  const nodes: Node[] = [];
  if (!complete) {
    const label = t("Still being read…");
    nodes.push({ id: `${id}:reading`, label, icon: "sync", aria: label });
  }
  if (problems > 0) {
    const label = t("{0} problems in the file", problems);
    nodes.push({ id: `${id}:problems`, label, icon: "warning", aria: label });
  }
  return nodes;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
