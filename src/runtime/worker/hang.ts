/** Where a hang stood: the innermost line of the user's file. */
export interface HangPlace {
  readonly line: number;
}

const FRAME = /^ *File "(.*)", line (\d+) in /;
const LONGEST = 500;

/**
 * Reads the stack that `faulthandler` writes to standard error (`dump_traceback_later`, fatal errors): the innermost
 * frame in `path` of the last dump, the first thread's before the others'. Null where there is none.
 */
export function findHang(stderr: string, path: string): HangPlace | null {
  const start = lastDump(stderr);
  if (start < 0) return null;
  const wanted = asWritten(path);
  // Threads come newest first, so the main thread is the last one.
  let place: HangPlace | null = null;
  let inThread = false;
  for (const line of stderr.slice(start).split("\n")) {
    if (/^(Current thread|Thread) 0x/.test(line)) {
      inThread = true;
      continue;
    }
    const match = FRAME.exec(line);
    if (!inThread || match?.[1] !== wanted) continue;
    place = { line: Number(match[2]) };
    inThread = false;
  }
  return place;
}

/** Written to standard error behind what a unit printed (spare mode); what comes after the last one belongs to the next unit. */
const UNIT_END = "\0end of unit\0";

/** What the unit that didn't finish had printed: without earlier units, and without the stack behind it. */
export function outputOfLastUnit(stderr: string): string {
  const end = stderr.lastIndexOf(UNIT_END);
  const own = end < 0 ? stderr : stderr.slice(end + UNIT_END.length);
  const start = lastDump(own);
  return start < 0 ? own : own.slice(0, start);
}

function lastDump(stderr: string): number {
  return Math.max(stderr.lastIndexOf("Timeout ("), stderr.lastIndexOf("Fatal Python error: "));
}

/** `faulthandler` escapes what isn't printable ASCII, and cuts. */
function asWritten(path: string): string {
  const letters = Array.from(path);
  const escaped = letters.slice(0, LONGEST).map((letter) => {
    const code = letter.codePointAt(0) ?? 0;
    if (code >= 32 && code < 127) return letter;
    if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code <= 0xffff
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return escaped.join("") + (letters.length > LONGEST ? "..." : "");
}
