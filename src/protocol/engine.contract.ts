import * as z from "zod";
import { FileScores } from "../schema/live";
import { Project } from "../schema/project";
import { ContractId, FileModel, Finding, Range } from "../schema/reward";
import { RowScore, ScoreState, SideEffect } from "../schema/score";
import { SampleMapping, SampleRow, SampleSetInfo } from "../schema/sample";
import { EngineSettings } from "../schema/settings";
import { TrajectoryRow } from "../schema/trajectory";
import { TrajectoryExport, TrajectoryGroup } from "../schema/trajectoryView";
import { contract, method } from "./rpc";

/**
 * Extension host ⇄ engine. Paths are absolute file-system paths as the editor names them. The host decides
 * trust and consent and calls `bind` only where both are there; the engine runs nothing on its own.
 */
const Path = z.string().min(1);
const Count = z.int().nonnegative();

export const engineContract = contract(
  "engine",
  1,
  {
    initialize: method(
      z.object({
        version: z.string(),
        trusted: z.boolean(),
        folders: z.array(Path),
        /** Folder of ours for temporary files and indexes. */
        storage: Path,
        settings: EngineSettings,
      }),
      z.object({ pid: z.int(), node: z.string() }),
    ),
    configure: method(
      z.object({ trusted: z.boolean(), folders: z.array(Path), settings: EngineSettings }),
      z.null(),
    ),

    /** The editor's text of a file; null text = closed, the disk counts again. Overlays every open Python file. */
    document: method(
      z.object({ path: Path, version: z.int(), text: z.string().nullable(), saved: z.boolean() }),
      z.null(),
    ),
    /** Files that changed on disk (created, changed, deleted, moved). */
    filesChanged: method(z.object({ paths: z.array(Path) }), z.null()),

    /** Reward functions in a file (open text first, else disk). Runs nothing. */
    model: method(z.object({ path: Path }), FileModel),
    /** Candidate reward files and sample files below the folders, bounded. Runs nothing. */
    scan: method(
      z.object({ limit: z.int().positive() }),
      z.object({
        rewards: z.array(FileModel),
        samples: z.array(z.object({ path: Path, bytes: Count })),
        projects: z.array(Path),
        truncated: z.boolean(),
      }),
    ),
    project: method(
      z.object({ path: Path }),
      z.object({
        path: Path.nullable(),
        project: Project.nullable(),
        problems: z.array(
          z.object({ message: z.string(), range: Range.nullable(), severity: z.enum(["error", "warning"]) }),
        ),
      }),
    ),

    openSamples: method(
      z.object({ files: z.array(Path).min(1), mapping: SampleMapping.nullable() }),
      SampleSetInfo,
    ),
    readSamples: method(
      z.object({
        set: z.string(),
        from: Count,
        count: z.int().positive().max(1000),
        maxText: z.int().positive(),
      }),
      z.object({ rows: z.array(SampleRow), total: Count }),
    ),
    /** How often each value of a column occurs, for hovers: most frequent first. */
    columnValues: method(
      z.object({ set: z.string(), column: z.string(), limit: z.int().positive().max(100) }),
      z.object({
        present: Count,
        distinct: Count,
        values: z.array(z.object({ text: z.string(), count: Count })),
      }),
    ),
    /** How many completions a pattern literal at a position matches, and the first misses. Null: no pattern there. */
    patternAt: method(
      z.object({ path: Path, line: Count, character: Count }),
      z
        .object({
          range: Range,
          pattern: z.string(),
          matched: Count,
          of: Count,
          misses: z.array(z.object({ row: Count, text: z.string() })),
          error: z.string().nullable(),
        })
        .nullable(),
    ),

    /** Starts a live session: these samples for this file. Emits `scores`. */
    bind: method(
      z.object({
        path: Path,
        set: z.string(),
        contracts: z.record(z.string(), ContractId),
        allow: z.record(z.string(), z.array(SideEffect)),
        live: z.boolean(),
      }),
      FileScores,
    ),
    unbind: method(z.object({ path: Path }), z.null()),
    setLive: method(z.object({ path: Path, live: z.boolean() }), z.null()),
    /** Allows a kind of side effect for one function while live, and scores again. */
    allow: method(z.object({ path: Path, function: z.string(), effects: z.array(SideEffect) }), z.null()),
    /** Score now: every row, unguarded (the user asked). Ends when the pass has ended. */
    score: method(z.object({ path: Path }), FileScores),
    cancel: method(z.object({ path: Path }), z.null()),
    pin: method(z.object({ path: Path, row: Count.nullable() }), z.null()),
    setBaseline: method(z.object({ path: Path, kind: z.enum(["saved", "head", "pin"]) }), FileScores),
    visibleRows: method(z.object({ path: Path, rows: z.array(Count).max(1000) }), z.null()),
    rows: method(
      z.object({
        path: Path,
        function: z.string(),
        from: Count,
        count: z.int().positive().max(1000),
        states: z.array(ScoreState).nullable(),
      }),
      z.object({ rows: z.array(RowScore), total: Count }),
    ),
    check: method(z.object({ path: Path }), z.object({ findings: z.array(Finding) })),
    /** A view about a file (a Lab) or a file or folder (a trajectory viewer): its frames are relayed, unread by the host. */
    openView: method(
      z.object({ view: z.string(), kind: z.enum(["lab", "trajectories"]), path: Path }),
      z.null(),
    ),
    closeView: method(z.object({ view: z.string() }), z.null()),
    frame: method(z.object({ view: z.string(), message: z.unknown() }), z.null()),
    /**
     * The baseline's Python text of a file, for a comparison; null: it has none. `now`: the present text, of a notebook
     * the module that its cells are.
     */
    baselineText: method(
      z.object({ path: Path }),
      z.object({
        text: z.string().nullable(),
        now: z.string().nullable(),
        kind: z.enum(["saved", "head", "pin"]),
      }),
    ),
    /** A sample with another completion, as a line of JSON in the form of its own file. */
    sampleLine: method(
      z.object({ path: Path, row: Count, completion: z.unknown() }),
      z.object({
        json: z.string(),
        file: Path,
        format: z.enum(["jsonl", "json", "csv", "parquet", "trajectories"]),
      }),
    ),
    /** File and 1-based line of a sample. */
    sampleAt: method(
      z.object({ path: Path, row: Count }),
      z.object({ file: Path, line: z.int().positive() }),
    ),
    /** What a debugger needs to run one sample as the worker would; a folder of ours with the job in it. */
    debugJob: method(
      z.object({ path: Path, row: Count, function: z.string() }),
      z.object({
        python: z.string(),
        module: Path,
        args: z.array(z.string()),
        cwd: Path,
        env: z.record(z.string(), z.string()),
      }),
    ),
    /** The report of the last pass as text: `score --json`, CSV or Markdown. */
    export: method(
      z.object({ path: Path, form: z.enum(["json", "csv", "markdown"]) }),
      z.object({ text: z.string() }),
    ),

    /** Files and run folders with trajectories below the folders, bounded. Only the starts of files are read. */
    trajectorySources: method(
      z.object({ limit: z.int().positive().max(2000) }),
      z.object({
        sources: z.array(
          z.object({
            path: Path,
            folder: z.boolean(),
            /** Of a file its form's title ("verl rollout dump"); of a folder the framework whose run it is ("trl"). */
            title: z.string(),
            bytes: Count,
            files: Count,
          }),
        ),
        truncated: z.boolean(),
      }),
    ),
    /**
     * A page of a source for the side panel: of its steps, groups, or trajectories. `level` null: the first of these that
     * tells anything apart. `filter` as in the viewer ("step:40"). `group`: only members of the group of this index.
     */
    trajectoryNodes: method(
      z.object({
        path: Path,
        level: z.enum(["step", "group", "trajectory"]).nullable(),
        filter: z.string().max(2000),
        group: Count.nullable(),
        from: Count,
        count: z.int().positive().max(200),
      }),
      z.object({
        level: z.enum(["step", "group", "trajectory"]),
        total: Count,
        /** All is read: what comes is final. */
        complete: z.boolean(),
        problems: Count,
        steps: z.array(
          z.object({ step: z.number(), split: z.string().nullable(), n: Count, mean: z.number().nullable() }),
        ),
        groups: z.array(TrajectoryGroup),
        rows: z.array(TrajectoryRow),
      }),
    ),
    /** File and 1-based line of a trajectory's record. */
    trajectoryAt: method(
      z.object({ path: Path, index: Count }),
      z.object({ file: Path, line: z.int().positive(), form: z.string() }),
    ),
    /** Two texts of a trajectory's turns, for a native comparison. */
    trajectoryText: method(
      z.object({ path: Path, index: Count }),
      z.object({ text: z.string(), title: z.string() }),
    ),
    /** Writes to `to`, whole or (`append`) at its end, atomically: the user chose the place. */
    exportTrajectories: method(
      z.object({
        path: Path,
        kind: TrajectoryExport,
        /** Null: all that `filter` lets through. */
        indexes: z.array(Count).max(10_000).nullable(),
        filter: z.string().max(2000),
        to: Path,
        append: z.boolean(),
      }),
      z.object({
        written: Count,
        files: z.array(Path),
        /** Why trajectories were left out, and how many. */
        leftOut: z.array(z.object({ why: z.string(), n: Count })),
      }),
    ),
    /** A report as Markdown: splits without overlap, leakage, pools of difficulty. `against`: a test file, where one is compared. */
    reportTrajectories: method(
      z.object({
        path: Path,
        kind: z.enum(["leakage", "difficulty"]),
        filter: z.string().max(2000),
        against: Path.nullable(),
      }),
      z.object({ markdown: z.string() }),
    ),
    diagnostics: method(z.object({}), z.object({ text: z.string() })),
    /** What the language status shows. */
    interpreter: method(
      z.object({}),
      z.object({
        python: z.string().nullable(),
        version: z.string().nullable(),
        trl: z.string().nullable(),
        mode: z.enum(["fork", "spare", "none"]),
        error: z.string().nullable(),
      }),
    ),
  },
  {
    scores: FileScores,
    /** To a view, from its other half in the engine. */
    frame: z.object({ view: z.string(), message: z.unknown() }),
    /** Sample files or reward files appeared or went: trees should ask again. */
    changed: z.object({ what: z.enum(["rewards", "samples", "trajectories", "interpreter"]) }),
    log: z.object({ level: z.enum(["debug", "info", "warn", "error"]), text: z.string() }),
  },
);
export type EngineContract = typeof engineContract;
