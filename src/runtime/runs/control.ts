import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RunRequest } from "../../schema/run";
import { paths } from "./layout";
import { newToken } from "./marks";

/** Leaves a request for a run's supervisor. It appears whole: written aside, then renamed. */
export async function leaveRequest(folder: string, request: RunRequest): Promise<void> {
  const control = paths.control(folder);
  await mkdir(control, { recursive: true });
  const name = `${request.at}-${newToken().slice(0, 8)}`;
  await writeFile(join(control, `.${name}.tmp`), JSON.stringify(request));
  await rename(join(control, `.${name}.tmp`), join(control, `${name}.json`));
}

/** Requests in the order they were made; each is taken once. What can't be read as one is removed. */
export async function takeRequests(folder: string): Promise<RunRequest[]> {
  let names: string[];
  try {
    names = (await readdir(paths.control(folder))).filter((name) => name.endsWith(".json"));
  } catch {
    return [];
  }
  const requests: RunRequest[] = [];
  for (const name of names) {
    const file = join(paths.control(folder), name);
    try {
      requests.push(RunRequest.parse(JSON.parse(await readFile(file, "utf8"))));
    } catch {
      // Not one of ours.
    }
    await rm(file, { force: true });
  }
  return requests.sort((a, b) => a.at - b.at);
}
