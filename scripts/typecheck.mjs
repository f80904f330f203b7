// Type-checks each environment against its own globals.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
let failed = false;
for (const project of ["portable", "node", "host", "webview", "test"]) {
  const { status } = spawnSync(process.execPath, [tsc, "-p", `tsconfig.${project}.json`], {
    stdio: "inherit",
  });
  if (status !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
