import { runCommand, type RunCommand } from "../command";
import { errorCode } from "../systemErrors";
import { MARKER, type ProcessInfo, type ProcessPlatform } from "./platform";

/** `-E` (macOS, FreeBSD procfs-less too) puts the environment behind the command; processes of others show none. */
export const PS_LIST = ["-axww", "-E", "-o", "pid=,ppid=,pgid=,sess=,rss=,stat=,lstart=,command="] as const;

const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+[\d:]+\s+\d{4})\s?(.*)$/;

/** Rows of `ps` with the columns of `PS_LIST`; sizes in KiB. */
export function parsePs(text: string): ProcessInfo[] {
  return text.split("\n").flatMap((line) => {
    const match = LINE.exec(line);
    if (!match) return [];
    const [, pid, parent, group, session, kib, state, start, command] = match;
    if (state?.startsWith("Z")) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        // macOS shows a session as an address or 0.
        session: /^\d+$/.test(session ?? "") ? Number(session) : 0,
        start: (start ?? "").replace(/\s+/g, " "),
        residentMb: Number(kib) / 1024,
        marker: new RegExp(`(?:^|\\s)${MARKER}=(\\S+)`).exec(command ?? "")?.[1] ?? null,
      },
    ];
  });
}

/** macOS and other systems with `ps`. */
export function posixPlatform(run: RunCommand = runCommand): ProcessPlatform {
  const list = async (): Promise<ProcessInfo[]> =>
    parsePs((await run("ps", PS_LIST, { env: { ...process.env, LC_ALL: "C" } })).stdout.toString("utf8"));
  return {
    name: "posix",
    memoryIntervalMs: 400,
    listsQuickly: true,
    list,
    startOf: async (pid) => (await list()).find((info) => info.pid === pid)?.start ?? null,
    treeMb: async (pid) => treeMb(await list(), pid),
    endTree(pid) {
      kill(-pid);
      return Promise.resolve();
    },
    endGroup: (pid) => kill(-pid),
    end(pid) {
      kill(pid);
      return Promise.resolve();
    },
  };
}

/** Sum over a process and what descends from it; null where it isn't in the table. */
export function treeMb(table: readonly ProcessInfo[], root: number): number | null {
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const { pid, parent } of table) if (tree.has(parent)) tree.add(pid);
  }
  const members = table.filter(({ pid }) => tree.has(pid));
  return members.some(({ pid }) => pid === root)
    ? members.reduce((sum, { residentMb }) => sum + residentMb, 0)
    : null;
}

/** SIGKILL; nothing where it is gone already. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
