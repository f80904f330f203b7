import { link, mkdir, open, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ProcessMark } from "../../schema/run";
import { errorCode } from "../systemErrors";
import { paths } from "./layout";
import { newToken } from "./marks";

export type Lock =
  { readonly held: true; readonly generation: number } | { readonly held: false; readonly by: ProcessMark };

const NAME = /^supervisor-(\d+)\.json$/;

/**
 * Who may write a run. Each holder makes `process/supervisor-<n>.json` with its mark, exclusively; the highest number
 * holds. A holder that is gone is followed by the next number, which only one of several can make; nothing is removed,
 * so that nobody can take away a lock that another has just taken.
 */
export async function takeLock(
  folder: string,
  mark: ProcessMark,
  alive: (mark: ProcessMark) => Promise<boolean>,
): Promise<Lock> {
  await mkdir(paths.process(folder), { recursive: true });
  for (;;) {
    const last = await lastHolder(folder);
    if (last.mark !== null && (await alive(last.mark))) return { held: false, by: last.mark };
    const generation = last.generation + 1;
    if (await make(folder, generation, mark)) return { held: true, generation };
  }
}

/** Null: nobody has ever held it, or what the last one left can't be read (it ended while it wrote). */
export async function lastHolder(
  folder: string,
): Promise<{ readonly generation: number; readonly mark: ProcessMark | null }> {
  let names: string[];
  try {
    names = await readdir(paths.process(folder));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { generation: 0, mark: null };
    throw error;
  }
  const generation = Math.max(0, ...names.map((name) => Number(NAME.exec(name)?.[1] ?? 0)));
  if (generation === 0) return { generation, mark: null };
  try {
    const text = await readFile(fileOf(folder, generation), "utf8");
    return { generation, mark: ProcessMark.parse(JSON.parse(text)) };
  } catch {
    return { generation, mark: null };
  }
}

function fileOf(folder: string, generation: number): string {
  return join(paths.process(folder), `supervisor-${generation}.json`);
}

/** Whole from the start: written under another name, then linked. File systems without links get it by exclusive creation. */
async function make(folder: string, generation: number, mark: ProcessMark): Promise<boolean> {
  const target = fileOf(folder, generation);
  const temporary = join(paths.process(folder), `.${newToken()}.tmp`);
  const text = `${JSON.stringify(mark)}\n`;
  try {
    await writeNew(temporary, text);
    await link(temporary, target);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  try {
    await writeNew(target, text);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
