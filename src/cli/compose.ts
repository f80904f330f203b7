import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Logger } from "../core/ports";
import { createGraph, workerFolder, type Graph } from "../engine/compose";
import type { ScoreReport } from "../schema/report";
import type { SampleMapping } from "../schema/sample";
import { DEFAULT_SETTINGS } from "../schema/settings";
import { resolveSuites, suiteFor } from "../services/project";
import { scoreOnce } from "../services/scoreOnce";
import type { ScoreRequest } from "./scoreRequest";

export interface Surroundings {
  readonly log: Logger;
  readonly version: string;
  /** Of the program's own file, which the Python package lies beside. */
  readonly programUrl: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** One scoring in this process, with the engine's own parts. Python starts first: it comes up while samples are read. */
export async function scoreHere(request: ScoreRequest, around: Surroundings): Promise<ScoreReport> {
  const { signal, cwd, log, version } = around;
  const storage = await mkdtemp(join(tmpdir(), "rewardsmith-"));
  const settings = { ...DEFAULT_SETTINGS, ...request.settings };
  const graph = createGraph({
    settings,
    folders: [cwd, dirname(request.options.file)],
    storage,
    workerPath: workerFolder(around.programUrl),
    logger: log,
  });
  try {
    // Its failure is heard by the scoring itself, which waits for it too.
    graph.ports.worker.ready(signal).catch(() => undefined);
    const mapping = await givenMapping(request, graph, signal);
    return await scoreOnce({ ...request.options, mapping }, { ...graph, settings, version, signal });
  } finally {
    await graph.dispose();
    await rm(storage, { recursive: true, force: true });
  }
}

/** Where columns are named on the command line: the whole mapping, the rest of it from the suite or guessed. */
async function givenMapping(
  { options, hints }: ScoreRequest,
  { samples, projects }: Pick<Graph, "samples" | "projects">,
  signal: AbortSignal,
): Promise<SampleMapping | null> {
  if (Object.keys(hints).length === 0) return null;
  const { path, project } = await projects.find(options.file);
  const suite = path !== null && project ? suiteFor(resolveSuites(project, path), options.file) : null;
  const files = options.files.length > 0 ? options.files : (suite?.samples ?? []);
  const { info } = await samples.open(files, null, { hints: { ...suite?.mapping, ...hints }, signal });
  return info.mapping;
}
