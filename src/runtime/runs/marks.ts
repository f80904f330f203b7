import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ProcessMark } from "../../schema/run";
import { parseStat } from "../processes/linux";
import { MARKER, type ProcessPlatform } from "../processes/platform";
import { TOKEN } from "./layout";

export function newToken(): string {
  return randomBytes(16).toString("hex");
}

/** Variables that mark a process; the second is the one that the process table shows on every system. */
export function tokenVariables(token: string): Record<string, string> {
  return { [TOKEN]: token, [MARKER]: token };
}

let boot: string | undefined;

/** Id of this boot of the machine; "" where the system has none. */
export function bootId(): string {
  boot ??= readBoot();
  return boot;
}

function readBoot(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Mark of this process, which was started with a token; one without gets the empty token, which no environment has. */
export async function ownMark(platform: ProcessPlatform): Promise<ProcessMark> {
  return {
    pid: process.pid,
    start: (await platform.startOf(process.pid)) ?? "",
    boot: bootId(),
    token: process.env[TOKEN] ?? "",
  };
}

/**
 * Start time of a child that may have ended already: asked in the same turn as it was started, before it is reaped.
 * Null: this system has no such file, the platform is to be asked.
 */
export function startOfChild(pid: number): string | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"))?.start ?? null;
  } catch {
    return null;
  }
}

/**
 * Whether the very process of a mark is alive: number, start time and boot must agree, and where its environment can be
 * read and holds a token it must be the mark's. Without a token there the start time decides: programs may clear or
 * overwrite their environment (setproctitle does).
 */
export async function isAlive(
  mark: ProcessMark,
  platform: ProcessPlatform,
  now = bootId(),
): Promise<boolean> {
  if (mark.boot !== now) return false;
  const start = await platform.startOf(mark.pid);
  if (start === null || start !== mark.start) return false;
  const token = platform.name === "linux" ? variableOf(mark.pid, TOKEN) : null;
  return token === null || mark.token === "" || token === mark.token;
}

/** A variable of a process's environment as it was at its start; null: not there, or not to be seen. */
export function variableOf(pid: number, name: string): string | null {
  let environ: string;
  try {
    environ = readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return null;
  }
  const found = environ.split("\0").find((entry) => entry.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}
