import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Logger } from "../core/ports";
import { systemClock } from "../runtime/clock";
import { nodeFileStore } from "../runtime/fileStore";
import { sha256 } from "../runtime/hasher";
import { findImportRoot, initFile } from "../runtime/importRoot";
import { findLeftovers } from "../runtime/processes/leftovers";
import { systemPlatform } from "../runtime/processes/systemPlatform";
import type { EngineSettings } from "../schema/settings";
import { Documents } from "../services/documents";
import type { ScoringPorts } from "../services/ports";
import { Projects } from "../services/project";
import { SampleSets } from "../services/sampleSets";
import { Python } from "./python";

export interface GraphOptions {
  readonly settings: EngineSettings;
  /** Folders that may hold a virtual environment; the first is where reward code runs. */
  readonly folders: readonly string[];
  /** Folder of ours for temporary files. */
  readonly storage: string;
  readonly workerPath: string;
  readonly logger: Logger;
}

export interface Launch {
  /** Laid over the process's own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  readonly storage: string;
  readonly workerPath: string;
}

/** The living parts, joined: the same for the engine process and the command line. Starts nothing by itself. */
export interface Graph {
  readonly ports: ScoringPorts;
  readonly python: Python;
  readonly samples: SampleSets;
  readonly projects: Projects;
  /** How reward code is started: with which variables, where, and where we may write. */
  readonly launch: () => Launch;
  configure(settings: EngineSettings, folders: readonly string[]): void;
  /** Ends what an earlier session, killed before it could, left running; its own marks and start times tell which. */
  endLeftovers(): Promise<void>;
  /** Resolves when no process of ours is left. */
  dispose(): Promise<void>;
}

export function createGraph(options: GraphOptions): Graph {
  const { storage, workerPath, logger } = options;
  const pythonOptions = (settings: EngineSettings, folders: readonly string[]) => ({
    python: settings.python,
    env: settings.env,
    mode: settings.workerMode,
    folders,
    cwd: folders[0] ?? null,
    tmp: storage,
    workerPath,
    logger,
  });
  const python = new Python(pythonOptions(options.settings, options.folders));
  const launchOf = (settings: EngineSettings, folders: readonly string[]): Launch => ({
    env: settings.env,
    cwd: folders[0] ?? null,
    storage,
    workerPath,
  });
  let launch = launchOf(options.settings, options.folders);
  const files = nodeFileStore;
  const documents = new Documents(files);
  return {
    python,
    ports: {
      worker: python,
      files,
      hasher: sha256,
      clock: systemClock,
      log: logger,
      documents,
      imports: async (path) => {
        const { root, module } = await findImportRoot(path, async (folder) => {
          return (await files.stat(initFile(folder))) !== null;
        });
        return { roots: [root], module };
      },
      soon: (run) => void setImmediate(run),
    },
    samples: new SampleSets(files, sha256),
    projects: new Projects(files, (path) => documents.get(path)?.text ?? null),
    launch: () => launch,
    configure: (settings, folders) => {
      launch = launchOf(settings, folders);
      python.configure(pythonOptions(settings, folders));
    },
    endLeftovers: async () => {
      for (const leftover of await findLeftovers(storage, systemPlatform())) {
        const ended = await leftover.end();
        logger.warn(`Ended ${ended} processes that an earlier session had left running.`);
      }
    },
    dispose: async () => {
      documents.dispose();
      python.dispose();
      await python.stopped();
    },
  };
}

/** The Python package beside a bundled program (`dist/node/x.js`), or in the sources where it runs unbundled. */
export function workerFolder(programUrl: string): string {
  const candidates = ["../python/rewardsmith_worker", "../../python/rewardsmith_worker"];
  const paths = candidates.map((candidate) => fileURLToPath(new URL(candidate, programUrl)));
  const found = paths.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`the Python worker isn't beside the program: ${paths.join(", ")}`);
  return found;
}
