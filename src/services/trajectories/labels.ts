import { LABEL_VERSION, type LabelRecord, type LabelStream, type LabelValue } from "../../schema/label";
import { Sidecar } from "../labels/sidecar";
import type { LabelFiles } from "../labels/labelStore";
import type { TrajectorySource } from "./source";

export interface TrajectoryLabel {
  readonly index: number;
  /** Null takes back what was said. */
  readonly value: LabelValue | null;
  readonly stream: LabelStream;
}

/**
 * Verdicts on trajectories, in the same sidecar form as those on samples, by the trajectory's id. Nothing but the sidecar
 * is written, and of that only the end.
 */
export class TrajectoryLabels {
  readonly #files: LabelFiles;
  readonly #now: () => string;
  /** One act after another, by file. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(files: LabelFiles, now: () => string) {
    this.#files = files;
    this.#now = now;
  }

  /** Reads a source's labels and hands them to it; the number of trajectories with one. */
  async load(source: TrajectorySource, sidecar: string): Promise<number> {
    const read = new Sidecar();
    read.replace((await this.#files.read(sidecar)) ?? "", 0);
    const labels = new Map([...read.verdicts].map(([id, { value }]): [string, LabelValue] => [id, value]));
    source.setLabels(labels);
    return labels.size;
  }

  async act(
    source: TrajectorySource,
    sidecar: string,
    by: string,
    acts: readonly TrajectoryLabel[],
  ): Promise<number> {
    const before = this.#turns.get(sidecar) ?? Promise.resolve();
    const turn = before.then(async () => {
      const rows = await source.rows(acts.map(({ index }) => index));
      const lines = acts.map(({ value, stream }, at): LabelRecord => {
        const head = { v: LABEL_VERSION, at: this.#now(), by, id: rows[at]?.id ?? "" } as const;
        return value === null ? { ...head, kind: "clear" } : { ...head, kind: "verdict", value, stream };
      });
      const text = await this.#files.read(sidecar);
      // A line that was cut off, by whomever, must not swallow ours.
      const gap = text === null || text === "" || text.endsWith("\n") ? "" : "\n";
      await this.#files.append(sidecar, gap + lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      return this.load(source, sidecar);
    });
    const settled = turn.catch(() => undefined);
    this.#turns.set(sidecar, settled);
    return turn;
  }
}
