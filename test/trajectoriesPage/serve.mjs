// @ts-check
// Serves the trajectory viewer's built page with a fake VS Code around it (fake.ts).
//   node test/trajectoriesPage/serve.mjs      prints the address and stays
//   ?theme=dark|light|hc|hc-light &mode=viewer|compare &rows=12480 &index=1 &state=empty|partial|untrusted|error|broken
import { fileURLToPath } from "node:url";
import { serveIfStarted, servePage } from "../pageServer.mjs";

export const serveTrajectoriesPage = () =>
  servePage({
    name: "trajectories",
    fake: fileURLToPath(new URL("fake.ts", import.meta.url)),
    modes: ["viewer", "compare"],
  });

await serveIfStarted(import.meta.url, serveTrajectoriesPage);
