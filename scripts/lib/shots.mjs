// @ts-check
// Pictures of every surface, taken from the product itself: artefacts of the tests, and those the README shows.
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { firstScore, hover, sidePanel, tidy } from "./flows.mjs";
import { openLab, showTab, tableRow } from "./lab.mjs";
import { chooseRow, command, decoration, goTo, openFile, pressButton } from "./page.mjs";
import { listRow, openAsTrajectories } from "./trajectories.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** Names as VS Code's own list of themes has them. */
export const THEMES = {
  light: "Light Modern",
  dark: "Dark Modern",
  contrast: "Dark High Contrast",
  "contrast-light": "Light High Contrast",
};

/**
 * Leaves the example scored, one sample pinned, with something to see.
 * @param {Page} page
 */
export async function prepare(page) {
  await firstScore(page);
  await command(page, "Rewardsmith: Pin Sample");
  const row = page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row").nth(1);
  await row.waitFor({ timeout: 10_000 });
  await row.click();
  await sidePanel(page);
  await openFile(page, "reward.py");
  await goTo(page, 24, 1);
  // Previews come on idle, after the numbers.
  await decoration(page, /→|×|=/u, 20_000);
  await tidy(page);
}

/**
 * The rollouts of examples/help-desk, scored with its reward, one of those that it changes open.
 * @param {Page} page
 */
export async function prepareTrajectories(page) {
  const viewer = await openAsTrajectories(page, "rollouts.jsonl");
  await listRow(viewer, 1).click();
  await viewer.getByRole("button", { name: /^Score/u }).click();
  await chooseRow(page, "Use these samples");
  await pressButton(page, "Score");
  await viewer.getByRole("columnheader", { name: /^now/u }).waitFor({ timeout: 40_000 });
  await command(page, "View: Close Primary Side Bar");
  await listRow(viewer, 3).click();
  await viewer.locator(".conversation").getByText("unknown field").first().waitFor({ timeout: 10_000 });
  await tidy(page);
}

/**
 * Opens the Lab over the whole window with an edit that flips samples (not saved), and one sample's way shown. The
 * file keeps its text on disk.
 * @param {Page} page
 * @returns {Promise<import("playwright-core").FrameLocator>}
 */
export async function prepareLab(page) {
  await command(page, "View: Close Primary Side Bar");
  const lab = await openLab(page);
  await tableRow(lab, 1).waitFor({ timeout: 20_000 });
  const lines = lab.locator(".monaco-editor .view-line");
  await lines.first().waitFor({ timeout: 20_000 });
  // At the line's start: the middle of a long line lies behind the table.
  await lines.first().click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("Control+End");
  await lab.locator(".monaco-editor .view-line", { hasText: "scores.append(0.0)" }).last().waitFor();
  // A completion with neither tags nor layout gets 0.1 instead of 0.0.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("1", { delay: 20 });
  await lab.getByRole("tab", { name: /^Flips\s+[1-9]/u }).waitFor({ timeout: 20_000 });
  await showTab(lab, /^Samples/u);
  await tableRow(lab, 13).click();
  await lab.getByRole("tab", { name: /^Way through/u }).click();
  await lab
    .locator("#detail-panel .stepper, #detail-panel [role=slider], #detail-panel input[type=range]")
    .first()
    .waitFor({ timeout: 20_000 });
  await tidy(page);
  return lab;
}

/** Picks a colour theme as a person does. @param {Page} page @param {string} name */
export async function useTheme(page, name) {
  await command(page, "Preferences: Color Theme");
  // The list is there and it is the list of themes: only then is the search box its own.
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Modern" }).first().waitFor();
  await page.locator(".quick-input-widget:visible input.input").fill(name);
  await chooseRow(page, name);
  await page.locator(".quick-input-widget").waitFor({ state: "hidden", timeout: 5000 });
}

/** @param {Page} page @param {string} folder @param {string} name */
export async function shoot(page, folder, name) {
  await mkdir(folder, { recursive: true });
  await page.waitForTimeout(500);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

/** The hover over the first reward function. @param {Page} page @param {string} folder @param {string} name */
export async function shootHover(page, folder, name) {
  await hover(page, "correctness", /worst/iu);
  await shoot(page, folder, name);
  await page.keyboard.press("Escape");
  await page.mouse.move(700, 880);
}
