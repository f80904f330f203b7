import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command, decoration, openFile } from "../../scripts/lib/page.mjs";
import { out } from "../../scripts/lib/paths.mjs";
import { FRESH } from "../../scripts/lib/flows.mjs";
import { labFrame, openBeside, showTab, tableRow } from "../../scripts/lib/lab.mjs";
import { THEMES, prepare, prepareLab, shoot, shootHover, useTheme } from "../../scripts/lib/shots.mjs";
import { open, type Session } from "./session";

const folder = path.join(out, "shots");
let session: Session;
beforeAll(async () => {
  session = await open();
  await prepare(session.page);
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

describe("pictures of every surface", () => {
  it.each(Object.entries(THEMES))("%s", async (name, theme) => {
    await useTheme(session.page, theme);
    await shoot(session.page, folder, `editor-${name}`);
    await shootHover(session.page, folder, `hover-${name}`);
    expect(await decoration(session.page, FRESH)).toMatch(/ms$/);
    const dark = await session.page.evaluate(() => document.querySelector(".monaco-workbench")!.className);
    expect(dark).toMatch(
      { light: /\bvs\b/, dark: /vs-dark/, contrast: /hc-black/, "contrast-light": /hc-light/ }[name]!,
    );
  });

  it("narrow, 700 pixels", async () => {
    await useTheme(session.page, THEMES.dark);
    await session.page.setViewportSize({ width: 700, height: 900 });
    await shoot(session.page, folder, "editor-narrow");
    await session.page.setViewportSize({ width: 1440, height: 900 });
  });

  it("zoom 200 %", async () => {
    // What a browser's zoom does to a page of 1440 × 900: half the room, twice the pixels.
    await session.page.setViewportSize({ width: 720, height: 450 });
    await shoot(session.page, folder, "editor-zoomed");
    await session.page.setViewportSize({ width: 1440, height: 900 });
  });

  it("problems, walkthrough, project file, logs", async () => {
    const { page } = session;
    await command(page, "View: Focus Problems");
    await shoot(page, folder, "problems");
    await command(page, "Rewardsmith: Show Logs");
    await shoot(page, folder, "logs");
    await command(page, "View: Toggle Panel");
    await openFile(page, "rewardsmith.json");
    await shoot(page, folder, "project-file");
    await command(page, "Rewardsmith: Open Walkthrough");
    await page.locator(".getting-started-step").first().waitFor({ timeout: 10_000 });
    await shoot(page, folder, "walkthrough");
  });

  it("the Lab: each theme, each tab, narrow, beside the native editor", { timeout: 180_000 }, async () => {
    const { page } = session;
    await useTheme(page, THEMES.dark);
    await openFile(page, "reward.py");
    await tableRow(await openBeside(page), 1).waitFor({ timeout: 20_000 });
    await shoot(page, folder, "lab-beside");
    await command(page, "View: Close All Editors");
    await openFile(page, "reward.py");
    await prepareLab(page);
    for (const [name, theme] of Object.entries(THEMES)) {
      await useTheme(page, theme);
      const shown = await labFrame(page);
      await shoot(page, folder, `lab-${name}`);
      // Colours come from VS Code alone: the page wears what the workbench wears.
      const own = await shown.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
      expect(own).toBe(
        await page.evaluate(() => {
          const probe = document.createElement("i");
          probe.style.backgroundColor = "var(--vscode-editor-background)";
          document.querySelector(".monaco-workbench")!.append(probe);
          const color = getComputedStyle(probe).backgroundColor;
          probe.remove();
          return color;
        }),
      );
    }
    await useTheme(page, THEMES.dark);
    const lab = await labFrame(page);
    for (const tab of ["Groups", "Flips", "Findings", "Pictures", "Review"]) {
      await showTab(lab, new RegExp(`^${tab}`));
      await shoot(page, folder, `lab-${tab.toLowerCase()}`);
    }
    await page.setViewportSize({ width: 700, height: 900 });
    await showTab(lab, /^Samples/);
    await shoot(page, folder, "lab-narrow");
    // Nothing lies outside of a narrow page but what can be scrolled to.
    expect(await lab.locator("body").evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press("Control+Z");
  });

  it("a folder with nothing to score", async () => {
    await writeFile(path.join(session.folder, "empty.py"), "x = 1\n");
    await openFile(session.page, "empty.py");
    await shoot(session.page, folder, "no-reward");
  });
});
