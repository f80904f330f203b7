import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { until } from "./until";

/** What only the page can do or see; the harness outside carries it out (scripts/lib/suites.mjs). */
export type Ask =
  | { readonly what: "trust" }
  | { readonly what: "screenshot"; readonly name: string }
  /** Waits until a text that fits the pattern is drawn after some line, and gives it. */
  | { readonly what: "decoration"; readonly pattern: string }
  /** Chooses a row of the quick pick that is open. */
  | { readonly what: "row"; readonly text: string }
  /** Presses a button of the modal dialog that is open. */
  | { readonly what: "button"; readonly text: string }
  /** Texts in the notification centre. */
  | { readonly what: "notifications" }
  | { readonly what: "type"; readonly text: string }
  | { readonly what: "press"; readonly key: string }
  /** The benchmark's own (bench/bench.mjs). */
  | { readonly what: "keys"; readonly pattern: string; readonly count: number };

let next = 1;

/** Resolves with the answer; rejects with the harness's reason, or where there is no page (desktop runs). */
export async function ask(request: Ask, ms = 60_000): Promise<unknown> {
  const folder = process.env["REWARDSMITH_TEST_ASKS"];
  if (!folder) throw new Error("no page to ask: this suite runs in the browser VS Code only");
  const file = path.join(folder, String(next++));
  writeFileSync(`${file}.part`, JSON.stringify(request));
  renameSync(`${file}.part`, `${file}.json`);
  const done = `${file}.done`;
  await until(() => existsSync(done), { ms, what: `the page's answer to ${JSON.stringify(request)}` });
  const text = readFileSync(done, "utf8");
  // Each suite is a bundle of its own and counts from 1 again: an answer that stayed would be the next suite's.
  rmSync(done);
  const reply = JSON.parse(text) as { value: unknown } | { problem: string };
  if ("problem" in reply) throw new Error(reply.problem);
  return reply.value;
}

/** Whether there is a page: suites skip what needs one in a desktop VS Code. */
export const hasPage = (): boolean => Boolean(process.env["REWARDSMITH_TEST_ASKS"]);
