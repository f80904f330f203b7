import { shownName } from "../core/text/shownName";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import { labDataContract, type LabDataContract } from "../protocol/labData.contract";
import { createServer, type Channel, type Handlers } from "../protocol/rpc";
import type { LabelCounts } from "../schema/lab";
import { LabTable } from "../services/lab/arrangement";
import { tryCompletion } from "../services/lab/attempt";
import { attributeFlips } from "../services/lab/hunks";
import { followWay } from "../services/lab/way";
import type { LabelStore } from "../services/labels/labelStore";
import { randomAgreement, reviewQueue } from "../services/labels/review";
import type { ScoreSession } from "../services/scoreSession";

type Methods = LabDataContract["methods"];

export interface LabViewOptions {
  /** The file's session now; throws `NoSamples` where there is none. */
  readonly session: () => ScoreSession;
  readonly labels: LabelStore;
  /** Sidecar of the session's samples. */
  readonly sidecar: () => string;
  /** Whose labels these are, as the settings say. */
  readonly labeller: () => string;
  readonly report: (problem: string) => void;
}

/** The engine's half of a Lab: answers about one file, runs only what the view asks for. */
export class LabView implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #options: LabViewOptions;
  readonly #table = new LabTable();
  readonly #server;
  /** From the clock: a view that outlives this engine takes the next one's answers for newer. */
  #seq = Date.now();

  constructor(channel: Channel, options: LabViewOptions) {
    this.#options = options;
    this.#server = this.#store.add(
      createServer<Methods, LabDataContract["events"]>(
        labDataContract,
        channel,
        this.#handlers(),
        options.report,
      ),
    );
  }

  /** Whatever the view has on screen may be old now. */
  changed(what: "scores" | "labels"): void {
    this.#seq += 1;
    this.#server.emit("changed", { seq: this.#seq, what });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #handlers(): Handlers<Methods> {
    const { session, labels, sidecar, labeller } = this.#options;
    const moment = async () => {
      const source = session().lab();
      return { source, rowLabels: await labels.of(sidecar(), source.table) };
    };
    const withAgreement = async (counts: LabelCounts): Promise<LabelCounts> => {
      const { source, rowLabels } = await moment();
      return { ...counts, agreement: randomAgreement(source, rowLabels) };
    };
    return {
      page: async ({ query, from, count }) => {
        const { source, rowLabels } = await moment();
        return this.#table.page(source, rowLabels, this.#seq, query, from, count);
      },
      find: async ({ query, row, id }) => {
        const { source, rowLabels } = await moment();
        const now = id === undefined ? row : rowOfId(source.table.ids, id, row);
        return { at: now === null ? null : this.#table.find(source, rowLabels, query, now), row: now };
      },
      copy: async ({ query, form, limit }) => {
        const { source, rowLabels } = await moment();
        return this.#table.copy(source, rowLabels, query, form, limit);
      },
      groups: async (ask) => {
        const { source, rowLabels } = await moment();
        return this.#table.groups(source, rowLabels, this.#seq, ask);
      },
      detail: async (ask) => {
        const { source, rowLabels } = await moment();
        return this.#table.detail(source, rowLabels, this.#seq, ask);
      },
      visible: ({ rows }) => {
        session().visibleRows(rows);
        return Promise.resolve(null);
      },
      pictures: ({ weights, points }) =>
        Promise.resolve(this.#table.pictures(session().lab(), this.#seq, weights, points)),
      flips: ({ from, count }) => Promise.resolve(this.#table.flips(session().lab(), this.#seq, from, count)),
      hunks: (_, signal) => attributeFlips(session(), signal),
      way: (ask, signal) => followWay(session(), ask, signal),
      attempt: (ask, signal) => tryCompletion(session(), ask, signal),
      label: async ({ acts }) =>
        withAgreement(await labels.act(sidecar(), session().table, labeller(), acts)),
      labels: async () => withAgreement(await labels.counts(sidecar(), session().table)),
      review: async (ask) => {
        const { source, rowLabels } = await moment();
        return reviewQueue(source, rowLabels, ask);
      },
    };
  }
}

/** The row of an identity, as views have it, that is nearest to where it was: copies of one sample share theirs. */
function rowOfId(ids: readonly string[], id: string, was: number): number | null {
  const is = (row: number): boolean => shownName(ids[row] ?? "") === id;
  for (let away = 0; was - away >= 0 || was + away < ids.length; away++) {
    if (is(was - away)) return was - away;
    if (is(was + away)) return was + away;
  }
  return null;
}
