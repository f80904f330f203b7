// @ts-check
// The Lab in a real workbench, as a person meets it: its frame, its tabs, its rows.
import { command } from "./page.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").FrameLocator} FrameLocator */

/**
 * The page of the Lab that is shown. Hidden webviews stay in the document: the one that can be seen is meant.
 * @param {Page} page @param {number} [timeout]
 * @returns {Promise<FrameLocator>}
 */
export async function labFrame(page, timeout = 30_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const frames = page.locator("iframe.webview.ready");
    for (let i = (await frames.count()) - 1; i >= 0; i--) {
      const outer = frames.nth(i);
      if (!(await outer.isVisible())) continue;
      const frame = outer.contentFrame().locator("#active-frame").contentFrame();
      if (
        await frame
          .locator("#root main")
          .first()
          .isVisible()
          .catch(() => false)
      )
        return frame;
    }
    if (Date.now() > end) throw new Error("No Lab is shown.");
    await page.waitForTimeout(50);
  }
}

/** Opens the Lab of the reward in the active editor, with Monaco. @param {Page} page */
export async function openLab(page) {
  await command(page, "Rewardsmith: Open Reward Lab");
  return labFrame(page);
}

/** Opens the panel beside the native editor. @param {Page} page */
export async function openBeside(page) {
  await command(page, "Rewardsmith: Open Scores Beside");
  return labFrame(page);
}

/** Shows one of the Lab's tabs. @param {FrameLocator} lab @param {string | RegExp} name */
export async function showTab(lab, name) {
  await lab.getByRole("tab", { name }).first().click();
}

/** Row of the table by its number as people read it. @param {FrameLocator} lab @param {number} number */
export function tableRow(lab, number) {
  return lab.locator(`[role="row"][data-row="${number - 1}"]`).first();
}

/**
 * Text of Monaco's model in the page, through its accessible lines: what is on screen.
 * @param {FrameLocator} lab
 */
export async function labText(lab) {
  const lines = await lab.locator(".monaco-editor .view-line").allInnerTexts();
  return lines.map((line) => line.replaceAll("\u00a0", " ")).join("\n");
}
