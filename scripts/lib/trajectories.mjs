// @ts-check
// The trajectory viewer in a real workbench, as a person meets it.
import { labFrame } from "./lab.mjs";
import { command, openFile } from "./page.mjs";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").FrameLocator} FrameLocator */

/** Opens a file by name, then as trajectories. @param {Page} page @param {string} name */
export async function openAsTrajectories(page, name) {
  await openFile(page, name);
  await command(page, "Rewardsmith: Open as Trajectories");
  const viewer = await labFrame(page);
  await viewer.locator('[role="row"][data-index]').first().waitFor({ timeout: 20_000 });
  return viewer;
}

/** Row of the list by its number as people read it. @param {FrameLocator} viewer @param {number} number */
export function listRow(viewer, number) {
  return viewer.locator(`[role="row"][data-index="${number - 1}"]`).first();
}
