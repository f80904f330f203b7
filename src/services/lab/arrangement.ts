import { compileFilter, type RowTest } from "../../core/query/evaluate";
import { parseFilter } from "../../core/query/parse";
import type { SampleTable } from "../../core/scoring/table";
import type {
  FilterError,
  LabDetail,
  LabFlips,
  LabGroups,
  LabPage,
  LabPictures,
  LabQuery,
} from "../../schema/lab";
import type { SampleLabel } from "../../schema/label";
import { completionText } from "../functionScores";
import type { Scored } from "../scored";
import { befores, totalChanges, touchedRows, type Before, type Change } from "./changes";
import { copyText } from "./copyText";
import { detailView } from "./detailView";
import { allFlips, labFlip, type AllFlips } from "./flipsView";
import { groupsView, type GroupsAsk } from "./groupsView";
import { filterRows, orderRows, type Moment } from "./order";
import { picturesView } from "./picturesView";
import { labRow } from "./rowView";
import { scoredFacts, type ScoredFacts } from "./scoredFacts";
import type { LabSource } from "./source";
import { weigh, weightsOf, type Weighed, type Weights } from "./weighed";

/** Labels as the Lab sees them: by row of the present table. `revision` changes whenever one does. */
export interface RowLabels {
  readonly revision: number;
  of(row: number): SampleLabel | null;
}

/** Sets of weights and orders kept at once: the ones asked for longest ago are dropped first. */
const KEPT = 4;

/** Rows of one query, and why it could not be understood (all rows then). */
interface Arranged {
  readonly order: Int32Array;
  readonly error: FilterError | null;
}

/** All that is known under one set of weights. */
interface Standing {
  readonly weighed: Weighed;
  changes: ReadonlyMap<number, Change> | null;
  pictures: { readonly points: number; readonly made: ReturnType<typeof picturesView> } | null;
  /** By labels, pin and query. */
  readonly orders: Map<string, Arranged>;
}

/** What is kept of one moment's scores and baseline. */
interface Kept {
  readonly scored: Scored | null;
  readonly table: SampleTable;
  readonly facts: ScoredFacts;
  /** Lists of the baseline that `before` was made of. */
  compared: readonly unknown[];
  before: readonly (Before | null)[];
  /** Rows whose group has a difference to the baseline; null = not looked for yet. */
  touched: Uint8Array | null;
  flips: AllFlips | null;
  /** By weights. */
  readonly standings: Map<string, Standing>;
}

/**
 * Answers about one moment of a session; keeps what is costly until the moment has passed. A moment is told by the
 * identity of the scores (they are replaced, never changed), the table and the baseline's lists.
 */
export class LabTable {
  #kept: Kept | null = null;

  page(
    source: LabSource,
    labels: RowLabels,
    seq: number,
    query: LabQuery,
    from: number,
    count: number,
  ): LabPage {
    const kept = this.#of(source);
    const standing = standingOf(kept, query.weights);
    const moment = momentOf(kept, standing, source, labels);
    const { order, error } = arrange(standing, moment, query);
    const { facts } = kept;
    return {
      ...head(source, seq),
      functions: [...standing.weighed.functions],
      rows: facts.table.n,
      scored: facts.scored,
      matched: order.length,
      from,
      page: Array.from(order.subarray(from, from + count), (row) => labRow(moment, kept.before, row)),
      filterError: error,
      columns: [...facts.table.columns.keys()],
    };
  }

  /** Place of a row in the filtered order; null: it isn't in it. */
  find(source: LabSource, labels: RowLabels, query: LabQuery, row: number): number | null {
    const kept = this.#of(source);
    const standing = standingOf(kept, query.weights);
    const at = arrange(standing, momentOf(kept, standing, source, labels), query).order.indexOf(row);
    return at === -1 ? null : at;
  }

  copy(
    source: LabSource,
    labels: RowLabels,
    query: LabQuery,
    form: "markdown" | "csv",
    limit: number,
  ): { text: string; rows: number } {
    const kept = this.#of(source);
    const standing = standingOf(kept, query.weights);
    const moment = momentOf(kept, standing, source, labels);
    const rows = Array.from(arrange(standing, moment, query).order.subarray(0, limit), (row) => ({
      row: labRow(moment, kept.before, row),
      id: kept.table.ids[row] ?? "",
      group: kept.table.groups[kept.table.groupOf[row] ?? -1]?.id ?? "",
      completion: completionText(kept.table.completion[row]),
    }));
    return { text: copyText(standing.weighed.functions, rows, form), rows: rows.length };
  }

  groups(
    source: LabSource,
    labels: RowLabels,
    seq: number,
    ask: GroupsAsk & { readonly filter: string; readonly weights: Weights },
  ): LabGroups {
    const kept = this.#of(source);
    const standing = standingOf(kept, ask.weights);
    let passes: Uint8Array | null = null;
    if (ask.filter.trim() !== "") {
      const moment = momentOf(kept, standing, source, labels);
      passes = new Uint8Array(kept.table.n);
      const query = { filter: ask.filter, sort: [], grouped: false, weights: ask.weights };
      for (const row of arrange(standing, moment, query).order) passes[row] = 1;
    }
    return { ...head(source, seq), ...groupsView(standing.weighed, passes, ask) };
  }

  /** @throws BadArguments where there is no such row */
  detail(
    source: LabSource,
    labels: RowLabels,
    seq: number,
    ask: { row: number; weights: Weights; maxText: number },
  ): LabDetail {
    const kept = this.#of(source);
    const standing = standingOf(kept, ask.weights);
    const moment = momentOf(kept, standing, source, labels);
    return { ...head(source, seq), ...detailView(moment, kept.before, ask.row, ask.maxText) };
  }

  flips(source: LabSource, seq: number, from: number, count: number): LabFlips {
    const kept = this.#of(source);
    const { facts, before } = kept;
    kept.flips ??= allFlips(facts, before);
    const { flips, summary } = kept.flips;
    const { scores } = source.baseline;
    return {
      ...head(source, seq),
      baseline: scores && { kind: scores.kind, hash: scores.hash },
      total: flips.length,
      from,
      flips: flips.slice(from, from + count).map((flip) => labFlip(facts, before, flip)),
      summary: [...summary],
    };
  }

  pictures(source: LabSource, seq: number, weights: Weights, points: number): LabPictures {
    const standing = standingOf(this.#of(source), weights);
    if (standing.pictures?.points !== points)
      standing.pictures = { points, made: picturesView(standing.weighed, points) };
    return { ...head(source, seq), ...standing.pictures.made };
  }

  /** What is kept of this moment; made anew where the scores, the samples or the baseline are others. */
  #of(source: LabSource): Kept {
    const { table, scored, baseline } = source;
    if (this.#kept?.scored !== scored || this.#kept.table !== table) {
      const facts = scoredFacts(source);
      this.#kept = {
        scored,
        table,
        facts,
        compared: [],
        before: [],
        touched: null,
        flips: null,
        standings: new Map(),
      };
    }
    const kept = this.#kept;
    const compared = kept.facts.functions.map(({ fn }) => baseline.of(fn.name)?.rows ?? null);
    if (compared.length !== kept.compared.length || compared.some((rows, i) => rows !== kept.compared[i])) {
      kept.compared = compared;
      kept.before = befores(kept.facts, baseline);
      kept.touched = null;
      kept.flips = null;
      for (const standing of kept.standings.values()) {
        standing.changes = null;
        standing.orders.clear();
      }
    }
    return kept;
  }
}

function head(
  { docVersion, status }: LabSource,
  seq: number,
): Pick<LabPage, "seq" | "docVersion" | "status"> {
  return { seq, docVersion, status };
}

function standingOf({ facts, standings }: Kept, asked: Weights): Standing {
  const weights = weightsOf(facts, asked);
  return remember(standings, weights.join(" "), () => ({
    weighed: weigh(facts, weights),
    changes: null,
    pictures: null,
    orders: new Map(),
  }));
}

function momentOf(kept: Kept, standing: Standing, source: LabSource, labels: RowLabels): Moment {
  const { weighed } = standing;
  return {
    weighed,
    labels,
    pinned: source.pinned ?? null,
    changes: () => {
      kept.touched ??= touchedRows(kept.facts, kept.before);
      return (standing.changes ??= totalChanges(weighed, kept.before, kept.touched));
    },
  };
}

function arrange(standing: Standing, moment: Moment, query: LabQuery): Arranged {
  const { filter, sort, grouped } = query;
  const key = JSON.stringify([moment.labels.revision, moment.pinned, filter, sort, grouped]);
  return remember(standing.orders, key, () => {
    const { facts } = moment.weighed;
    const { node, problem } = parseFilter(filter, {
      functions: facts.functions.map(({ fn }) => fn.name),
      columns: [...facts.table.columns.keys()],
    });
    const test: RowTest = node && node.kind !== "all" ? compileFilter(node, filterRows(moment)) : () => true;
    return {
      order: orderRows(moment, test, query),
      error: problem && { ...problem, message: `${problem.code}: ${problem.subject}` },
    };
  });
}

function remember<T>(kept: Map<string, T>, key: string, make: () => T): T {
  const known = kept.get(key);
  const value = known ?? make();
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return value;
}
