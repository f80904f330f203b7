// @ts-check
// The rows of the budget about trajectories that people see: a browser VS Code, the packed bundles, files opened from
// the side panel. Ends and beginnings are read in the pages, on one clock.
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { launchChromium } from "../../scripts/lib/chromium.mjs";
import { sidePanel } from "../../scripts/lib/flows.mjs";
import { labFrame } from "../../scripts/lib/lab.mjs";
import { command, ready } from "../../scripts/lib/page.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { startServer } from "../../scripts/lib/server.mjs";
import { listRow } from "../../scripts/lib/trajectories.mjs";
import { GROUP, writeFolder, writeLong, writeRollouts } from "./rollouts.mjs";
import { median } from "./stats.mjs";

/** @typedef {import("playwright-core").FrameLocator} FrameLocator */
/** @typedef {import("playwright-core").Page} Page */

const LARGE = ["rollouts-1.jsonl", "rollouts-2.jsonl", "rollouts-3.jsonl"];
const LARGE_BYTES = 110e6;
const COMPARED = "compared.jsonl";
const MEMBERS = 16;
const MESSAGES = 200;
const FOLDER = "evaluations";
const FILES = 10;
const EACH = 10_000;
/** A row on screen that isn't there after this long never comes. */
const NEVER_MS = 30_000;

/**
 * @param {import("../../scripts/vscode.mjs").BrowserVSCode} vscode
 * @param {(row: import("./stats.mjs").Row) => void} add
 * @param {string} [extension] Folder of the built extension.
 */
export async function measureTrajectoryScreen(vscode, add, extension = root) {
  const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-bench-trajectories-"));
  const folder = path.join(work, "bench");
  await mkdir(folder);
  for (const name of LARGE) await writeRollouts(path.join(folder, name), LARGE_BYTES);
  await writeLong(path.join(folder, COMPARED), MEMBERS, MESSAGES);
  await writeFolder(path.join(folder, FOLDER), FILES, EACH);
  // Numbers alone would be the steps of a run: here a level of 12,500 groups is wanted.
  for (let nth = 0; nth < FILES; nth++)
    await rename(path.join(folder, FOLDER, `${nth}.jsonl`), path.join(folder, FOLDER, `part-${nth}.jsonl`));
  const server = await startServer({
    vscode,
    profile: path.join(work, "profile"),
    driver: true,
    link: { "rewardsmith.rewardsmith-0.1.0": extension },
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    await page.addInitScript(watchFirst);
    await page.goto(server.url({ folder }), { waitUntil: "commit" });
    await ready(page);
    await sidePanel(page);
    await sourceRow(page, LARGE[0] ?? "").waitFor({ timeout: 30_000 });

    // The workbench's first two webviews of a session wait seconds for its worker: that is not the viewer's time.
    await opened(page, COMPARED);
    await command(page, "View: Close All Editors");
    await opened(page, COMPARED);
    const compared = await compareGroup(page, await labFrame(page));
    await command(page, "View: Close All Editors");

    /** @type {number[]} */
    const first = [];
    /** @type {FrameLocator | null} */
    let viewer = null;
    for (const name of LARGE) {
      if (viewer) await command(page, "View: Close All Editors");
      first.push(await opened(page, name));
      viewer = await labFrame(page);
      await complete(viewer);
    }
    if (!viewer) throw new Error("no viewer");
    const { middle, scroll } = { middle: await jumped(viewer), scroll: await scrolled(page, viewer) };
    await command(page, "View: Close All Editors");
    say(add, { first, middle, scroll, compared, tree: await expanded(page) });
  } finally {
    await browser.close();
    await server.stop();
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/**
 * @param {(row: import("./stats.mjs").Row) => void} add
 * @param {{ first: number[], middle: number[], scroll: { work: number, blank: number, rows: number }, compared: number[], tree: { cold: number, settled: number, levels: number[] } }} measured
 */
function say(add, { first, middle, scroll, compared, tree }) {
  const all = (/** @type {number[]} */ times) => times.map((time) => time.toFixed(0)).join(", ");
  add({
    what: "viewer on screen: click on a JSONL of 110 MB → its first rows",
    value: median(first),
    unit: "ms",
    limit: 1000,
    peer: `${LARGE.length} files that were never read: ${all(first)} ms`,
  });
  add({
    what: `viewer on screen: jump to the middle of ${scroll.rows.toLocaleString("en")} rows → all rows there`,
    value: median(middle),
    unit: "ms",
    limit: 100,
    peer: `${middle.length} places: ${all(middle)} ms`,
  });
  add({
    what: `viewer on screen: script, style and layout a scrolled frame, mean of ${FRAMES}`,
    value: scroll.work,
    unit: "ms",
    limit: 8,
    peer: "the workbench's own part included",
  });
  add({
    what: "viewer on screen: longest blank row while scrolling",
    value: scroll.blank,
    unit: "ms",
    limit: 100,
    peer: "",
  });
  add({
    what: `viewer on screen: click on Compare Group → ${MEMBERS} × ${MESSAGES} messages side by side`,
    value: median(compared),
    unit: "ms",
    limit: 1000,
    peer: `${compared.length} times, the first one with nothing at hand: ${all(compared)} ms`,
  });
  const [range = Number.NaN, group = Number.NaN] = tree.levels;
  add({
    what: `side panel, ${(FILES * EACH).toLocaleString("en")} trajectories: a source that was never read → its first children`,
    value: tree.cold,
    unit: "ms",
    limit: 1000,
    peer: `all ranges there by themselves after ${(tree.settled / 1000).toFixed(1)} s`,
  });
  add({
    what: "side panel: a range of groups, a group of trajectories → children on screen",
    value: Math.max(range, group),
    unit: "ms",
    limit: 500,
    peer: `200 groups ${range.toFixed(0)} ms, trajectories of one ${group.toFixed(0)} ms`,
  });
}

/**
 * Runs in every frame before its page: notes when the first row of a list was painted. By a timer: VS Code writes a
 * webview's document anew, which ends what waits for frames.
 */
function watchFirst() {
  const timer = setInterval(() => {
    const row = document.querySelector('[role="row"][data-index]')?.getBoundingClientRect();
    if (!row || row.height === 0) return;
    clearInterval(timer);
    const painted = new MessageChannel();
    painted.port1.onmessage = () =>
      Object.assign(window, { rewardsmithFirst: performance.timeOrigin + performance.now() });
    requestAnimationFrame(() => painted.port2.postMessage(null));
  }, 5);
}

/** Row of the side panel by the beginning of what a screen reader says. @param {Page} page @param {string} said */
function treeRow(page, said) {
  return page.locator(`.pane-body .monaco-list-row[aria-label^=${JSON.stringify(said)}]`).first();
}

/** Among the trajectories, not the samples. @param {Page} page @param {string} name */
const sourceRow = (page, name) => treeRow(page, `Trajectories ${name}`);

/** What isn't on screen after a minute is an error, not a wait. @template T @param {Promise<T>} shown @returns {Promise<T>} */
function within(shown) {
  const late = new Error(`not on screen in ${NEVER_MS} ms`);
  return Promise.race([
    shown,
    new Promise((_, reject) => {
      setTimeout(() => reject(late), NEVER_MS).unref();
    }),
  ]);
}

/** When the next press of the mouse in the workbench was. @param {Page} page */
async function notePress(page) {
  await page.evaluate(() => {
    const down = () => Object.assign(window, { pressedAt: performance.timeOrigin + performance.now() });
    window.addEventListener("mousedown", down, { capture: true, once: true });
  });
  return async () => Number(await page.evaluate("window.pressedAt"));
}

/** From the mouse on a file in the side panel to the first painted row of the viewer. @param {Page} page @param {string} name */
async function opened(page, name) {
  const pressedAt = await notePress(page);
  await sourceRow(page, name).click();
  const viewer = await labFrame(page, NEVER_MS);
  await viewer.locator('[role="row"][data-index]').first().waitFor({ timeout: NEVER_MS });
  const shownAt = await viewer.locator("html").evaluate(async (_, never) => {
    const began = performance.now();
    while (!("rewardsmithFirst" in window) && performance.now() - began < never)
      await new Promise(requestAnimationFrame);
    return "rewardsmithFirst" in window ? Number(window.rewardsmithFirst) : Number.NaN;
  }, NEVER_MS);
  if (Number.isNaN(shownAt)) throw new Error(`${name}: its first row was never painted`);
  return shownAt - (await pressedAt());
}

/** All is read: the list is as long as its file, and nothing goes on. @param {FrameLocator} viewer */
async function complete(viewer) {
  await viewer.locator("html").evaluate(async (_, never) => {
    const total = () => document.querySelector('[role="grid"]')?.getAttribute("data-total");
    const began = performance.now();
    for (let before = total(), since = began; performance.now() - began < never;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const now = total();
      if (now !== before) since = performance.now();
      before = now;
      if (performance.now() - since > 2500) return;
    }
    throw new Error("the file isn't read to its end");
  }, NEVER_MS);
}

/** From another scroll position to the painted frame in which every row on screen has its contents. @param {FrameLocator} viewer */
async function jumped(viewer) {
  /** @type {number[]} */
  const times = [];
  for (const share of [0.5, 0.25, 0.75, 0.4, 0.6])
    times.push(
      await within(
        viewer.locator("html").evaluate(async (_, to) => {
          const table = document.querySelector('[role="grid"]');
          if (!table) throw new Error("no table");
          const places = () => [...document.querySelectorAll(".table-row[data-at]")];
          const named = () =>
            places()
              .map((row) => row.getAttribute("data-at"))
              .join();
          const before = named();
          const began = performance.now();
          table.scrollTop = Math.floor(table.scrollHeight * to);
          return new Promise((resolve) => {
            const painted = new MessageChannel();
            painted.port1.onmessage = () => resolve(performance.now() - began);
            const look = () => {
              const rows = places();
              const whole = rows.length > 5 && rows.every((row) => row.hasAttribute("data-index"));
              if (whole && named() !== before) painted.port2.postMessage(null);
              else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
          });
        }, share),
      ),
    );
  return times;
}

const FRAMES = 120;

/**
 * Scrolls the list by 120 pixels a frame for two seconds: script, style and layout that Chromium counted for each frame
 * (the workbench around it included), and the longest time for which a row on screen was blank.
 * @param {Page} page @param {FrameLocator} viewer
 */
async function scrolled(page, viewer) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const spent = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    const of = (/** @type {string} */ name) => metrics.find((one) => one.name === name)?.value ?? 0;
    return (of("ScriptDuration") + of("LayoutDuration") + of("RecalcStyleDuration")) * 1000;
  };
  const before = await spent();
  const { blank, rows } = await viewer.locator("html").evaluate(async (_, frames) => {
    const table = document.querySelector('[role="grid"]');
    if (!table) throw new Error("no table");
    table.scrollTop = Math.floor(table.scrollHeight * 0.1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    let blankSince = 0;
    let longest = 0;
    for (let i = 0; i < frames; i++) {
      table.scrollTop += 120;
      await new Promise(requestAnimationFrame);
      const empty = document.querySelector(".table-row.waiting") !== null;
      if (empty && blankSince === 0) blankSince = performance.now();
      if (!empty && blankSince !== 0) {
        longest = Math.max(longest, performance.now() - blankSince);
        blankSince = 0;
      }
    }
    if (blankSince !== 0) longest = Math.max(longest, performance.now() - blankSince);
    return { blank: longest, rows: Number(table.getAttribute("data-total")) };
  }, FRAMES);
  return { work: ((await spent()) - before) / FRAMES, blank, rows };
}

/**
 * From the mouse on Compare Group to the painted frame with every trajectory's head and messages below it.
 * @param {Page} page @param {FrameLocator} viewer
 */
async function compareGroup(page, viewer) {
  /** @type {number[]} */
  const times = [];
  await listRow(viewer, 1).click();
  const button = viewer.getByRole("button", { name: "Compare Group" });
  for (let i = 0; i < 5; i++) {
    await button.waitFor();
    const handle = await viewer.locator("html").evaluateHandle((_, members) => {
      const done = new Promise((resolve) => {
        const down = () => {
          const began = performance.now();
          const painted = new MessageChannel();
          painted.port1.onmessage = () => resolve(performance.now() - began);
          const look = () => {
            const grid = document.querySelector(".compare-grid");
            const columns = Number(grid?.getAttribute("aria-colcount") ?? 0);
            const cells = grid?.querySelectorAll(".compare-row .compare-cell").length ?? 0;
            if (columns >= members && cells >= 3) painted.port2.postMessage(null);
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        };
        window.addEventListener("mousedown", down, { capture: true, once: true });
      });
      return { done };
    }, MEMBERS);
    await button.click();
    times.push(Number(await within(handle.evaluate(({ done }) => done))));
    await page.waitForTimeout(500);
    await page.keyboard.press("Escape");
  }
  return times;
}

/** Opens a node of the side panel by its twistie; until rows one level below it are painted. @param {Page} page @param {import("playwright-core").Locator} row */
async function expand(page, row) {
  const pressedAt = await notePress(page);
  const handle = await row.evaluateHandle((element) => {
    const list = element.closest(".monaco-list");
    const label = element.getAttribute("aria-label");
    const below = Number(element.getAttribute("aria-level")) + 1;
    const done = new Promise((resolve) => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
      const look = () => {
        const rows = [...(list?.querySelectorAll(".monaco-list-row") ?? [])];
        const own = rows.find((one) => one.getAttribute("aria-label") === label);
        const next = Number(own?.getAttribute("data-index")) + 1;
        const child = rows.find((one) => Number(one.getAttribute("data-index")) === next);
        const said = child?.getAttribute("aria-label") ?? "";
        // What only says that it is being read is no child yet.
        const there = Number(child?.getAttribute("aria-level")) === below && !said.startsWith("Still");
        if (there) painted.port2.postMessage(null);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    return { done };
  });
  await row.locator(".monaco-tl-twistie").click();
  return Number(await within(handle.evaluate(({ done }) => done))) - (await pressedAt());
}

/** The folder's node, never read; then a range of its groups, then one of these. @param {Page} page */
async function expanded(page) {
  const began = performance.now();
  const cold = await expand(page, sourceRow(page, FOLDER));
  // As many ranges as there are groups for: what is still being read is asked for again by itself.
  await page.waitForFunction(
    ({ ranges, beginning }) =>
      [...document.querySelectorAll(".pane-body .monaco-list-row")].some(
        (row) =>
          row.getAttribute("aria-label")?.startsWith(beginning) === true &&
          Number(row.getAttribute("aria-setsize")) === ranges,
      ),
    { ranges: Math.ceil((FILES * EACH) / GROUP / 200), beginning: "1 to 200" },
    { timeout: NEVER_MS },
  );
  const settled = performance.now() - began;
  const range = treeRow(page, "1 to 200");
  const levels = [await expand(page, range)];
  levels.push(await expand(page, treeRow(page, "Group ")));
  return { cold, settled, levels };
}
