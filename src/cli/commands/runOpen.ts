import { dirname, join, resolve } from "node:path";
import { systemClock } from "../../runtime/clock";
import { systemPlatform } from "../../runtime/processes/systemPlatform";
import { runProcesses } from "../../runtime/runs/runProcesses";
import { nodeRunStore } from "../../runtime/runs/runStore";
import type { LoadedProject } from "../../services/project";
import { RunService } from "../../services/runs/runService";
import type { Session } from "../session";

export interface Runs {
  /** Folder of the nearest project file, or the current one. */
  readonly project: string;
  readonly loaded: LoadedProject;
  readonly service: RunService;
}

/** `program`: the supervisor's bundle. */
export async function openRuns(session: Session, program: string): Promise<Runs> {
  const loaded = await session.projects.find(join(resolve(session.cwd), "x"));
  const { path } = loaded;
  const project = path === null ? session.cwd : dirname(path);
  const service = new RunService({
    store: nodeRunStore(project),
    processes: runProcesses({ platform: systemPlatform(), program }),
    clock: systemClock,
    now: () => Date.now(),
    by: "command line",
  });
  return { project, loaded, service };
}
