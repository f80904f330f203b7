import { LAYOUTS, type Layout } from "./runLayouts";

/** A file below a folder: its path from there, with `/`, and its size. */
export interface RunPath {
  readonly path: string;
  readonly bytes: number;
}

export interface RolloutFile {
  readonly path: string;
  readonly step: number | null;
  readonly split: string | null;
}

/** What a folder is: a framework's run, or (`framework` null) just files that may hold trajectories. */
export interface Run {
  readonly framework: string | null;
  /** By step as a number (those without one last), then by path with its numbers as numbers. */
  readonly rolloutFiles: readonly RolloutFile[];
  readonly metricsFiles: readonly string[];
  readonly configFiles: readonly string[];
}

/** Folders whose content nobody means by "this folder's trajectories". */
const IGNORED = /(^|\/)(\.git|node_modules|__pycache__|\.venv|\.cache|site-packages)\//;
const HIDDEN_FILE = /(^|\/)\._|(^|\/)\.DS_Store$/;

/** Tells from the names of files alone which framework's run they are. */
export function runOf(files: readonly RunPath[]): Run {
  const paths = files
    .map((file) => ({ ...file, path: file.path.replaceAll("\\", "/") }))
    .filter(({ path }) => !IGNORED.test(path) && !HIDDEN_FILE.test(path));
  for (const layout of LAYOUTS) {
    const run = asRun(layout, paths);
    if (run) return run;
  }
  return plainFolder(paths);
}

function asRun(layout: Layout, files: readonly RunPath[]): Run | null {
  const paths = files.map((file) => file.path);
  const all = new Set(paths);
  if (layout.needs && !paths.some((path) => layout.needs?.test(path))) return null;
  const found = files.flatMap(({ path }) => {
    const match = layout.rollouts.exec(path);
    if (!match || layout.not?.test(path)) return [];
    if (layout.accepts && !layout.accepts(path, all)) return [];
    return [
      { path, step: stepOf(match.groups?.["step"]), split: layout.splitOf(match.groups?.["split"], path) },
    ];
  });
  if (found.length === 0) return null;
  const rolloutFiles = (layout.choose?.(found) ?? found).toSorted(byStep);
  const rollouts = new Set(found.map((file) => file.path));
  const metrics = paths
    .filter((path) => layout.metrics.test(path) && !rollouts.has(path))
    .toSorted(naturally);
  return {
    framework: layout.framework,
    rolloutFiles,
    metricsFiles: layout.chooseMetrics?.(metrics) ?? metrics,
    configFiles: paths.filter((path) => layout.configs.test(path) && !rollouts.has(path)).toSorted(naturally),
  };
}

function stepOf(text: string | undefined): number | null {
  return text === undefined || text === "" ? null : Number(text);
}

const METRICS =
  /(^|\/)(trainer_state\.json|metrics\.jsonl?|history\.jsonl|[^/]*_aggregate_metrics\.json|aggregated_results\.jsonl)$/;
const CONFIGS =
  /(^|\/)(config|configs|metadata|params|args|package|lock|tsconfig|settings|state|meta|header)\.(json|ya?ml|toml)$|\.toml$/;
const TRAJECTORIES = /\.(jsonl|ndjson|json|parquet|eval|traj|db|sqlite|ya?ml)$/i;

function plainFolder(files: readonly RunPath[]): Run {
  const paths = files.map((file) => file.path);
  const metricsFiles = paths.filter((path) => METRICS.test(path)).toSorted(naturally);
  const configFiles = paths.filter((path) => CONFIGS.test(path)).toSorted(naturally);
  const aside = new Set([...metricsFiles, ...configFiles]);
  return {
    framework: null,
    rolloutFiles: files
      // A file without a byte has nothing yet; a line may still come to one of lines.
      .filter(
        ({ path, bytes }) => TRAJECTORIES.test(path) && !aside.has(path) && (bytes > 0 || /l$/i.test(path)),
      )
      .map(({ path }) => ({ path, step: null, split: null }))
      .toSorted(byStep),
    metricsFiles,
    configFiles,
  };
}

function byStep(a: RolloutFile, b: RolloutFile): number {
  if (a.step !== b.step) {
    if (a.step === null) return 1;
    if (b.step === null) return -1;
    return a.step - b.step;
  }
  return naturally(a.path, b.path);
}

/** Numbers within names count as numbers: step_9 before step_10. */
export function naturally(a: string, b: string): number {
  const [x, y] = [a.split(/(\d+)/), b.split(/(\d+)/)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const [one, other] = [x[i] ?? "", y[i] ?? ""];
    if (one === other) continue;
    const difference = i % 2 === 1 ? Number(one) - Number(other) : 0;
    if (difference !== 0) return difference;
    return one < other ? -1 : 1;
  }
  return x.length - y.length;
}
