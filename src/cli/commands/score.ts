import { RewardsmithError } from "../../base/errors";
import type { ScoreReport } from "../../schema/report";
import { readChoice, type Arguments } from "../arguments";
import { EXIT, type Exit, exitFor } from "../exit";
import type { Session } from "../session";
import { projectNotes, scoreRequest } from "../scoreRequest";
import { scoreText } from "../scoreText";
import { paint } from "../terminal";

/** `rewardsmith score`: 1 where the reward can't be loaded, else 0, whatever the scores are. */
export async function score(args: Arguments, session: Session): Promise<Exit> {
  const report = await run(args, session, 1);
  return ending(session, report.error !== null);
}

const SEVERITIES = ["error", "warning", "info"] as const;

/** `rewardsmith check`: as `score`, every call made twice, and 1 from findings of the given severity on. */
export async function check(args: Arguments, session: Session): Promise<Exit> {
  const from = readChoice("fail-on", args.text("fail-on") ?? "error", ["error", "warning"]);
  const report = await run(args, session, 2);
  const failing = report.findings.some(
    ({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(from),
  );
  return ending(session, report.error !== null || failing);
}

/** What was scored until an interruption is shown; that it wasn't all is told by the exit code. */
function ending(session: Session, failed: boolean): Exit {
  if (session.signal.aborted) return EXIT.interrupted;
  return failed ? EXIT.failed : EXIT.fine;
}

async function run(args: Arguments, session: Session, calls: 1 | 2): Promise<ScoreReport> {
  const { terminal, cwd } = session;
  const request = scoreRequest(args, cwd, calls);
  const notes = await projectNotes(session.projects, request.options.file);
  const report = await session.score(request);
  if (args.json) terminal.out(`${JSON.stringify(report)}\n`);
  else {
    for (const note of notes) terminal.err(`${paint(terminal, "warn", "note")}: ${note}\n`);
    terminal.out(scoreText(report, terminal, cwd));
  }
  // A worker that fails is our fault, not the reward's: it ends the command like any other failure of ours.
  if (report.error && isOurs(report.error.code))
    throw new RewardsmithError("WorkerCrashed", report.error.message, { path: report.error.path });
  return report;
}

function isOurs(code: string): boolean {
  return (["Internal", "WorkerCrashed", "ProtocolMismatch"] as const).some(
    (ours) => ours === code && exitFor(ours) === EXIT.product,
  );
}
