import { existsSync, readFileSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { kill, treeMb } from "./posix";
import { MARKER, type ProcessInfo, type ProcessPlatform } from "./platform";

const AT_PAGESZ = 6n;
const MARKER_ENTRY = Buffer.from(`\0${MARKER}=`);

/** Pages are 4, 16 or 64 KiB; the kernel tells each process in its auxiliary vector (getauxval(3)). */
function pageMb(): number {
  const vector = readFileSync("/proc/self/auxv");
  for (let at = 0; at + 16 <= vector.length; at += 16)
    if (vector.readBigUInt64LE(at) === AT_PAGESZ)
      return Number(vector.readBigUInt64LE(at + 8)) / (1024 * 1024);
  return 4096 / (1024 * 1024);
}

let page: number | undefined;

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly start: string;
  readonly residentMb: number;
}

/** `/proc/<pid>/stat` (proc_pid_stat(5)); the name in brackets may hold anything, so fields count from its last bracket. */
export function parseStat(text: string): Stat | null {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  // Fields 22 (start, clock ticks since boot) and 24 (resident pages); the state is field 3.
  const start = fields[19];
  const pages = fields[21];
  if (state === undefined || start === undefined || pages === undefined) return null;
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start,
    residentMb: Number(pages) * (page ??= pageMb()),
  };
}

export function markerIn(environ: Buffer): string | null {
  const entry = MARKER_ENTRY.subarray(1);
  const inside = environ.indexOf(MARKER_ENTRY);
  const from = environ.subarray(0, entry.length).equals(entry)
    ? entry.length
    : inside < 0
      ? -1
      : inside + MARKER_ENTRY.length;
  if (from < 0) return null;
  const end = environ.indexOf(0, from);
  return environ.toString("utf8", from, end < 0 ? undefined : end);
}

export const linuxPlatform: ProcessPlatform = {
  name: "linux",
  memoryIntervalMs: 100,
  listsQuickly: true,

  async list() {
    const found: ProcessInfo[] = [];
    let read = 0;
    for (const name of readdirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      // Read synchronously (a fraction of the cost of a thread's hop for files this small), a few at a time.
      if (++read % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      const info = inspect(Number(name));
      if (info) found.push(info);
    }
    return found;
  },

  startOf: (pid) => Promise.resolve(inspect(pid)?.start ?? null),

  async treeMb(pid) {
    if (!existsSync(`/proc/self/task/${process.pid}/children`)) return treeMb(await this.list(), pid);
    let sum: number | null = null;
    const left = [pid];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const stat = await statOf(next);
      if (!stat || stat.state === "Z") continue;
      sum = (sum ?? 0) + stat.residentMb;
      left.push(...(await childrenOf(next)));
    }
    return sum;
  },

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

function inspect(pid: number): ProcessInfo | null {
  try {
    const stat = parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
    if (!stat || stat.state === "Z" || stat.state === "X") return null;
    return { pid, ...stat, marker: markerOf(pid) };
  } catch {
    return null;
  }
}

function markerOf(pid: number): string | null {
  try {
    return markerIn(readFileSync(`/proc/${pid}/environ`));
  } catch {
    // Another user's process.
    return null;
  }
}

async function statOf(pid: number): Promise<Stat | null> {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return null;
  }
}

/** A thread's children; a process forks from any of its threads. */
async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      for (const child of (await readFile(`/proc/${pid}/task/${thread}/children`, "utf8")).split(" "))
        if (child !== "") children.push(Number(child));
  } catch {
    // It ended while we looked.
  }
  return children;
}
