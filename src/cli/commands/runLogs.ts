import type { RunId } from "../../schema/run";
import { isLive } from "../../core/runs/stateMachine";
import { RUN_REPORT_SCHEMA, type RunLogReport } from "../../schema/runReport";
import { type Arguments, readNumber, wrong } from "../arguments";
import { EXIT, type Exit } from "../exit";
import type { Session } from "../session";
import { foreign } from "../table";
import type { Runs } from "./runOpen";

const SHOWN_BYTES = 64 * 1024;
const FOLLOW_MS = 200;

/** `rewardsmith run logs`: the end of what the job printed, at once whatever its size; with --follow what comes. */
export async function logs(args: Arguments, session: Session, { service }: Runs, id: RunId): Promise<Exit> {
  await service.get(id);
  const bytes = args.text("bytes");
  const from = args.text("from");
  const start = from === null ? null : Number(from);
  if (start !== null && !(Number.isSafeInteger(start) && start >= 0))
    throw wrong(`--from: ${JSON.stringify(from)} isn't a number of bytes.`);
  const length = bytes === null ? SHOWN_BYTES : readNumber("bytes", bytes, "count");
  if (args.json && args.flag("follow"))
    throw wrong("run logs: --json gives one slice, --follow goes on. Choose one.");
  const log = await service.log(id, start, length);
  if (args.json) {
    const report: RunLogReport = {
      schema: RUN_REPORT_SCHEMA,
      product: { name: "rewardsmith", version: session.version },
      run: id,
      log,
    };
    session.terminal.out(`${JSON.stringify(report)}\n`);
    return EXIT.fine;
  }
  session.terminal.out(foreign(log.text));
  if (args.flag("follow")) await follow(session, service, id, log.to);
  return EXIT.fine;
}

/** Shows what the job prints until it is over, or the user has seen enough: the job goes on. */
export async function follow(
  session: Session,
  service: Runs["service"],
  id: RunId,
  from: number,
): Promise<void> {
  let at = from;
  for (;;) {
    // Asked before the log is read: what came before the end is in it.
    const { status } = await service.get(id);
    for (;;) {
      const log = await service.log(id, at, SHOWN_BYTES);
      // A log that is shorter than it was is another one.
      if (log.total < at) at = 0;
      if (log.text === "") break;
      session.terminal.out(foreign(log.text));
      at = log.to;
    }
    if (!isLive(status.state) || session.signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
  }
}
