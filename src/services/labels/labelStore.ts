import { RewardsmithError } from "../../base/errors";
import type { IDisposable } from "../../base/lifecycle";
import { Emitter } from "../../base/event";
import type { SampleTable } from "../../core/scoring/table";
import type { LabelAct, LabelCounts } from "../../schema/lab";
import { LABEL_VERSION, type LabelRecord, type LabelStream, type SampleLabel } from "../../schema/label";
import type { RowLabels } from "../lab/arrangement";
import { baseName } from "../paths";
import { dataLabels } from "./dataLabels";
import { Sidecar, streamOf } from "./sidecar";

/** What the store needs of the outside. */
export interface LabelFiles {
  /** Text of a file, null where there is none. */
  read(path: string): Promise<string | null>;
  /** Adds lines at the end, all or nothing; makes the file where it isn't there. */
  append(path: string, text: string): Promise<void>;
}

/** A set's labels at the moment of asking, and what a review needs besides. */
export interface StoredLabels extends RowLabels {
  /** The sample got a verdict in this stream, and it wasn't taken back. */
  givenIn(row: number, stream: LabelStream): boolean;
  /** Looked at in a guided inspection. */
  looked(row: number): boolean;
}

/** Outputs to look at before a guided inspection is complete (SCIENCE §4); all of a smaller set. */
export const INSPECTION = 50;
const LONGEST_NAME = 100;

/**
 * Labels in sidecar files, by sample identity. One store for the engine; tables ask by the file that is theirs. Samples
 * that share an id (a table tells the k-th apart by `#k`, so this is rare) share a label. Nothing but the sidecar is ever
 * written, and of that only the end.
 */
export class LabelStore implements IDisposable {
  readonly #changed = new Emitter<string>();
  /** Path of a sidecar whose labels are others now. */
  readonly onDidChange = this.#changed.event;

  readonly #files: LabelFiles;
  readonly #now: () => string;
  readonly #sidecars = new Map<string, Sidecar>();
  /** One act after another, by file: the end of the file is looked at before each. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #revision = 0;
  #disposed = false;

  constructor(files: LabelFiles, now: () => string) {
    this.#files = files;
    this.#now = now;
  }

  /**
   * Labels by row: the sidecar's first, then the data's own column. Reads the file where that wasn't done yet. One that
   * can't be read takes nobody's scores away: there are no labels then, and `counts` and `act` say why.
   */
  async of(sidecar: string, table: SampleTable): Promise<StoredLabels> {
    const { verdicts, looked, revision } = await this.#sidecar(sidecar).catch(() => new Sidecar());
    const own = dataLabels(table);
    // Taken now, so that an answer made of it is of one moment.
    const now = table.ids.map((id) => verdicts.get(id));
    const seen = new Set(looked);
    return {
      revision,
      of: (row): SampleLabel | null => {
        const verdict = now[row];
        if (verdict === undefined) return own[row] ?? null;
        return { value: verdict.value, source: "sidecar", stream: streamOf(verdict), by: verdict.by };
      },
      givenIn: (row, stream) => now[row]?.streams.has(stream) ?? false,
      looked: (row) => seen.has(table.ids[row] ?? ""),
    };
  }

  /** Of the samples in the table; what the sidecar says of others isn't counted. */
  async counts(path: string, table: SampleTable): Promise<LabelCounts> {
    return countsOf(path, await this.#sidecar(path), table);
  }

  /**
   * Writes the acts, in order, as one append.
   * @throws BadArguments where a row isn't in the table, or a pair isn't two samples of one group
   */
  act(path: string, table: SampleTable, by: string, acts: readonly LabelAct[]): Promise<LabelCounts> {
    const turn = async (): Promise<LabelCounts> => {
      const at = this.#now();
      const lines = acts.map((act) => JSON.stringify(recordOf(act, table, at, by.slice(0, LONGEST_NAME))));
      const sidecar = await this.#sidecar(path);
      // Another window, or a crash in the middle of a line, may have left another end than the one that is known here.
      this.#accept(path, sidecar, (await this.#files.read(path)) ?? "");
      const { text } = sidecar;
      const start = text === "" || text.endsWith("\n") ? "" : "\n";
      const added = `${start}${lines.join("\n")}\n`;
      await this.#files.append(path, added);
      sidecar.extend(added, ++this.#revision);
      this.#fire(path);
      return countsOf(path, sidecar, table);
    };
    const before = this.#turns.get(path) ?? Promise.resolve();
    const mine = before.then(turn, turn);
    this.#turns.set(
      path,
      mine.catch(() => undefined),
    );
    return mine;
  }

  /** Files that changed on disk. */
  filesChanged(paths: readonly string[]): void {
    for (const path of paths) if (this.#sidecars.has(path)) void this.#readAgain(path);
  }

  dispose(): void {
    this.#disposed = true;
    this.#changed.dispose();
  }

  async #sidecar(path: string): Promise<Sidecar> {
    const known = this.#sidecars.get(path);
    if (known) return known;
    const text = (await this.#files.read(path)) ?? "";
    // Two may have asked at once.
    const meanwhile = this.#sidecars.get(path);
    if (meanwhile) return meanwhile;
    const sidecar = new Sidecar();
    sidecar.replace(text, ++this.#revision);
    this.#sidecars.set(path, sidecar);
    return sidecar;
  }

  /** After the acts that are on their way, whose own writes are changes of the file, too. */
  async #readAgain(path: string): Promise<void> {
    await this.#turns.get(path);
    const sidecar = this.#sidecars.get(path);
    if (!sidecar) return;
    try {
      this.#accept(path, sidecar, (await this.#files.read(path)) ?? "");
    } catch {
      // It can't be read now: what is known stays, and the next act says what is wrong.
    }
  }

  #accept(path: string, sidecar: Sidecar, text: string): void {
    if (text === sidecar.text) return;
    sidecar.replace(text, ++this.#revision);
    this.#fire(path);
  }

  #fire(path: string): void {
    if (!this.#disposed) this.#changed.fire(path);
  }
}

function recordOf(act: LabelAct, table: SampleTable, at: string, by: string): LabelRecord {
  const head = { v: LABEL_VERSION, at, by } as const;
  const idOf = (row: number): string => {
    const id = table.ids[row];
    if (id === undefined || id === "")
      throw new RewardsmithError("BadArguments", `There is no row ${row + 1} in these samples.`, { row });
    return id;
  };
  switch (act.kind) {
    case "verdict":
      return { ...head, kind: "verdict", id: idOf(act.row), value: act.value, stream: act.stream };
    case "clear":
      return { ...head, kind: "clear", id: idOf(act.row) };
    case "looked":
      return { ...head, kind: "looked", id: idOf(act.row), stream: act.stream };
    case "pair": {
      const [better, worse] = [idOf(act.better), idOf(act.worse)];
      if (better === worse || table.groupOf[act.better] !== table.groupOf[act.worse])
        throw new RewardsmithError("BadArguments", "A pair is two samples of one group.");
      return { ...head, kind: "pair", better, worse, stream: act.stream };
    }
  }
}

function countsOf(path: string, sidecar: Sidecar, table: SampleTable): LabelCounts {
  const counts: LabelCounts = {
    file: baseName(path),
    labelled: 0,
    random: 0,
    hunting: 0,
    chosen: 0,
    good: 0,
    bad: 0,
    numbers: 0,
    pairs: 0,
    data: 0,
    looked: 0,
    lookedOf: Math.min(INSPECTION, table.n),
    problems: sidecar.problems,
  };
  const own = dataLabels(table);
  const ids = new Set<string>();
  table.ids.forEach((id, row) => {
    const verdict = sidecar.verdicts.get(id);
    if (verdict === undefined && (own[row] ?? null) !== null) counts.data++;
    if (ids.has(id)) return;
    ids.add(id);
    if (sidecar.looked.has(id)) counts.looked++;
    if (verdict === undefined) return;
    counts.labelled++;
    counts[streamOf(verdict)]++;
    counts[typeof verdict.value === "number" ? "numbers" : verdict.value]++;
  });
  for (const { better, worse } of sidecar.pairs) if (ids.has(better) && ids.has(worse)) counts.pairs++;
  return counts;
}
