import { open, readFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { RewardsmithError } from "../base/errors";
import type { SampleTable } from "../core/scoring/table";
import { errorCode, errorText } from "../runtime/systemErrors";
import type { LabelFiles } from "../services/labels/labelStore";

/** `outputs.jsonl` → `outputs.labels.jsonl`; a suite may name another. */
export function sidecarOf(table: SampleTable, named: string | null): string {
  if (named !== null && named !== "") return named;
  const [first] = table.info.files;
  if (first === undefined) throw new RewardsmithError("NoSamples", "These samples have no file.");
  return join(dirname(first), `${basename(first, extname(first))}.labels.jsonl`);
}

export const labelFiles: LabelFiles = {
  read: async (path) => {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      if (errorCode(error) === "ENOENT") return null;
      throw new RewardsmithError("FileUnreadable", `${path}: ${errorText(error)}`, { path });
    }
  },
  append: async (path, text) => {
    try {
      const file = await open(path, "a");
      try {
        // One write of a file opened for appending: two windows on one file don't mix their lines.
        await file.appendFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new RewardsmithError("Internal", `The labels were not written to ${path}: ${errorText(error)}`, {
        path,
      });
    }
  },
};
