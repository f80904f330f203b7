import { RewardsmithError } from "../../base/errors";
import type { IDisposable } from "../../base/lifecycle";
import { Emitter } from "../../base/event";
import type { SampleTable } from "../../core/scoring/table";
import type { LabelAct, LabelCounts } from "../../schema/lab";
import type { RowLabels } from "../lab/arrangement";

/** What the store needs of the outside. */
export interface LabelFiles {
  /** Text of a file, null where there is none. */
  read(path: string): Promise<string | null>;
  /** Adds lines at the end, all or nothing; makes the file where it isn't there. */
  append(path: string, text: string): Promise<void>;
}

/** Labels in sidecar files, by sample identity. One store for the engine; tables ask by the file that is theirs. */
export class LabelStore implements IDisposable {
  readonly #changed = new Emitter<string>();
  /** Path of a sidecar whose labels are others now. */
  readonly onDidChange = this.#changed.event;

  readonly #files: LabelFiles;
  readonly #now: () => string;

  constructor(files: LabelFiles, now: () => string) {
    this.#files = files;
    this.#now = now;
  }

  /** Labels by row: the sidecar's first, then the data's own column. Reads the file where that wasn't done yet. */
  of(_sidecar: string, _table: SampleTable): Promise<RowLabels> {
    return Promise.resolve({ revision: 0, of: () => null });
  }
  counts(_sidecar: string, _table: SampleTable): Promise<LabelCounts> {
    return Promise.reject(new RewardsmithError("Internal", "not built yet"));
  }
  act(_sidecar: string, _table: SampleTable, _by: string, _acts: readonly LabelAct[]): Promise<LabelCounts> {
    return Promise.reject(new RewardsmithError("Internal", "not built yet"));
  }
  /** Files that changed on disk. */
  filesChanged(_paths: readonly string[]): void {}

  dispose(): void {
    this.#changed.dispose();
  }
}
