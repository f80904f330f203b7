import type { RunId, RunState } from "../../schema/run";
import { RUN_REPORT_SCHEMA, type RunShowReport } from "../../schema/runReport";
import type { RunSummary } from "../../schema/runView";
import type { RunDetail } from "../../services/runs/runService";
import type { Speech } from "../../words/format";
import { runProblemSentence, runSentence, runStateWord } from "../../words/runs";
import type { Arguments } from "../arguments";
import { EXIT, type Exit } from "../exit";
import type { Session } from "../session";
import { oneLine, table } from "../table";
import { paint, type Terminal, type Tone } from "../terminal";
import type { Runs } from "./runOpen";

const EVENTS = 200;
const EVENTS_SHOWN = 8;

/** The command line speaks English. */
export const ENGLISH: Speech = {
  language: "en",
  t: (message, ...args) => message.replace(/\{(\d+)\}/g, (_, at: string) => String(args[Number(at)])),
};

export function listText(runs: readonly RunSummary[], folder: string, terminal: Terminal): string {
  if (runs.length === 0) return `No runs in ${folder}.\n`;
  const lines = table(
    [
      { head: "run" },
      { head: "state" },
      { head: "step", align: "right" },
      { head: "time", align: "right" },
      { head: "recipe" },
      { head: "backend" },
      { head: "created" },
    ],
    runs.map((run) => [
      run.id,
      paint(terminal, toneOf(run.state), runStateWord(run.state, ENGLISH)),
      run.step === null ? "–" : run.steps === null ? String(run.step) : `${run.step}/${run.steps}`,
      duration(run.elapsedS),
      run.recipe,
      oneLine(run.backend, 20),
      dateText(run.created),
    ]),
  );
  return `${lines.join("\n")}\n`;
}

/** `rewardsmith run show`; also what start and stop say at their end. */
export async function show(args: Arguments, session: Session, { service }: Runs, id: RunId): Promise<Exit> {
  const detail = await service.get(id);
  const events = await service.events(id, EVENTS);
  const report: RunShowReport = {
    schema: RUN_REPORT_SCHEMA,
    product: { name: "rewardsmith", version: session.version },
    folder: detail.folder,
    record: detail.record,
    status: detail.status,
    sentence: runSentence(detail.status, ENGLISH),
    events,
  };
  session.terminal.out(args.json ? `${JSON.stringify(report)}\n` : showText(report, session.terminal));
  return exitOf(detail);
}

export function exitOf({ status }: RunDetail): Exit {
  return status.state === "failed" || status.state === "killed" || status.state === "lost"
    ? EXIT.failed
    : EXIT.fine;
}

function showText(report: RunShowReport, terminal: Terminal): string {
  const { record, status, folder } = report;
  const { command } = record;
  const step =
    status.step === null ? null : `step ${status.step}${status.steps === null ? "" : ` of ${status.steps}`}`;
  const lines = [
    `${paint(terminal, "strong", record.id)}  ${paint(terminal, toneOf(status.state), runStateWord(status.state, ENGLISH))}`,
    oneLine(report.sentence, 400),
    "",
    [
      `${record.recipe.id} on ${record.backend.name}`,
      step,
      status.elapsedS > 0 ? duration(status.elapsedS) : null,
    ]
      .filter((part) => part !== null)
      .join(" · "),
    `folder   ${folder}`,
    ...(command
      ? [`command  ${oneLine([command.program, ...command.args].map(quoted).join(" "), 400)}`]
      : []),
    ...(status.checkpoints.length > 0
      ? [`checkpoints  ${oneLine(status.checkpoints.map(({ name }) => name).join(", "), 400)}`]
      : []),
    ...status.problems.map((problem) => paint(terminal, "warn", runProblemSentence(problem, ENGLISH))),
    "",
    ...report.events
      .slice(-EVENTS_SHOWN)
      .map((event) =>
        oneLine(
          [dateText(event.at), event.kind, event.state, event.text]
            .filter((part) => part !== undefined)
            .join("  "),
          200,
        ),
      ),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

/** For reading; nothing is started from it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function toneOf(state: RunState): Tone {
  switch (state) {
    case "finished":
      return "good";
    case "failed":
    case "killed":
    case "lost":
      return "bad";
    case "running":
    case "starting":
    case "stopping":
      return "strong";
    default:
      return "quiet";
  }
}

function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace("T", " ");
}
