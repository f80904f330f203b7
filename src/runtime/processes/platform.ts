/** What a system's process table says about one process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** Process group and session; 0 where the system has none. */
  readonly group: number;
  readonly session: number;
  /** When it was started, in the system's own form. A process is its number and this; numbers are used again. */
  readonly start: string;
  readonly residentMb: number;
  /** Value of `REWARDSMITH_WORKER` in the environment it was started with; null where there is none or it can't be seen. */
  readonly marker: string | null;
}

export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
}

/** The only way to ask about processes or end them; one implementation a system, injected so that each can be tested. */
export interface ProcessPlatform {
  readonly name: "linux" | "posix" | "windows";
  /** How often memory may be asked for without being felt, milliseconds. */
  readonly memoryIntervalMs: number;
  /** Whether `list` is cheap enough to wait for after each job. */
  readonly listsQuickly: boolean;
  list(): Promise<ProcessInfo[]>;
  /** Null where there is no such process (a zombie counts as gone). */
  startOf(pid: number): Promise<string | null>;
  /** Resident size of a process and all that descends from it, MiB; null where it is gone. */
  treeMb(pid: number): Promise<number | null>;
  /** Ends the process group (Windows: the tree) that a living `pid` leads, at once. Resolves when the order is given. */
  endTree(pid: number): Promise<void>;
  /** Ends what is left in the group of a leader that has just ended (Windows: nothing, there are no groups). */
  endGroup(pid: number): void;
  /** Ends one process at once. */
  end(pid: number): Promise<void>;
}

export const MARKER = "REWARDSMITH_WORKER";

/**
 * The processes that belong to a worker: marked, or in the group or session of one of its leaders, or descended from
 * one that is. A leader's number that now stands for another process counts for nothing.
 */
export function belonging(
  table: readonly ProcessInfo[],
  marker: string,
  leaders: readonly ProcessIdentity[],
): ProcessInfo[] {
  const starts = new Map(table.map(({ pid, start }) => [pid, start]));
  const heads = new Set(
    leaders.flatMap(({ pid, start }) => ((starts.get(pid) ?? start) === start ? [pid] : [])),
  );
  const found = new Map<number, ProcessInfo>();
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const process of table) {
      if (
        process.marker === marker ||
        process.marker?.startsWith(`${marker}.`) === true ||
        [process.pid, process.group, process.session].some((number) => heads.has(number)) ||
        heads.has(process.parent) ||
        found.has(process.parent)
      )
        found.set(process.pid, process);
    }
  }
  return [...found.values()];
}

/**
 * Ends what belongs to a worker, its leaders too, until the table shows nothing more of it. Adds the identities of
 * what was ended to `ended`; everything is listed before it is ended, so nothing escapes the count.
 */
export async function sweep(
  platform: ProcessPlatform,
  marker: string,
  leaders: readonly ProcessIdentity[],
  ended = new Set<string>(),
): Promise<Set<string>> {
  // What keeps starting others, or dies slowly, needs more than one round.
  for (let round = 0; round < 20; round++) {
    if (round > 0) await new Promise((resolve) => setTimeout(resolve, 5 * round));
    const left = belonging(await platform.list(), marker, leaders).filter(({ pid }) => pid !== process.pid);
    if (left.length === 0) break;
    // A group goes in one stroke, even if it forks all the time.
    for (const { pid } of leaders) if (left.some(({ group }) => group === pid)) platform.endGroup(pid);
    await Promise.all(left.map(({ pid }) => platform.end(pid)));
    for (const found of left) ended.add(identityText(found));
  }
  return ended;
}

export function identityText({ pid, start }: ProcessIdentity): string {
  return `${pid} ${start}`;
}
