// @ts-check
// The Lab's rows of the budget: a browser VS Code, the packed bundles, keys pressed and frames watched in the Lab's page.
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FRESH, firstScore } from "../../scripts/lib/flows.mjs";
import { labFrame } from "../../scripts/lib/lab.mjs";
import { launchChromium } from "../../scripts/lib/chromium.mjs";
import { command, decoration, openFile, ready } from "../../scripts/lib/page.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { startServer } from "../../scripts/lib/server.mjs";
import { median } from "./stats.mjs";

/** @typedef {import("playwright-core").FrameLocator} FrameLocator */
/** @typedef {import("playwright-core").Page} Page */

/**
 * @typedef {object} Measured All times in milliseconds.
 * @property {number} peerCold As `panelCold`, for a panel that holds one row in its HTML.
 * @property {number} panelCold From the command to the first rows of the Scores panel on screen.
 * @property {number} labCold From the command to Monaco's first line on screen.
 * @property {number} again From the mouse button on its tab to the frame that has its rows, shown before.
 * @property {number[]} numbers Keydown in Monaco → another number in its lines, 1,000 samples.
 * @property {number[]} typing Keydown → the frame with the key's own glyph in Monaco, while 20,000 rows are scored again and stream.
 * @property {number[]} typingPeer The same in VS Code's own editor, with no Lab open.
 * @property {{ work: number, blank: number }} scroll Script, style and layout a scrolled frame, 20,000 rows; longest blank.
 */

/**
 * @param {import("../../scripts/vscode.mjs").BrowserVSCode} vscode @param {string} python
 * @param {string} inputs Folder with reward.py, rows-1000.jsonl and rows-20000.jsonl. @param {number} keys
 * @param {string} [extension] Folder of the built extension.
 * @returns {Promise<Measured>}
 */
export async function measureLab(vscode, python, inputs, keys, extension = root) {
  const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-bench-lab-"));
  const folder = path.join(work, "bench");
  await mkdir(folder);
  for (const file of ["reward.py", "rows-1000.jsonl", "rows-20000.jsonl"])
    await cp(path.join(inputs, file), path.join(folder, file));
  await cp(path.join(inputs, "reward.py"), path.join(folder, "many.py"));
  const server = await startServer({
    vscode,
    profile: path.join(work, "profile"),
    driver: true,
    settings: { "rewardsmith.python.interpreter": python, "rewardsmith.live.rows": 100_000 },
    link: {
      "rewardsmith.rewardsmith-0.1.0": extension,
      "rewardsmith-bench.peer-decoration-0.0.1": path.join(root, "bench/peer-decoration"),
    },
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    await page.goto(server.url({ folder }), { waitUntil: "commit" });
    await ready(page);
    await firstScore(page, { reward: "reward.py", samples: "rows-1000.jsonl" });

    // In turns, and the middle of each: the workbench's own second webview of a session waits seconds for its worker.
    /** @type {Record<string, number[]>} */
    const cold = { "Bench Peer: Open Panel": [], "Rewardsmith: Open Scores Beside": [] };
    for (let i = 0; i < 3; i++)
      for (const [title, times] of Object.entries(cold)) {
        times.push(await timed(page, title, ".table-row[data-row]"));
        await command(page, "View: Close All Editors");
        await openFile(page, "reward.py");
        await decoration(page, FRESH, 30_000);
      }
    const [peerCold, panelCold] = /** @type {[number, number]} */ (Object.values(cold).map(median));
    await command(page, "View: Close All Editors");
    await openFile(page, "reward.py");
    await decoration(page, FRESH, 30_000);
    const labCold = await timed(page, "Rewardsmith: Open Reward Lab", ".monaco-editor .view-line span span");
    let lab = await labFrame(page);
    await lab.locator(".table-row[data-row]").first().waitFor();
    await page.waitForTimeout(1500);
    const numbers = await pressed(page, lab, keys, "number");

    await openFile(page, "many.py");
    await page.waitForTimeout(500);
    const again = await shownAgain(page, lab, "reward.py");

    await command(page, "View: Close All Editors").catch(() => undefined);
    await page
      .locator(".monaco-dialog-box .monaco-button", { hasText: "Don't Save" })
      .first()
      .click({ timeout: 3000 })
      .catch(() => undefined);
    await firstScore(page, { reward: "many.py", samples: "rows-20000.jsonl" });
    const typingPeer = await pressed(page, page, keys, "glyph");
    await command(page, "Rewardsmith: Open Reward Lab");
    lab = await labFrame(page);
    await lab.locator(".table-row[data-row]").first().waitFor();
    await lab.locator(".monaco-editor .view-line span span").first().waitFor();
    await page.waitForTimeout(2000);
    const scroll = await scrolled(page, lab);
    const typing = await pressed(page, lab, keys, "glyph");
    return { peerCold, panelCold, labCold, again, numbers, typing, typingPeer, scroll };
  } finally {
    await browser.close();
    await server.stop();
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Runs a command by the palette's Enter and waits for something in the Lab. @param {Page} page @param {string} title @param {string} selector */
async function timed(page, title, selector) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input.input");
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first().waitFor();
  const began = performance.now();
  await page.keyboard.press("Enter");
  const lab = await labFrame(page);
  await lab.locator(selector).first().waitFor();
  return performance.now() - began;
}

/**
 * Both ends are read in the pages, on one clock: the press on the tab, and the first frame of the Lab that has a size
 * again and rows in it (VS Code takes the size of a webview that it hides).
 * @param {Page} page @param {FrameLocator} lab Hidden now. @param {string} name
 */
async function shownAgain(page, lab, name) {
  const box = await page.locator(".tab", { hasText: name }).last().boundingBox();
  if (!box) throw new Error(`no tab ${name}`);
  await page.evaluate(() => {
    const down = () => Object.assign(window, { pressedAt: performance.timeOrigin + performance.now() });
    window.addEventListener("mousedown", down, { capture: true, once: true });
  });
  const handle = await lab.locator("html").evaluateHandle(() => {
    const hidden = { width: innerWidth, height: innerHeight };
    const done = new Promise((resolve) => {
      const painted = new MessageChannel();
      painted.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
      const look = () => {
        const row = document.querySelector(".table-row[data-row]")?.getBoundingClientRect();
        const sized = innerWidth > hidden.width && innerHeight > hidden.height;
        if (sized && row && row.height > 0 && row.bottom <= innerHeight) painted.port2.postMessage(null);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    return { done };
  });
  await page.mouse.click(box.x + box.width / 3, box.y + box.height / 2);
  const shownAt = await handle.evaluate(({ done }) => done);
  return Number(shownAt) - Number(await page.evaluate("window.pressedAt"));
}

/**
 * Presses `0` and Backspace in turn at the end of the constant that scales the rewards. Both ends are read in the Lab's
 * page, on its own clock: the keydown, and the end of the first frame whose lines show another number (or the key's own
 * glyph), painted: a message to itself comes after it.
 * @param {Page} page @param {FrameLocator | Page} lab @param {number} count @param {"number" | "glyph"} what
 */
async function pressed(page, lab, count, what) {
  const box = await lab.locator(".monaco-editor .view-lines").first().boundingBox();
  if (!box) throw new Error("Monaco isn't on screen");
  await page.mouse.click(box.x + 60, box.y + 10);
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("Control+Home");
  await page.waitForTimeout(300);
  await page.keyboard.press("Control+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  /** @type {number[]} */
  const times = [];
  const html = lab.locator("html");
  for (let i = 0; i < count + 10; i++) {
    const handle = await html.evaluateHandle((_, kind) => {
      const lines = () =>
        [...document.querySelectorAll(".monaco-editor .view-line")].map((line) =>
          (line.textContent ?? "").replaceAll("\u00a0", " "),
        );
      const shown = () =>
        kind === "number"
          ? lines()
              .flatMap((text) => /[●▲✕] (-?\d+(?:\.\d+)?)/u.exec(text)?.[1] ?? [])
              .join()
          : lines()
              .flatMap((text) => /SCALE\s=\s(\d+)/u.exec(text)?.[1] ?? [])
              .join();
      const before = shown();
      const done = new Promise((resolve) => {
        window.addEventListener(
          "keydown",
          () => {
            const began = performance.now();
            const painted = new MessageChannel();
            const next = () => requestAnimationFrame(() => painted.port2.postMessage(null));
            painted.port1.onmessage = () => {
              const now = shown();
              if (now !== "" && now !== before) resolve(performance.now() - began);
              else if (performance.now() - began > 15_000) resolve(null);
              else next();
            };
            next();
          },
          { capture: true, once: true },
        );
      });
      return { done };
    }, what);
    await page.keyboard.press(i % 2 === 0 ? "0" : "Backspace");
    const took = await handle.evaluate(({ done }) => done);
    if (typeof took !== "number") throw new Error(`key ${i + 1}: nothing new in the Lab in 15 s`);
    if (i >= 10) times.push(took);
    // While rows stream the next key comes in the middle of them.
    await page.waitForTimeout(what === "number" ? 400 : 60 + (i % 5) * 30);
  }
  return times;
}

/**
 * Scrolls the table by 120 pixels a frame (7,000 a second, a hard flick of a wheel) for two seconds: script, style and layout that Chromium counted for each
 * frame (the workbench around the Lab included), and the longest time for which a row on screen was blank.
 * @param {Page} page @param {FrameLocator} lab
 */
async function scrolled(page, lab) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const spent = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    const of = (/** @type {string} */ name) => metrics.find((one) => one.name === name)?.value ?? 0;
    return (of("ScriptDuration") + of("LayoutDuration") + of("RecalcStyleDuration")) * 1000;
  };
  const before = await spent();
  const { frames, blank } = await lab.locator("html").evaluate(async () => {
    const grid = document.querySelector('[role="grid"]');
    const all = grid ? [grid, ...grid.querySelectorAll("*")] : [];
    const scroller = all.find((one) => one.scrollHeight > one.clientHeight * 3);
    if (!scroller) throw new Error("no table");
    let blankSince = 0;
    let longest = 0;
    const frames = 120;
    for (let i = 0; i < frames; i++) {
      scroller.scrollTop += 120;
      await new Promise(requestAnimationFrame);
      const empty = document.querySelector(".table-row.waiting, .table-row:not([data-row])") !== null;
      if (empty && blankSince === 0) blankSince = performance.now();
      if (!empty && blankSince !== 0) {
        longest = Math.max(longest, performance.now() - blankSince);
        blankSince = 0;
      }
    }
    if (blankSince !== 0) longest = Math.max(longest, performance.now() - blankSince);
    return { frames, blank: longest };
  });
  return { work: ((await spent()) - before) / frames, blank };
}
