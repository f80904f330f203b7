import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

export interface Match {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** What the last `*` stood for; null: the pattern has none. */
  readonly star: string | null;
}

/** Files and folders below `folder` that fit a pattern in which `*` stands for a part of one name. */
export async function matches(folder: string, pattern: string): Promise<Match[]> {
  let found: Match[] = [{ path: "", star: null }];
  for (const part of pattern.split("/")) {
    const next: Match[] = [];
    for (const { path, star } of found) {
      if (!part.includes("*")) next.push({ path: path === "" ? part : `${path}/${part}`, star });
      else
        for (const name of await namesIn(join(folder, path))) {
          const hit = starOf(name, part);
          if (hit !== null) next.push({ path: path === "" ? name : `${path}/${name}`, star: hit });
        }
    }
    found = next;
  }
  const there = await Promise.all(
    found.map(async (one) => ((await exists(join(folder, one.path))) ? [one] : [])),
  );
  return there.flat();
}

function starOf(name: string, part: string): string | null {
  const pieces = part.split("*").map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${pieces.join("(.*)")}$`, "u").exec(name)?.at(-1) ?? null;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
