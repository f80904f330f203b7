/** Every identifier that the manifest and the code share; a unit test compares both directions. */
export const COMMANDS = {
  score: "rewardsmith.score",
  check: "rewardsmith.check",
  pickSamples: "rewardsmith.samples.pick",
  pinSample: "rewardsmith.samples.pin",
  debugSample: "rewardsmith.sample.debug",
  setBaseline: "rewardsmith.baseline.set",
  pauseLive: "rewardsmith.live.pause",
  resumeLive: "rewardsmith.live.resume",
  selectContract: "rewardsmith.contract.select",
  allowSideEffect: "rewardsmith.sideEffect.allow",
  forgetFile: "rewardsmith.consent.forget",
  exportScores: "rewardsmith.scores.export",
  readPreviews: "rewardsmith.previews.read",
  selectPython: "rewardsmith.python.select",
  showLogs: "rewardsmith.logs.show",
  copyDiagnostics: "rewardsmith.diagnostics.copy",
  createProject: "rewardsmith.project.create",
  openWalkthrough: "rewardsmith.walkthrough.open",
  refresh: "rewardsmith.views.refresh",
  openLab: "rewardsmith.lab.open",
  openScoresBeside: "rewardsmith.lab.openBeside",
  undoInLab: "rewardsmith.lab.undo",
  redoInLab: "rewardsmith.lab.redo",
  compareVersions: "rewardsmith.baseline.compare",
  restartEngine: "rewardsmith.engine.restart",
  labelSample: "rewardsmith.labels.label",
  reviewQueue: "rewardsmith.labels.review",
  inspectOutputs: "rewardsmith.labels.inspect",
  tryCompletion: "rewardsmith.lab.tryCompletion",
  openTrajectories: "rewardsmith.trajectories.open",
  openTrajectoriesHere: "rewardsmith.trajectories.openHere",
  compareGroup: "rewardsmith.trajectories.compareGroup",
  scoreTrajectories: "rewardsmith.trajectories.score",
  promoteTrajectories: "rewardsmith.trajectories.promote",
  exportTrajectories: "rewardsmith.trajectories.export",
  checkTrajectories: "rewardsmith.trajectories.check",
  nextFailing: "rewardsmith.trajectories.nextFailing",
  previousFailing: "rewardsmith.trajectories.previousFailing",
} as const;
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

export const VIEWS = {
  rewards: "rewardsmith.rewards",
  samples: "rewardsmith.samples",
  trajectories: "rewardsmith.trajectorySources",
} as const;

/** The custom text editor with Monaco, and the panel beside the native editor. */
export const LAB_EDITOR = "rewardsmith.lab";
export const LAB_PANEL = "rewardsmith.labPanel";

/** The read-only viewer of a file of trajectories, and the panel for folders and comparisons. */
export const TRAJECTORY_EDITOR = "rewardsmith.trajectories";
export const TRAJECTORY_PANEL = "rewardsmith.trajectoriesPanel";

/** Context keys that `when` clauses read. */
export const CONTEXT = {
  /** The active editor shows a file with reward functions. */
  rewardFile: "rewardsmith.rewardFile",
  /** That file has samples and permission. */
  bound: "rewardsmith.bound",
  paused: "rewardsmith.paused",
  held: "rewardsmith.held",
  pythonMissing: "rewardsmith.pythonMissing",
  /** Walkthrough steps that have been done in this workspace. */
  hasReward: "rewardsmith.hasReward",
  hasScored: "rewardsmith.hasScored",
  hasEdited: "rewardsmith.hasEdited",
} as const;

export const SETTINGS = {
  python: "python.interpreter",
  liveMode: "live.mode",
  liveRows: "live.rows",
  liveTimeout: "live.timeout",
  workerMode: "worker.mode",
  workerMemory: "worker.memory",
  workerOutput: "worker.outputBytes",
  timeout: "score.timeout",
  batch: "batch",
  baseline: "baseline",
  labeller: "labels.name",
  previews: "previews.enabled",
  previewRows: "previews.rows",
} as const;

export const WALKTHROUGH = "rewardsmith.rewardsmith#rewardsmith.start";
