import * as z from "zod";
import { Emitter } from "../../../src/base/event";
import { createClient, type Channel } from "../../../src/protocol/rpc";
import { trajectoryDataContract } from "../../../src/protocol/trajectoryData.contract";
import type { SourceProgress, TrajectoryQuery } from "../../../src/schema/trajectory";
import type { EngineUnderTest } from "../engine/engineProcess";

/** The event of the engine that carries a view's frames. */
const Frame = z.object({
  k: z.literal("evt"),
  m: z.literal("frame"),
  p: z.object({ view: z.string(), message: z.unknown() }),
});

export const ALL: TrajectoryQuery = { filter: "", sort: "index", descending: false };

let views = 0;

/** A viewer's page without a screen, as the host would relay its frames; keeps what it was told, and when. */
export async function openViewer(engine: EngineUnderTest, path: string) {
  const view = `view-${++views}`;
  const messages = new Emitter<unknown>();
  const hear = (message: unknown): void => {
    const frame = Frame.safeParse(message);
    if (frame.success && frame.data.p.view === view) messages.fire(frame.data.p.message);
  };
  engine.child.on("message", hear);
  const closed = new Emitter<void>();
  const channel: Channel = {
    post: (message) => void engine.client.frame({ view, message }),
    onMessage: messages.event,
    onClose: closed.event,
  };
  const told: { readonly at: number; readonly progress: SourceProgress }[] = [];
  const changes: string[] = [];
  await engine.client.openView({ view, kind: "trajectories", path });
  const { client } = createClient(
    trajectoryDataContract,
    channel,
    {
      changed: ({ what }) => void changes.push(what),
      progress: (progress) => void told.push({ at: performance.now(), progress }),
    },
    (problem) => {
      throw new Error(problem);
    },
  );
  const page = (from: number, count: number, query: Partial<TrajectoryQuery> = {}) =>
    client.page({ query: { ...ALL, ...query }, from, count });
  return {
    client,
    told,
    changes,
    page,
    /** All rows of a query, page after page. */
    async rows(query: Partial<TrajectoryQuery> = {}) {
      const first = await page(0, 500, query);
      const rows = [...first.rows];
      while (rows.length < first.total) {
        const next = await page(rows.length, Math.min(500, first.total - rows.length), query);
        if (next.rows.length === 0) throw new Error(`no rows from ${rows.length} of ${first.total}`);
        rows.push(...next.rows);
      }
      return rows;
    },
    async groups(filter = "") {
      const ask = { filter, order: "first", descending: false } as const;
      const first = await client.groups({ ...ask, from: 0, count: 500 });
      const groups = [...first.groups];
      while (groups.length < first.total) {
        const next = await client.groups({ ...ask, from: groups.length, count: 500 });
        if (next.groups.length === 0) throw new Error(`no groups from ${groups.length} of ${first.total}`);
        groups.push(...next.groups);
      }
      return groups.slice(0, first.total);
    },
    async complete(ms = 60_000) {
      const end = Date.now() + ms;
      for (;;) {
        const { progress } = await page(0, 1);
        if (progress.complete) return progress;
        if (Date.now() > end) throw new Error(`not read in ${ms} ms: ${JSON.stringify(progress)}`);
        await new Promise((done) => setTimeout(done, 50));
      }
    },
    async close() {
      engine.child.off("message", hear);
      await engine.client.closeView({ view });
    },
  };
}

export type ViewerPage = Awaited<ReturnType<typeof openViewer>>;
