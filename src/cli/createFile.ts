import { randomBytes } from "node:crypto";
import { link, open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../runtime/systemErrors";

/**
 * Makes a file that isn't there, whole or not at all; false where there is one. Written beside and linked into place,
 * since a rename would overwrite what came in between.
 */
export async function createFile(path: string, text: string): Promise<boolean> {
  const temporary = join(dirname(path), `.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    // File systems without links (FAT, some network shares).
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    return await createPlainly(path, text);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function createPlainly(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}
