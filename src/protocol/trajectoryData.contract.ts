import * as z from "zod";
import { SourceProgress, TrajectoryPage, TrajectoryQuery } from "../schema/trajectory";
import {
  BucketCount,
  Comparison,
  Curve,
  GroupOrder,
  GroupsAnswer,
  OutlineEntry,
  PlacedMessage,
  ProblemsAnswer,
  SearchAnswer,
  SearchAsk,
  SourceInfo,
  TextPlace,
  TrajectoryHead,
  TrajectoryLabelAct,
} from "../schema/trajectoryView";
import { contract, method } from "./rpc";

/**
 * Trajectory viewer ⇄ engine, about one source (a file or folder): which one, the view doesn't say and can't. The host
 * relays the frames without reading them. Nothing here runs code or writes; labels are appended by `label`.
 */
const Count = z.int().nonnegative();
/** No message over a megabyte goes to a page (DESIGN §6): texts come in slices of at most this many UTF-16 units. */
export const MAX_SLICE = 250_000;
const MAX_PAGE = 500;

export const trajectoryDataContract = contract(
  "trajectoryData",
  1,
  {
    /** Opens the source where that isn't done; answers as soon as its form is known. */
    info: method(z.object({}), z.object({ info: SourceInfo, progress: SourceProgress })),
    page: method(
      z.object({ query: TrajectoryQuery, from: Count, count: z.int().positive().max(MAX_PAGE) }),
      TrajectoryPage,
    ),
    /** Where a trajectory stands in the filtered order; null: not in it. */
    find: method(z.object({ query: TrajectoryQuery, index: Count }), z.object({ at: Count.nullable() })),
    /** The next or previous one in the filtered order from `index` that fails (`failing` in docs/trajectories.md). */
    failing: method(
      z.object({ query: TrajectoryQuery, index: Count.nullable(), forward: z.boolean() }),
      z.object({ index: Count.nullable(), at: Count.nullable() }),
    ),
    head: method(z.object({ index: Count, maxText: z.int().positive().max(MAX_SLICE) }), TrajectoryHead),
    /** The whole outline of one branch, the messages that it shares with another first. */
    outline: method(
      z.object({ index: Count, branch: Count, from: Count, count: z.int().positive().max(5000) }),
      z.object({ total: Count, entries: z.array(OutlineEntry).max(5000) }),
    ),
    messages: method(
      z.object({
        index: Count,
        branch: Count,
        from: Count,
        count: z.int().positive().max(100),
        maxText: z.int().positive().max(MAX_SLICE),
      }),
      z.object({ total: Count, messages: z.array(PlacedMessage).max(100) }),
    ),
    text: method(
      z.object({ place: TextPlace, from: Count, length: z.int().positive().max(MAX_SLICE) }),
      z.object({ text: z.string(), total: Count }),
    ),
    /** An image of the file itself as base64, at most a megabyte; null: larger, or no image of a safe kind. */
    image: method(
      z.object({ index: Count, branch: Count, message: Count, part: Count }),
      z.object({ mime: z.string().nullable(), data: z.string().nullable(), bytes: Count }),
    ),
    search: method(SearchAsk, SearchAnswer),
    groups: method(
      z.object({
        filter: z.string().max(2000),
        order: GroupOrder,
        descending: z.boolean(),
        from: Count,
        count: z.int().positive().max(MAX_PAGE),
      }),
      GroupsAnswer,
    ),
    /** Of these, or of the whole group of `group` (an index in it), at most 64. */
    compare: method(
      z.object({
        indexes: z.array(Count).max(64),
        group: Count.nullable(),
        rule: z.string().max(100).nullable(),
      }),
      Comparison,
    ),
    curves: method(z.object({}), z.object({ curves: z.array(Curve).max(200) })),
    buckets: method(
      z.object({ filter: z.string().max(2000) }),
      z.object({ buckets: z.array(BucketCount).max(50), of: Count }),
    ),
    problems: method(z.object({ from: Count, count: z.int().positive().max(MAX_PAGE) }), ProblemsAnswer),
    label: method(
      z.object({ acts: z.array(TrajectoryLabelAct).min(1).max(1000) }),
      z.object({ labelled: Count }),
    ),
    follow: method(z.object({ on: z.boolean() }), SourceProgress),
    /** Rows as text: the filtered ones, at most `limit`. */
    copy: method(
      z.object({
        query: TrajectoryQuery,
        form: z.enum(["markdown", "csv"]),
        limit: z.int().positive().max(100_000),
      }),
      z.object({ text: z.string(), rows: Count }),
    ),
    /** One trajectory as Markdown text. */
    copyOne: method(z.object({ index: Count, branch: Count }), z.object({ text: z.string() })),
  },
  {
    progress: SourceProgress,
    /** Rows, labels, scores or the source's columns are others now: ask again for what is on screen. */
    changed: z.object({ seq: Count, what: z.enum(["rows", "labels", "scores", "info", "reset"]) }),
  },
);
export type TrajectoryDataContract = typeof trajectoryDataContract;
