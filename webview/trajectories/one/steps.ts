import { formatCount } from "../../../src/words/format";
import { listModel } from "../list/model";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { oneModel } from "./model";

/** To the next or previous message that is an error. */
export function jumpToError(viewer: Viewer, by: 1 | -1): void {
  const model = oneModel(viewer);
  const at = model.nextError(by);
  if (at === null) viewer.say(viewer.t("No more errors this way."));
  else model.goTo(at, true);
}

/** Of groups the newest few: their members in order. */
const members = new WeakMap<Viewer, Map<string, readonly number[]>>();
const MOST_KEPT = 50;

async function membersOf(viewer: Viewer, group: string): Promise<readonly number[]> {
  const known = members.get(viewer) ?? new Map<string, readonly number[]>();
  members.set(viewer, known);
  const key = `${viewer.rowsSeq.value}/${group}`;
  const here = known.get(key);
  if (here) return here;
  const { rows } = await viewer.connection.data.page(
    {
      query: { filter: `group:"${group.replace(/["\\]/gu, "\\$&")}"`, sort: "index", descending: false },
      from: 0,
      count: 500,
    },
    { timeoutMs: TIMEOUT_MS },
  );
  const indexes = rows.map(({ index }) => index);
  known.set(key, indexes);
  for (const oldest of known.keys()) {
    if (known.size <= MOST_KEPT) break;
    known.delete(oldest);
  }
  return indexes;
}

/** To the next or previous trajectory of the same group, around its ends. */
export async function groupStep(viewer: Viewer, by: 1 | -1): Promise<void> {
  const head = oneModel(viewer).head.value;
  if (!head) return;
  try {
    const all = await membersOf(viewer, head.row.group);
    const at = all.indexOf(head.row.index);
    const to = all[(at + by + all.length) % Math.max(1, all.length)];
    if (to === undefined || to === head.row.index) {
      viewer.say(viewer.t("It is alone in its group."));
      return;
    }
    viewer.open(to);
    viewer.say(
      viewer.t(
        "Trajectory {0}, {1} of {2} in its group",
        formatCount(to + 1, viewer.speech.value.language),
        all.indexOf(to) + 1,
        all.length,
      ),
    );
  } catch (error) {
    viewer.fail(error);
  }
}

/** What palette commands ask of the page. */
export function failingStep(viewer: Viewer, forward: boolean): void {
  void listModel(viewer).failing(forward);
}
