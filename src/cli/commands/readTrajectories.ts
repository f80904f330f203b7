import { RewardsmithError } from "../../base/errors";
import { inProcessPorts } from "../../runtime/trajectories/ports";
import { READ_SCHEMA, type ReadTrajectory, type TrajectoryReport } from "../../schema/readReport";
import { toTagged } from "../../schema/number";
import type { TrajectoryProblem, TrajectoryRow } from "../../schema/trajectory";
import { shortNumber } from "../../services/tableText";
import { createTrajectoryStore } from "../../services/trajectories/store";
import type { TrajectorySource } from "../../services/trajectories/source";
import type { Session } from "../session";
import { count, oneLine, table } from "../table";
import { paint } from "../terminal";

export interface Asked {
  readonly session: Session;
  readonly json: boolean;
  /** They are trajectories, whatever they look like. */
  readonly forced: boolean;
}

interface Part {
  readonly from: number;
  readonly count: number;
}

const PAGE = 200;
const MOST_PROBLEMS = 1000;
const SHOWN_PROBLEMS = 20;
/** Rows of prompts and completions that no framework's form knows are samples. */
const GENERIC = /^generic/;

/**
 * Shows files and folders of trajectories, one after another. False where one of them isn't a framework's: then they
 * are read as samples.
 */
export async function readTrajectories(paths: readonly string[], part: Part, asked: Asked): Promise<boolean> {
  const { session, forced } = asked;
  const store = createTrajectoryStore(inProcessPorts({ warn: (text) => session.terminal.err(`${text}\n`) }));
  const ended = (): void => store.dispose();
  session.signal.addEventListener("abort", ended);
  try {
    const sources: TrajectorySource[] = [];
    for (const path of paths) {
      try {
        sources.push(await store.open(path));
      } catch (error) {
        if (forced || !(error instanceof RewardsmithError)) throw error;
        return false;
      }
    }
    for (const source of sources) await source.whenComplete();
    session.signal.throwIfAborted();
    const forms = new Set(sources.flatMap(formsOf));
    const folder = sources.some((source) => source.info().folder);
    if (!forced && !folder && [...forms].every((form) => GENERIC.test(form))) return false;
    const rows = await rowsOf(sources, part);
    if (asked.json) await writeJson(sources, forms, rows, session);
    else writeText(sources, forms, rows, session);
    return true;
  } finally {
    session.signal.removeEventListener("abort", ended);
    store.dispose();
  }
}

interface Found {
  readonly source: TrajectorySource;
  readonly row: TrajectoryRow;
  /** Over all sources. */
  readonly at: number;
}

/** Ids of the forms of its files; of one file the first row says it. */
function formsOf(source: TrajectorySource): string[] {
  const { known } = source.progress();
  const rows = source.info().folder ? known : Math.min(1, known);
  const forms = new Set<string>();
  for (let index = 0; index < rows; index++) forms.add(source.place(index).form);
  return [...forms];
}

async function rowsOf(sources: readonly TrajectorySource[], { from, count: n }: Part): Promise<Found[]> {
  const found: Found[] = [];
  let before = 0;
  for (const source of sources) {
    const { known } = source.progress();
    const first = Math.max(0, from - before);
    const end = Math.min(known, from + n - before);
    for (let at = first; at < end; at += PAGE) {
      const wanted = Array.from({ length: Math.min(PAGE, end - at) }, (_, i) => at + i);
      for (const row of await source.rows(wanted)) found.push({ source, row, at: before + row.index });
    }
    before += known;
  }
  return found;
}

/** In pieces: all of it may be more than one text can hold. */
async function writeJson(
  sources: readonly TrajectorySource[],
  forms: ReadonlySet<string>,
  rows: readonly Found[],
  session: Session,
): Promise<void> {
  const { terminal, version } = session;
  const [form = null] = forms;
  const files = filesOf(sources);
  const { problems, total } = problemsOf(sources);
  const head = {
    schema: READ_SCHEMA,
    product: { name: "rewardsmith", version },
    files,
    reader: forms.size === 1 ? form : null,
    count: sources.reduce((n, source) => n + source.progress().known, 0),
  } satisfies Partial<TrajectoryReport>;
  terminal.out(`${JSON.stringify(head).slice(0, -1)},"trajectories":[`);
  for (const [nth, found] of rows.entries()) {
    session.signal.throwIfAborted();
    const text = JSON.stringify(await trajectoryOf(found, files), jsonable);
    terminal.out(nth === 0 ? text : `,${text}`);
  }
  terminal.out(`],"problems":${JSON.stringify(problems)},"problemCount":${total}}\n`);
}

async function trajectoryOf({ source, row, at }: Found, files: readonly string[]): Promise<ReadTrajectory> {
  const trajectory = await source.get(row.index);
  const [first, ...branches] = trajectory.branches;
  return {
    row: at,
    id: row.id,
    group: row.group,
    step: row.step,
    split: row.split,
    task: row.task,
    file: Math.max(0, files.indexOf(source.place(row.index).file)),
    line: row.line,
    messages: first?.messages ?? [],
    branches,
    reward: trajectory.reward,
    rewards: trajectory.rewards,
    advantage: trajectory.advantage,
    metrics: trajectory.metrics,
    outcome: trajectory.outcome,
    errors: trajectory.errors,
    excluded: trajectory.excluded,
    flags: row.flags,
    tools: trajectory.tools,
    reference: trajectory.reference,
    columns: trajectory.columns,
  };
}

function jsonable(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return toTagged(value);
  return value;
}

function filesOf(sources: readonly TrajectorySource[]): string[] {
  return sources.flatMap((source) => {
    const { folder, files } = source.info();
    return folder ? files.map((name) => `${source.path}/${name}`) : [source.path];
  });
}

function problemsOf(sources: readonly TrajectorySource[]): { problems: TrajectoryProblem[]; total: number } {
  const problems: TrajectoryProblem[] = [];
  let total = 0;
  let before = 0;
  for (const source of sources) {
    const own = source.problems(0, MOST_PROBLEMS - problems.length);
    for (const problem of own.problems) problems.push({ ...problem, file: problem.file + before });
    total += own.total;
    before += source.info().folder ? source.info().fileCount : 1;
  }
  return { problems, total };
}

function writeText(
  sources: readonly TrajectorySource[],
  forms: ReadonlySet<string>,
  rows: readonly Found[],
  { terminal }: Session,
): void {
  const known = sources.reduce((n, source) => n + source.progress().known, 0);
  const { problems, total } = problemsOf(sources);
  const room = Math.max(20, terminal.width - 80);
  const lines = [
    `${known === 1 ? "1 trajectory" : `${known} trajectories`} (${[...forms].join(", ")})`,
    "",
    ...table(
      [
        { head: "row", align: "right" },
        { head: "id" },
        { head: "group" },
        { head: "step", align: "right" },
        { head: "reward", align: "right" },
        { head: "outcome" },
        { head: "turns", align: "right" },
        { head: "calls", align: "right" },
        { head: "flags" },
        { head: "title" },
      ],
      rows.map(({ row, at }) => [
        String(at + 1),
        oneLine(row.id, 18),
        oneLine(row.group, 14),
        row.step === null ? "–" : String(row.step),
        row.reward === null ? "–" : shortNumber(row.reward),
        row.outcome,
        String(row.turns),
        String(row.calls),
        row.flags.join(" "),
        oneLine(row.title, room),
      ]),
    ),
    ...(rows.length < known
      ? [paint(terminal, "quiet", `${rows.length} of ${known} trajectories; --rows A:B for others`)]
      : []),
    ...(total > 0
      ? [
          "",
          count(total, "problem"),
          ...problems.slice(0, SHOWN_PROBLEMS).map(({ line, message }) => `  line ${line}: ${message}`),
        ]
      : []),
  ];
  terminal.out(`${lines.join("\n")}\n`);
}
