// @ts-check
// The rows that need a real VS Code: one browser VS Code, our extension and the peer in it, keys pressed in a page.
import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inHost } from "../../scripts/lib/suites.mjs";
import { out, root } from "../../scripts/lib/paths.mjs";
import { ready } from "../../scripts/lib/page.mjs";
import { writeInputs } from "./inputs.mjs";

/**
 * @param {import("../../scripts/vscode.mjs").BrowserVSCode} vscode
 * @param {{ path: string, version: string }} python @param {number} steps @param {number} edits
 * @returns {Promise<import("../host").Measured>}
 */
export async function measureEditor(vscode, python, steps, edits) {
  const { build } = await import("esbuild");
  const entry = path.join(out, "bench/host.cjs");
  await build({
    entryPoints: [path.join(root, "bench/host.ts")],
    outfile: entry,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    external: ["vscode"],
    logLevel: "warning",
  });
  const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-bench-"));
  const folder = path.join(work, "bench");
  const report = path.join(out, "reports/bench.json");
  await mkdir(path.dirname(report), { recursive: true });
  await writeInputs(folder, steps);
  const end = await inHost({
    name: "bench",
    work,
    limitMs: 15 * 60_000,
    server: {
      vscode,
      settings: { "rewardsmith.python.interpreter": python.path, "editor.codeLens": true },
      env: {
        REWARDSMITH_BENCH_REPORT: report,
        REWARDSMITH_BENCH_PYTHON: python.version,
        REWARDSMITH_BENCH_EDITS: String(edits),
      },
      link: { "rewardsmith-bench.peer-decoration-0.0.1": path.join(root, "bench/peer-decoration") },
    },
    open: { folder, development: root, tests: entry },
    onAsk: async (ask, page) => {
      if (ask.what !== "keys") throw new Error(`the benchmark's page can't ${ask.what}`);
      return pressKeys(page, ask.pattern, ask.count);
    },
  });
  if (end.code !== 0)
    throw new Error(`The benchmark in VS Code ${end.timedOut ? "took too long" : "failed"}:\n${end.tail}`);
  return JSON.parse(await readFile(report, "utf8"));
}

/**
 * Presses `0` and Backspace in turn; for each, the time from the keydown event to the first frame that shows another
 * value. Both ends are read in the page, on its own clock.
 * @param {import("playwright-core").Page} page @param {string} pattern First group is the value. @param {number} count
 */
async function pressKeys(page, pattern, count) {
  await ready(page);
  await page.locator(".monaco-editor .view-lines").first().waitFor();
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i < count; i++) {
    await page.evaluate((source) => {
      const shown = () => {
        for (const span of document.querySelectorAll('.view-line span[class*="ced-"]')) {
          const value = new RegExp(source, "u").exec(
            getComputedStyle(span, "::after").content.replace(/^"|"$/g, ""),
          )?.[1];
          if (value !== undefined) return value;
        }
        return undefined;
      };
      const before = shown();
      Object.assign(window, {
        seen: new Promise((resolve) => {
          window.addEventListener(
            "keydown",
            () => {
              const pressed = performance.now();
              const look = () => {
                const now = shown();
                if (now !== undefined && now !== before) resolve(performance.now() - pressed);
                else if (performance.now() - pressed > 10_000) resolve(null);
                else requestAnimationFrame(look);
              };
              look();
            },
            { capture: true, once: true },
          );
        }),
      });
    }, pattern);
    await page.keyboard.press(i % 2 === 0 ? "0" : "Backspace");
    /** @type {number | null} */
    const took = await page.evaluate("window.seen");
    if (took === null) throw new Error(`key ${i + 1}: nothing new on the screen in 10 s`);
    // The first keys warm everything up.
    if (i >= 10) times.push(took);
    await page.waitForTimeout(400);
  }
  return times;
}
