import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RewardsmithError } from "../base/errors";
import { CONTRACTS } from "../core/contracts/registry";
import type { FileStore, Hasher, Logger } from "../core/ports";
import { systemClock } from "../runtime/clock";
import { findImportRoot, initFile } from "../runtime/importRoot";
import { findInterpreters } from "../runtime/interpreters";
import { createWorker } from "../runtime/worker/pythonWorker";
import type { ScoreReport } from "../schema/report";
import { DEFAULT_SETTINGS } from "../schema/settings";
import { Documents } from "../services/documents";
import type { Projects } from "../services/project";
import { SampleSets } from "../services/sampleSets";
import { resolveSuites, suiteFor } from "../services/project";
import { scoreOnce } from "../services/scoreOnce";
import type { ScoreRequest } from "./scoreRequest";

export interface ScoringSurroundings {
  readonly files: FileStore;
  readonly hasher: Hasher;
  readonly projects: Projects;
  readonly log: Logger;
  readonly version: string;
  /** The `rewardsmith_worker` package. */
  readonly workerPath: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** One scoring in this process: Python is started first, so that it comes up while the samples are read. */
export async function scoreHere(request: ScoreRequest, around: ScoringSurroundings): Promise<ScoreReport> {
  const { files, hasher, signal, cwd } = around;
  const { file } = request.options;
  const tmp = await mkdtemp(join(tmpdir(), "rewardsmith-"));
  const worker = createWorker({
    python: await interpreter(request.settings.python, [cwd, dirname(file)]),
    mode: request.settings.workerMode,
    tmp,
    workerPath: around.workerPath,
    cwd,
    packages: CONTRACTS.flatMap(({ distribution }) => distribution ?? []),
    logger: around.log,
  });
  try {
    // Its failure is heard by the scoring itself, which waits for it too.
    worker.ready(signal).catch(() => undefined);
    const samples = new SampleSets(files, hasher);
    const options = { ...request.options, mapping: await givenMapping(request, samples, around) };
    return await scoreOnce(options, {
      ports: {
        worker,
        files,
        hasher,
        clock: systemClock,
        log: around.log,
        documents: new Documents(files),
        async imports(path) {
          const has = async (folder: string): Promise<boolean> =>
            (await files.stat(initFile(folder))) !== null;
          const { root, module } = await findImportRoot(path, has);
          return { roots: [root], module };
        },
        soon: (run) => void setImmediate(run),
      },
      samples,
      projects: around.projects,
      settings: { ...DEFAULT_SETTINGS, ...request.settings },
      version: around.version,
      signal,
    });
  } finally {
    worker.dispose();
    await worker.stopped;
    await rm(tmp, { recursive: true, force: true });
  }
}

/** Where columns are named on the command line: the whole mapping, the rest of it from the suite or guessed. */
async function givenMapping(
  { options, hints }: ScoreRequest,
  samples: SampleSets,
  { projects, signal }: ScoringSurroundings,
) {
  if (Object.keys(hints).length === 0) return null;
  const { path, project } = await projects.find(options.file);
  const suite = path !== null && project ? suiteFor(resolveSuites(project, path), options.file) : null;
  const files = options.files.length > 0 ? options.files : (suite?.samples ?? []);
  const { info } = await samples.open(files, null, { hints: { ...suite?.mapping, ...hints }, signal });
  return info.mapping;
}

/** As given (a bare name is looked up on PATH when it is started), or the first that is found. */
async function interpreter(setting: string | null, folders: readonly string[]): Promise<string> {
  if (setting !== null) return setting;
  const [first] = await findInterpreters({ setting, env: process.env, folders, platform: process.platform });
  if (first) return first.path;
  throw new RewardsmithError(
    "PythonMissing",
    "No Python was found in VIRTUAL_ENV, .venv, venv or on PATH. Install Python 3.9 or newer, or give --python PATH.",
  );
}
