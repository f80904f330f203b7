import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { labFrame, labText, tableRow } from "../../scripts/lib/lab.mjs";
import { open, type Session } from "./session";

/** The Lab without a mouse: every act is reached, says what it did, and leaves the keyboard somewhere. */
let session: Session;
let lab: FrameLocator;
beforeAll(async () => {
  session = await open();
  await firstScore(session.page);
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

/** `role name`, of what has the focus; `-`: nothing has. */
const focus = (): Promise<string> =>
  lab.locator("body").evaluate(() => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return "-";
    const name = activeElement.getAttribute("aria-label") ?? activeElement.textContent;
    return `${activeElement.getAttribute("role") ?? activeElement.tagName.toLowerCase()} ${name.trim()}`;
  });
const said = async (): Promise<string> =>
  (await lab.locator('.said[role="status"]').last().innerText()).replaceAll("\u00a0", "");

/** Presses keys one after another. */
async function keys(...all: string[]): Promise<void> {
  for (const key of all) await session.page.keyboard.press(key);
}
/** Goes on with Tab until what has the focus fits. */
async function tabTo(name: RegExp, key = "Tab"): Promise<void> {
  const met: string[] = [];
  for (let left = 40; left > 0; left--) {
    const now = await focus();
    if (name.test(now)) return;
    met.push(now);
    await keys(key);
  }
  throw new Error(`no ${String(name)} among ${met.join(" | ")}`);
}
/** Along a toolbar, a list of tabs or a menu to the item that fits. */
async function along(name: RegExp, key = "ArrowRight"): Promise<void> {
  for (let left = 12; left > 0 && !name.test(await focus()); left--) await keys(key);
  expect(await focus()).toMatch(name);
}
const says = (text: RegExp): Promise<void> => expect.poll(said, { timeout: 10_000 }).toMatch(text);
const focused = (name: RegExp): Promise<void> => expect.poll(focus, { timeout: 5000 }).toMatch(name);
const GRID = /^grid Samples/;
const head = (name: string) => lab.getByRole("columnheader", { name: new RegExp(`^${name}`) });

describe("the Lab by keyboard alone", () => {
  it("opens from the palette; Escape leaves Monaco for the samples, Tab comes back", async () => {
    const { page } = session;
    await keys("F1");
    await page.locator(".quick-input-widget input.input").waitFor();
    await page.keyboard.type("Rewardsmith: Open Reward Lab");
    await page
      .locator('.quick-input-list .monaco-list-row[aria-label^="Rewardsmith: Open Reward Lab"]')
      .waitFor();
    await keys("Enter");
    lab = await labFrame(page);
    await tableRow(lab, 1).waitFor({ timeout: 20_000 });
    await expect.poll(() => labText(lab), { timeout: 20_000 }).toContain("import re");
    await tabTo(/^textbox reward\.py/);
    await keys("Escape");
    await focused(GRID);
    await tabTo(/^textbox reward\.py/, "Shift+Tab");
    await keys("Escape");
    await focused(GRID);
  });

  it("labels, pairs and pins from the table; the focus stays in it", async () => {
    await keys("ArrowDown", "ArrowDown");
    await keys("g");
    await says(/^Row 2: good\.$/);
    await keys("u");
    await says(/^Row 2: label taken back\.$/);
    await keys("#");
    await focused(/^input/);
    await session.page.keyboard.type("0.5");
    await keys("Enter");
    await says(/^Row 2: 0\.5\.$/);
    await focused(GRID);
    await keys("#");
    await focused(/^input/);
    await keys("Escape");
    await focused(GRID);
    await keys("x");
    await says(/^Row 2 is marked/);
    await keys("ArrowDown", "x");
    await focused(/^button Row 2/);
    await keys("Enter");
    await says(/^Row 2 is better than row 3\.$/);
    await focused(GRID);
    await keys("p");
    await says(/^Row 3 is pinned/);
    await keys("p");
    await says(/^Row 3 is no longer pinned/);
    const lines = (await readFile(path.join(session.folder, "outputs.labels.jsonl"), "utf8"))
      .trim()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      "verdict",
      "clear",
      "verdict",
      "pair",
    ]);
  });

  it("sorts by two columns, makes one narrower and hides it: VS Code doesn't go back by the same key", async () => {
    await keys("Control+Home", "ArrowUp");
    for (let left = 8; left > 0; left--) {
      const at = await lab.locator('[role="grid"]').first().getAttribute("aria-activedescendant");
      if ((await lab.locator(`#${at}`).innerText()).startsWith("total")) break;
      await keys("ArrowRight");
    }
    await keys("Enter");
    await says(/^Sorted by total, /);
    await keys("ArrowRight", "Shift+Enter");
    await says(/^Then sorted by correctness, /);
    const wide = (await head("correctness").first().boundingBox())!.width;
    // What VS Code hears is what gets as far as the window.
    await lab.locator("body").evaluate(() => {
      window.addEventListener("keydown", (event) => (document.title += `+${event.key}`));
    });
    await keys("Alt+ArrowLeft");
    await says(/^correctness: \d+ pixels wide$/);
    expect((await head("correctness").first().boundingBox())!.width).toBeLessThan(wide);
    expect(await lab.locator("body").evaluate(() => document.title)).not.toContain("+ArrowLeft");
    await keys("Shift+F10");
    await focused(/^menuitem Sort Ascending/);
    await along(/^menuitem Hide Column/, "ArrowDown");
    await keys("Enter");
    await says(/^correctness is hidden\.$/);
    await focused(GRID);
    await keys("Shift+F10");
    await along(/^menuitemcheckbox correctness/, "ArrowDown");
    await keys("Enter");
    await says(/^correctness is shown\.$/);
    await keys("Escape");
    await focused(GRID);
  });

  it("filters with help and choices, groups and copies", async () => {
    await keys("/");
    await focused(/^combobox Filter/);
    await session.page.keyboard.type("row:1..20");
    await keys("Enter");
    await says(/^matched 20 of 200$/);
    await tabTo(/^button What can be filtered/);
    await keys("Enter", "Tab");
    await keys("Escape");
    await focused(/^combobox Filter/);
    await tabTo(/^button Rows of a Group Together/);
    await keys("Enter");
    await says(/^Rows of a group stand together$/);
    await keys("Enter");
    await tabTo(/^button Copy Rows/);
    await keys("Enter");
    await focused(/^menuitem Copy 20 Rows as Markdown/);
    await keys("Enter");
    await says(/^Copied 20 rows as Markdown\.$/);
    await focused(GRID);
  });

  it("the detail: label, take back, and the toolbar keeps its tab stop", async () => {
    await keys("Control+Home", "ArrowDown", "Enter");
    await focused(/^button Good/);
    await keys("Enter");
    await says(/: good\.$/);
    await along(/^button Clear/);
    await keys("Enter");
    await says(/label taken back\.$/);
    // Clear is switched off by its own act.
    await focused(/^button /);
    await along(/^button Pin/);
    await keys("Enter");
    await says(/is pinned/);
    await keys("Enter");
  });

  it("tries a completion, keeps it as a sample and reverts it", async () => {
    await tabTo(/^tab /);
    await keys("Home", "ArrowRight");
    await tabTo(/^button Edit to Try/);
    await keys("Enter");
    await focused(/^textarea Completion to try/);
    await keys("Control+A");
    await session.page.keyboard.type("no answer");
    await says(/^As tried: total 0\.0, advantage /);
    await tabTo(/^button (Paste|Revert)/, "Shift+Tab");
    await along(/^button Keep as Sample/);
    await keys("Enter");
    const pick = session.page.locator(".quick-input-list .monaco-list-row", {
      hasText: "outputs.kept.jsonl",
    });
    await pick.waitFor();
    await keys("ArrowDown", "Enter");
    await says(/^Kept as a sample\.$/);
    expect(existsSync(path.join(session.folder, "outputs.kept.jsonl"))).toBe(true);
    // Back from the workbench's own box.
    await focused(/^button Keep as Sample/);
    await along(/^button Revert/, "ArrowLeft");
    await keys("Enter");
    await says(/^The sample's own completion again\.$/);
    await focused(/^button /);
  });

  it("steps on a sample's way, moves a weight and the sashes, and every control has a name", async () => {
    await tabTo(/^tab Completion/, "Shift+Tab");
    await along(/^tab Way through/);
    await lab.getByRole("slider", { name: "Step", exact: true }).waitFor({ timeout: 20_000 });
    await tabTo(/^input Step/);
    const step = (): Promise<string | null> =>
      lab.getByRole("slider", { name: "Step", exact: true }).getAttribute("aria-valuetext");
    await keys("Home");
    await expect.poll(step).toMatch(/^step 1 of /);
    await keys("ArrowRight");
    await expect.poll(step).toMatch(/^step 2 of /);
    await tabTo(/^separator Height of the detail/, "Shift+Tab");
    const height = await lab.locator("#pane-detail").boundingBox();
    await keys("ArrowUp", "ArrowUp");
    await expect
      .poll(async () => (await lab.locator("#pane-detail").boundingBox())!.height)
      .toBeGreaterThan(height!.height);
    await tabTo(/^input Weight of correctness as a number/, "Shift+Tab");
    await keys("ArrowUp", "Tab");
    await says(/new weights/);
    await tabTo(/^button Reset/, "Shift+Tab");
    await keys("Enter");
    await says(/suite's weights again/);
    // Reset is switched off by its own act.
    await focused(/^(button|input) /);
    const nameless = await lab
      .locator("button, input, select, textarea, [role=tab], [role=separator], [tabindex='0']")
      .evaluateAll((all) =>
        all
          .filter((one) => one.getClientRects().length > 0 && !one.closest(".monaco-editor"))
          .filter(
            (one) =>
              (one.getAttribute("aria-label") ?? one.getAttribute("aria-labelledby") ?? "") === "" &&
              one.closest("label") === null &&
              one.textContent.trim() === "",
          )
          .map((one) => one.outerHTML.slice(0, 100)),
      );
    expect(nameless).toEqual([]);
  });
});
