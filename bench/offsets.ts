import { FILE_LIMITS, START } from "../src/formats/trajectories/container";
import { openTrajectories } from "../src/formats/trajectories/open";
import { openFileAccess } from "../src/runtime/fileAccess";

/** `offsets FILE TIMES`: milliseconds that the lines of a file of trajectories took to be counted, one pass after another. */
const [path = "", times = "1"] = process.argv.slice(2);
const taken: number[] = [];
let lines = 0;
for (let i = 0; i <= Number(times); i++) {
  const access = await openFileAccess(path);
  const { records } = await openTrajectories(access, FILE_LIMITS);
  if (!records.offsets) throw new Error(`${path} has no lines`);
  const began = performance.now();
  for await (const { position } of records.offsets({ from: START })) ({ lines } = position);
  // The first one warms up.
  if (i > 0) taken.push(performance.now() - began);
  records.close();
  await access.close();
}
process.stdout.write(JSON.stringify({ times: taken, lines }));
