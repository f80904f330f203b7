import { RunId } from "../../schema/run";
import { RUN_REPORT_SCHEMA, type RunDeleteReport, type RunListReport } from "../../schema/runReport";
import { type Arguments, wrong } from "../arguments";
import { EXIT, type Exit } from "../exit";
import type { Session } from "../session";
import { logs } from "./runLogs";
import { type Runs, openRuns } from "./runOpen";
import { resume, start } from "./runStart";
import { listText, show } from "./runText";

const COMMANDS = ["start", "list", "show", "logs", "stop", "resume", "delete"] as const;
/** A stop takes at most ten seconds; the machine may be busy. */
const STOPPED_WITHIN_MS = 20_000;

/** `rewardsmith run …`: training runs of the project around the current folder. */
export async function run(args: Arguments, session: Session, program: string): Promise<Exit> {
  const [name, ...rest] = args.positionals;
  const command = COMMANDS.find((one) => one === name);
  if (!command)
    throw wrong(
      `${name === undefined ? "run needs to be told what to do" : `There is no run ${JSON.stringify(name)}`}. There are: ${COMMANDS.join(", ")}.`,
    );
  const runs = await openRuns(session, program);
  switch (command) {
    case "start":
      if (rest.length > 0)
        throw wrong(`run start: the command stands after --; ${rest.join(" ")} is too much.`);
      return start(args, session, runs);
    case "list":
      if (rest.length > 0) throw wrong(`run list takes no run: ${rest.join(" ")} is too much.`);
      return list(args, session, runs);
    case "show":
      return show(args, session, runs, one(command, rest));
    case "logs":
      return logs(args, session, runs, one(command, rest));
    case "stop":
      return stop(args, session, runs, one(command, rest));
    case "resume":
      return resume(args, session, runs, one(command, rest));
    case "delete":
      return remove(args, session, runs, rest.map(idOf));
  }
}

async function list(args: Arguments, session: Session, { service }: Runs): Promise<Exit> {
  const found = await service.list();
  const report: RunListReport = {
    schema: RUN_REPORT_SCHEMA,
    product: { name: "rewardsmith", version: session.version },
    folder: service.folder,
    runs: found,
  };
  session.terminal.out(
    args.json ? `${JSON.stringify(report)}\n` : listText(found, service.folder, session.terminal),
  );
  return EXIT.fine;
}

async function stop(args: Arguments, session: Session, runs: Runs, id: RunId): Promise<Exit> {
  await (args.flag("now") ? runs.service.kill(id) : runs.service.stop(id));
  await runs.service.ended(id, STOPPED_WITHIN_MS, session.signal);
  await show(args, session, runs, id);
  return EXIT.fine;
}

async function remove(args: Arguments, session: Session, { service }: Runs, ids: RunId[]): Promise<Exit> {
  if (ids.length === 0) throw wrong("run delete needs the id of a run.");
  for (const id of ids) await service.delete(id);
  const report: RunDeleteReport = {
    schema: RUN_REPORT_SCHEMA,
    product: { name: "rewardsmith", version: session.version },
    deleted: ids,
  };
  session.terminal.out(args.json ? `${JSON.stringify(report)}\n` : `Deleted ${ids.join(", ")}.\n`);
  return EXIT.fine;
}

function one(command: string, rest: readonly string[]): RunId {
  const [id, ...more] = rest;
  if (id === undefined) throw wrong(`run ${command} needs the id of a run; rewardsmith run list shows them.`);
  if (more.length > 0) throw wrong(`run ${command} takes one run: ${more.join(" ")} is too much.`);
  return idOf(id);
}

function idOf(text: string): RunId {
  const parsed = RunId.safeParse(text);
  if (!parsed.success) throw wrong(`${JSON.stringify(text)} can't be the id of a run.`);
  return parsed.data;
}
