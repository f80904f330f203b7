// @ts-check
// What a person does with Rewardsmith, by mouse and keys alone.
import { chooseRow, command, decoration, openFile, pressButton } from "./page.mjs";

/** @typedef {import("playwright-core").Page} Page */

/** A live number at a def line that is of the present text. */
export const FRESH = /^● -?\d/u;

/**
 * From an opened folder to the first number: open the reward, click its verb, take the samples, confirm.
 * @param {Page} page @param {{ reward?: string, samples?: string }} [files]
 * @returns {Promise<string>} What stands at the first def line.
 */
export async function firstScore(page, { reward = "reward.py", samples = "outputs.jsonl" } = {}) {
  await openFile(page, reward);
  await verb(page, "Score on samples").click();
  await chooseRow(page, samples);
  await chooseRow(page, "Use these samples");
  await pressButton(page, "Score");
  return decoration(page, FRESH, 40_000);
}

/** A verb above a function. @param {Page} page @param {string} text */
export function verb(page, text) {
  return page.locator(".codelens-decoration a", { hasText: text }).first();
}

/** Shows the side panel of Rewardsmith. @param {Page} page */
export async function sidePanel(page) {
  await page.locator('.activitybar .action-label[aria-label^="Rewardsmith"]').first().click();
  await page.locator(".pane-body .monaco-list-row").first().waitFor({ timeout: 20_000 });
}

/**
 * Hovers over a word of the active editor with the mouse, and gives what the hover says once it fits: a hover's parts
 * come one after another.
 * @param {Page} page @param {string} word @param {RegExp} pattern
 */
export async function hover(page, word, pattern) {
  const at = page.locator(".view-line span span", { hasText: new RegExp(`^\\s*${word}\\s*$`, "u") }).first();
  const content = page.locator(".monaco-hover:visible .monaco-hover-content", { hasText: pattern }).first();
  for (let left = 3; ; left--) {
    await at.hover();
    try {
      await content.waitFor({ timeout: 8000 });
      return await content.innerText();
    } catch (error) {
      if (left === 0) throw error;
      await page.mouse.move(700, 880);
    }
  }
}

/** Closes what floats: hovers, widgets, notifications. @param {Page} page */
export async function tidy(page) {
  await page.keyboard.press("Escape");
  await page.mouse.move(700, 880);
  await command(page, "Notifications: Clear All Notifications");
}
