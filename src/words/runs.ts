import type { RunReasonCode, RunState, RunStatus } from "../schema/run";
import { oneLine, type Speech } from "./format";

/** One word for a list; the sentence beside it is `runSentence`. */
export function runStateWord(state: RunState, { t }: Speech): string {
  switch (state) {
    case "created":
      return t("not started");
    case "starting":
      return t("starting");
    case "running":
      return t("running");
    case "stopping":
      return t("stopping");
    case "finished":
      return t("finished");
    case "failed":
      return t("failed");
    case "killed":
      return t("killed");
    case "stopped":
      return t("stopped");
    case "lost":
      return t("lost");
  }
}

type Told = Pick<RunStatus, "state" | "reason" | "exit" | "step">;

/** What happened, why, and what to do. */
export function runSentence(status: Told, speech: Speech): string {
  const { t } = speech;
  const { state, reason } = status;
  if (reason) return reasonSentence(reason.code, status, speech);
  switch (state) {
    case "created":
      return t("Nothing has been started yet. Start the run, or delete it.");
    case "starting":
      return t("The job is being started.");
    case "running":
      return t("The job is running. It goes on when the editor is closed.");
    case "stopping":
      return t("The job was asked to stop; it is ended by force if it doesn't go within ten seconds.");
    case "finished":
      return t("The job ended by itself with exit code 0.");
    case "failed":
      return t("The job failed. The end of its log says why.");
    case "killed":
      return t("The job was ended by a signal from outside.");
    case "stopped":
      return t("The job was stopped. Resume it from its last checkpoint, or launch it again.");
    case "lost":
      return t(
        "The job is gone, and nobody saw how it ended. Look at its log, and resume it or launch it again.",
      );
  }
}

function reasonSentence(code: RunReasonCode, { reason, exit, state }: Told, { t }: Speech): string {
  const silent = reason === null || reason.text === null || reason.text === "";
  const said = silent ? t("it said no more") : oneLine(reason.text ?? "", 300);
  switch (code) {
    case "program-missing":
      return t(
        "The program to start isn't there: {0}. Install it, or name another one for this backend.",
        said,
      );
    case "cannot-start":
      return t(
        "The job could not be started: {0}. Check that the program may be run and its folder is there.",
        said,
      );
    case "exit-code":
      return silent
        ? t("The job ended with exit code {0}. The end of its log says why.", exit?.code ?? "?")
        : t("The job ended with exit code {0}: {1}. The log has the rest.", exit?.code ?? "?", said);
    case "signal":
      return t(
        "The job was killed by signal {0}, which nobody here sent. Often another program or a limit of the system does this; resume it from its last checkpoint.",
        exit?.signal ?? "?",
      );
    case "out-of-memory":
      return state === "killed"
        ? t(
            "The system ended the job as memory ran out. Use smaller batches, shorter completions or a smaller model.",
          )
        : t("Memory ran out: {0}. Use smaller batches, shorter completions or a smaller model.", said);
    case "disk-full":
      return t("The disk is full: {0}. Make room, or keep fewer checkpoints, and resume the run.", said);
    case "stop-asked":
      return t("The job was stopped as you asked. Resume it from its last checkpoint, or launch it again.");
    case "stop-forced":
      return t(
        "The job didn't stop when asked and was ended by force; its last checkpoint may be incomplete.",
      );
    case "machine-restarted":
      return t(
        "The machine was restarted while the job ran, and nobody saw how it ended. Resume it from its last checkpoint.",
      );
    case "supervisor-gone":
      return t(
        "The job and what watched it are gone, and nobody saw how it ended. Look at its log, and resume it or launch it again.",
      );
    case "reward-failed":
      return t(
        "The reward function failed in the job: {0}. Score it on samples to find the line, then launch again.",
        said,
      );
  }
}

/** What went wrong beside the job itself. */
export function runProblemSentence({ code, text }: RunStatus["problems"][number], { t }: Speech): string {
  const said = oneLine(text, 200);
  switch (code) {
    case "disk-full":
      return t("The disk was full while the run went on; parts may be missing: {0}.", said);
    case "unreadable-log":
      return t("Numbers of this run can't be read: {0}.", said);
    case "not-written":
      return t("Something of the run could not be written: {0}.", said);
  }
}
