import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { until } from "./until";

/** What only the page can do or see; the harness outside carries it out (scripts/lib/suites.mjs). */
export type Ask =
  | { readonly what: "trust" }
  | { readonly what: "screenshot"; readonly name: string }
  /** Waits until a text that fits the pattern is drawn after some line. */
  | { readonly what: "decoration"; readonly pattern: string };

let next = 1;

/** Resolves when the harness has done it; rejects with its reason, or where there is no page (desktop runs). */
export async function ask(request: Ask): Promise<void> {
  const folder = process.env["REWARDSMITH_TEST_ASKS"];
  if (!folder) throw new Error("no page to ask: this suite runs in the browser VS Code only");
  const file = path.join(folder, String(next++));
  writeFileSync(`${file}.part`, JSON.stringify(request));
  renameSync(`${file}.part`, `${file}.json`);
  const done = `${file}.done`;
  await until(() => existsSync(done), { ms: 60_000, what: `the page's answer to ${request.what}` });
  const problem = readFileSync(done, "utf8");
  if (problem) throw new Error(problem);
}
