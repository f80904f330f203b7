import { commands, window } from "vscode";
import { toRewardsmithError } from "../../base/errors";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import type { Host } from "../host";
import { COMMANDS } from "../ids";
import { errorSentence } from "../../words/errors";
import { allowSideEffect } from "./allowSideEffect";
import { check } from "./check";
import type { Command } from "./command";
import { compareVersions } from "./compareVersions";
import { copyDiagnostics } from "./copyDiagnostics";
import { createProject } from "./createProject";
import { debugSample } from "./debugSample";
import { exportScores } from "./exportScores";
import { forgetFile } from "./forgetFile";
import { redoInLab, undoInLab } from "./labUndo";
import { pauseLive, resumeLive } from "./liveScoring";
import { inspectOutputs } from "./inspectOutputs";
import { labelSample } from "./labelSample";
import { openLab, openScoresBeside } from "./openLab";
import { openWalkthrough } from "./openWalkthrough";
import { pickSamples } from "./pickSamples";
import { pinSample } from "./pinSample";
import { readPreviews } from "./readPreviews";
import { refresh } from "./refresh";
import { restartEngine } from "./restartEngine";
import { reviewQueue } from "./reviewQueue";
import { score } from "./score";
import { selectContract } from "./selectContract";
import { selectPython } from "./selectPython";
import { setBaseline } from "./setBaseline";
import { showLogs } from "./showLogs";
import {
  checkTrajectories,
  compareGroup,
  exportTrajectories,
  nextFailing,
  openTrajectories,
  openTrajectoriesHere,
  previousFailing,
  promoteTrajectories,
  scoreTrajectories,
} from "./trajectories";
import { tryCompletion } from "./tryCompletion";

const ALL: readonly Command[] = [
  allowSideEffect,
  check,
  checkTrajectories,
  compareGroup,
  compareVersions,
  copyDiagnostics,
  createProject,
  debugSample,
  exportScores,
  exportTrajectories,
  forgetFile,
  inspectOutputs,
  labelSample,
  nextFailing,
  openLab,
  openScoresBeside,
  openTrajectories,
  openTrajectoriesHere,
  openWalkthrough,
  pauseLive,
  pickSamples,
  pinSample,
  previousFailing,
  promoteTrajectories,
  readPreviews,
  redoInLab,
  refresh,
  restartEngine,
  resumeLive,
  reviewQueue,
  score,
  scoreTrajectories,
  selectContract,
  selectPython,
  setBaseline,
  showLogs,
  tryCompletion,
  undoInLab,
];

/** Errors of a command end in one message that says what to do; stacks go to the log. */
export function registerCommands(host: Host): IDisposable {
  const store = new DisposableStore();
  for (const command of ALL)
    store.add(
      commands.registerCommand(command.id, async (argument: unknown) => {
        try {
          await command.run(host, argument);
        } catch (error) {
          report(host, command.id, error);
        }
      }),
    );
  return store;
}

function report(host: Host, id: string, error: unknown): void {
  const known = toRewardsmithError(error);
  if (known.code === "Cancelled" || known.code === "Disposed") return;
  host.log.error(`${id}: ${known.code}: ${known.stack ?? known.message}`);
  const { t } = host.speech;
  const python = known.code.startsWith("Python") ? t("Select Python…") : undefined;
  const logs = t("Show Logs");
  const trust = known.code === "Untrusted" ? t("Manage Trust") : undefined;
  const acts = [python, trust].filter((act) => act !== undefined);
  void window.showErrorMessage(errorSentence(known, host.speech), ...acts, logs).then(async (act) => {
    if (act === undefined) return;
    if (act === python) await commands.executeCommand(COMMANDS.selectPython);
    else if (act === trust) await commands.executeCommand("workbench.trust.manage");
    else host.log.show();
  });
}
