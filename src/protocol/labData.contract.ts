import * as z from "zod";
import {
  GroupSort,
  LabDetail,
  LabFlips,
  LabGroups,
  LabHunks,
  LabPage,
  LabPictures,
  LabQuery,
  LabTry,
  LabWay,
  LabelAct,
  LabelCounts,
  ReviewQueue,
} from "../schema/lab";
import { contract, method } from "./rpc";

/**
 * Lab ⇄ engine, about one reward file: which one, the view doesn't say and can't. The host relays the frames without
 * reading them (`frame` of the engine contract); the engine checks trust itself before it runs anything.
 */
const Count = z.int().nonnegative();
const MAX_PAGE = 500;
const Weights = LabQuery.shape.weights;

export const labDataContract = contract(
  "labData",
  1,
  {
    page: method(
      z.object({ query: LabQuery, from: Count, count: z.int().positive().max(MAX_PAGE) }),
      LabPage,
    ),
    /**
     * Where a row stands in the filtered order; null: not in it. With `id`, the sample of that identity nearest to
     * `row` is meant: positions move when the data does; the answer's `row` says where it is now, null: it is gone.
     */
    find: method(
      z.object({ query: LabQuery, row: Count, id: z.string().optional() }),
      z.object({ at: Count.nullable(), row: Count.nullable().optional() }),
    ),
    /** The filtered rows as text, Markdown table or CSV, at most `limit` of them. */
    copy: method(
      z.object({
        query: LabQuery,
        form: z.enum(["markdown", "csv"]),
        limit: z.int().positive().max(100_000),
      }),
      z.object({ text: z.string(), rows: Count }),
    ),
    groups: method(
      z.object({
        filter: z.string().max(2000),
        weights: Weights,
        sort: GroupSort,
        descending: z.boolean(),
        from: Count,
        count: z.int().positive().max(MAX_PAGE),
      }),
      LabGroups,
    ),
    detail: method(
      z.object({ row: Count, weights: Weights, maxText: z.int().positive().max(1_000_000) }),
      LabDetail,
    ),
    /** Rows on screen: later passes take them first. */
    visible: method(z.object({ rows: z.array(Count).max(1000) }), z.null()),
    pictures: method(z.object({ weights: Weights, points: z.int().positive().max(20_000) }), LabPictures),
    flips: method(z.object({ from: Count, count: z.int().positive().max(MAX_PAGE) }), LabFlips),
    /** Applies one hunk of the difference at a time to the baseline and scores the flipped rows. Runs code. */
    hunks: method(z.object({}), LabHunks),
    /** Follows one sample through one function. Runs code; `completion` in place of the sample's own. */
    way: method(z.object({ row: Count, function: z.string(), completion: z.unknown().optional() }), LabWay),
    /** Scores another completion in a sample's place. Runs code. */
    attempt: method(z.object({ row: Count, completion: z.unknown(), weights: Weights }), LabTry),
    label: method(z.object({ acts: z.array(LabelAct).min(1).max(1000) }), LabelCounts),
    labels: method(z.object({}), LabelCounts),
    review: method(
      /** `inspect`: random, over what no guided inspection has shown yet. */
      z.object({
        stream: z.enum(["random", "hunting", "inspect"]),
        limit: z.int().positive().max(500),
        seed: Count,
      }),
      ReviewQueue,
    ),
  },
  {
    /** Scores, samples, baseline or labels are others now: ask again for what is on screen. */
    changed: z.object({ seq: Count, what: z.enum(["scores", "labels"]) }),
  },
);
export type LabDataContract = typeof labDataContract;
