import { readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { Logger } from "../core/ports";
import { runOf } from "../core/trajectories/runs";
import { readMetrics } from "../formats/trajectories/metrics/registry";
import { enginePorts } from "../runtime/trajectories/ports";
import { trajectoryFiles } from "../runtime/trajectories/files";
import { fromTagged } from "../schema/number";
import { createTrajectoryStore } from "../services/trajectories/store";
import { TrajectoryLabels } from "../services/trajectories/labels";
import type { LabSource } from "../services/lab/source";
import { nowScores } from "../services/trajectories/now";
import type { TrajectorySource } from "../services/trajectories/source";
import { labelFiles } from "./labels";
import { Trajectories } from "./trajectories";
import { scanTrajectories } from "./trajectoryScan";

export interface TrajectorySetup {
  readonly folders: () => readonly string[];
  readonly storage: string;
  readonly labeller: () => string;
  /** What sessions have scored, by moment. */
  readonly scored: () => readonly Pick<LabSource, "table" | "scored">[];
  readonly logger: Logger;
}

const MOST_LISTED = 20_000;
const MOST_METRICS_BYTES = 100_000_000;
const MOST_CURVES = 200;
const MOST_POINTS = 20_000;

/** The living parts of trajectories, joined. Reads nothing by itself. */
export function setUpTrajectories({
  folders,
  storage,
  labeller,
  scored,
  logger,
}: TrajectorySetup): Trajectories {
  const store = createTrajectoryStore(enginePorts(logger, storage));
  const labels = new TrajectoryLabels(labelFiles, () => new Date().toISOString());
  return new Trajectories({
    store,
    scan: (limit, signal) => scanTrajectories(folders(), limit, signal),
    label: async (source, acts) => labels.act(source, await sidecarOf(source.path), labeller(), acts),
    loadLabels: async (source) => {
      await labels.load(source, await sidecarOf(source.path));
    },
    curves: curvesOf,
    now: async (source) => {
      // The reward that was scored last, where several are.
      for (const one of [...scored()].reverse()) {
        const scores = await nowScores(one, source);
        if (scores) return scores;
      }
      return null;
    },
    report: (problem) => logger.warn(problem),
  });
}

/** `rollouts.jsonl` → `rollouts.labels.jsonl`; of a folder a file in it. */
async function sidecarOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true
    ? join(path, "trajectories.labels.jsonl")
    : join(dirname(path), `${basename(path, extname(path))}.labels.jsonl`);
}

/** Curves of the metrics files that lie in a run's folder; a file that can't be read is left out. */
async function curvesOf(source: TrajectorySource) {
  const curves: { name: string; file: string; points: [number, number | null][] }[] = [];
  if (!source.info().folder) return curves;
  const { files } = await trajectoryFiles.list(source.path, MOST_LISTED, new AbortController().signal);
  const { metricsFiles } = runOf(files.map(({ name, bytes }) => ({ path: name, bytes })));
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  for (const file of metricsFiles) {
    if ((sizes.get(file) ?? 0) > MOST_METRICS_BYTES) continue;
    try {
      const read = readMetrics(basename(file), await readFile(join(source.path, file), "utf8"));
      for (const { name, points } of read.series) {
        if (curves.length >= MOST_CURVES) return curves;
        curves.push({
          name,
          file,
          points: points.slice(-MOST_POINTS).map(([step, value]): [number, number | null] => {
            const number = value === null ? Number.NaN : fromTagged(value);
            return [step, Number.isFinite(number) ? number : null];
          }),
        });
      }
    } catch {
      // Not metrics after all: the run is shown without them.
    }
  }
  return curves;
}
