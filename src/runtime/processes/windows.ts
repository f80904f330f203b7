import { runCommand, type RunCommand } from "../command";
import { treeMb } from "./posix";
import type { ProcessInfo, ProcessPlatform } from "./platform";

const QUERY =
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2} {3}' -f $_.ProcessId, $_.ParentProcessId, " +
  "$(if ($_.CreationDate) { $_.CreationDate.ToFileTimeUtc() } else { 0 }), $_.WorkingSetSize }";

const POWERSHELL = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", QUERY] as const;

/** Lines of `pid parent start bytes`. A parent that was started after its child is another process with its number. */
export function parseCim(text: string): ProcessInfo[] {
  const rows = text.split(/\r?\n/).flatMap((line) => {
    const match = /^(\d+) (\d+) (\d+) (\d+)$/.exec(line.trim());
    if (!match) return [];
    const [, pid, parent, start = "", bytes] = match;
    return [{ pid: Number(pid), parent: Number(parent), start, residentMb: Number(bytes) / 1024 / 1024 }];
  });
  const starts = new Map(rows.map(({ pid, start }) => [pid, BigInt(start)]));
  return rows.map((row) => {
    const parentStart = starts.get(row.parent);
    const younger = parentStart !== undefined && parentStart > BigInt(row.start);
    return { ...row, parent: younger ? 0 : row.parent, group: 0, session: 0, marker: null };
  });
}

/** Windows has no process groups of this kind: trees are ended by `taskkill`, tables read through CIM. */
export function windowsPlatform(run: RunCommand = runCommand): ProcessPlatform {
  const list = shared(async () =>
    parseCim((await run("powershell.exe", POWERSHELL)).stdout.toString("utf8")),
  );
  const taskkill = async (args: readonly string[]): Promise<void> => {
    // Its exit code says "not found" too, which is what we want.
    await run("taskkill", args);
  };
  return {
    name: "windows",
    memoryIntervalMs: 2000,
    listsQuickly: false,
    list,
    startOf: async (pid) => (await list()).find((info) => info.pid === pid)?.start ?? null,
    treeMb: async (pid) => treeMb(await list(), pid),
    endTree: (pid) => taskkill(["/PID", String(pid), "/T", "/F"]),
    endGroup: () => undefined,
    end: (pid) => taskkill(["/PID", String(pid), "/F"]),
  };
}

/**
 * A listing takes half a second of a core: one runs at a time, and all who ask meanwhile share the one after it (the
 * running one may have looked before what they ask about happened).
 */
function shared<T>(list: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | null = null;
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    const listing = list().finally(() => {
      if (running === listing) running = null;
    });
    running = listing;
    return listing;
  };
  return () => {
    if (running === null) return begin();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return begin();
      });
    return next;
  };
}
