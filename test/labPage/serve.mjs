// @ts-check
// Serves the Lab's built page with a fake VS Code around it (fake.ts).
//   node test/labPage/serve.mjs      prints the address and stays
import { fileURLToPath } from "node:url";
import { serveIfStarted, servePage } from "../pageServer.mjs";

export const serveLabPage = () =>
  servePage({
    name: "lab",
    fake: fileURLToPath(new URL("fake.ts", import.meta.url)),
    modes: ["editor", "panel"],
  });

await serveIfStarted(import.meta.url, serveLabPage);
