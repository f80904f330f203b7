import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { labFrame, labText, openBeside, openLab, showTab, tableRow } from "../../scripts/lib/lab.mjs";
import { command, decoration, openFile, ready } from "../../scripts/lib/page.mjs";
import { open, type Session } from "./session";

let session: Session;
let lab: FrameLocator;
beforeAll(async () => {
  session = await open({ packed: true });
  await firstScore(session.page);
  lab = await openLab(session.page);
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

const onDisk = (): Promise<string> => readFile(path.join(session.folder, "reward.py"), "utf8");
const cellOf = (number: number, column: string) => tableRow(lab, number).locator(`.cell-${column}`).first();

describe("the Lab on the example", () => {
  it("shows every sample with its numbers, and the reward in Monaco", async () => {
    await tableRow(lab, 1).waitFor({ timeout: 20_000 });
    expect(await lab.getByRole("grid").first().getAttribute("aria-rowcount")).toBe("201");
    await expect.poll(() => labText(lab), { timeout: 20_000 }).toContain("import re");
    await expect.poll(() => cellOf(1, "total").innerText()).toMatch(/\d/);
  });

  it("types in Monaco: the number in the line and in the table change, the file on disk doesn't", async () => {
    const { page } = session;
    const before = await onDisk();
    const numbers = lab.locator(".monaco-editor .view-line", { hasText: "● " });
    await expect.poll(() => numbers.count(), { timeout: 20_000 }).toBeGreaterThan(0);
    await lab.locator(".monaco-editor").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(
      "\n\ndef always(completions, **kwargs):\n    return [0.25 for _ in completions]\n",
      {
        delay: 20,
      },
    );
    await expect
      .poll(() => lab.getByRole("columnheader", { name: /always/ }).count(), { timeout: 20_000 })
      .toBe(1);
    await expect.poll(() => tableRow(lab, 1).innerText(), { timeout: 20_000 }).toContain("0.25");
    expect(await onDisk()).toBe(before);
    await expect.poll(() => page.locator(".tab.dirty", { hasText: "reward.py" }).count()).toBeGreaterThan(0);
  });

  it("undo takes back a word at a time, by VS Code's key", async () => {
    const { page } = session;
    await page.keyboard.type("# one two", { delay: 30 });
    await expect.poll(() => labText(lab)).toContain("# one two");
    await page.keyboard.press("Control+Z");
    await expect.poll(() => labText(lab)).not.toContain("two");
    expect(await labText(lab)).toContain("# one");
    await page.keyboard.press("Control+Z");
    await expect.poll(() => labText(lab)).not.toContain("# one");
  });

  it("saves by VS Code's key, and both sides hold the same text", async () => {
    const { page } = session;
    await page.keyboard.press("Control+S");
    await expect.poll(onDisk, { timeout: 10_000 }).toContain("def always");
    await expect.poll(() => page.locator(".tab.dirty").count()).toBe(0);
  });

  it("filters: what matches is counted, nonsense is pointed at", async () => {
    const { page } = session;
    const filter = lab.getByRole("combobox").first();
    await filter.fill("correctness:0");
    await filter.press("Enter");
    await expect.poll(() => lab.locator(".table-row[data-row]").first().innerText()).toMatch(/0\.0/);
    const matched = await lab.locator("text=/matched \\d+ of 200/").first().innerText();
    expect(Number(/matched (\d+)/.exec(matched)![1])).toBeGreaterThan(0);
    await filter.fill("corectness:0");
    await lab.locator("text=/correctness/").first().waitFor();
    await filter.fill("");
    await filter.press("Enter");
    await page.waitForTimeout(300);
  });

  it("weights re-rank without scoring", async () => {
    await showTab(lab, "Samples");
    const total = await cellOf(1, "total").innerText();
    const weight = lab.getByRole("spinbutton", { name: /correctness/ }).first();
    await weight.fill("3");
    await weight.press("Enter");
    await expect.poll(() => cellOf(1, "total").innerText()).not.toBe(total);
    await lab.getByRole("button", { name: "Reset", exact: true }).first().click();
    await expect.poll(() => cellOf(1, "total").innerText()).toBe(total);
  });

  it("a sample's detail: another completion is scored while it is typed", async () => {
    await tableRow(lab, 1).click();
    await showTab(lab, /^Completion/);
    await lab.getByRole("button", { name: "Edit to Try" }).first().click();
    const box = lab.getByRole("textbox", { name: "Completion to try" }).first();
    await box.fill("no answer at all");
    await expect
      .poll(() => lab.locator("#detail-panel").innerText(), { timeout: 15_000 })
      .toMatch(/correctness\s+0\.0/);
    await lab.getByRole("button", { name: "Revert" }).first().click();
  });

  it("labels by key, in a sidecar and nowhere else", async () => {
    const data = await readFile(path.join(session.folder, "outputs.jsonl"), "utf8");
    await tableRow(lab, 2).click();
    await session.page.keyboard.press("b");
    await expect.poll(() => cellOf(2, "label").innerText(), { timeout: 10_000 }).toContain("bad");
    const lines = (await readFile(path.join(session.folder, "outputs.labels.jsonl"), "utf8"))
      .trim()
      .split("\n");
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ kind: "verdict", value: "bad" });
    expect(await readFile(path.join(session.folder, "outputs.jsonl"), "utf8")).toBe(data);
  });

  it("keeps selection, filter and text over a reload", async () => {
    const { page } = session;
    const filter = lab.getByRole("combobox").first();
    await filter.fill("row:1..50");
    await filter.press("Enter");
    await tableRow(lab, 3).click();
    await lab.locator(".monaco-editor").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# unsaved", { delay: 10 });
    // VS Code itself writes unsaved text a second after the last key; before that it asks whether to leave the page.
    await page.waitForTimeout(1500);
    await page.reload();
    await ready(page);
    lab = await labFrame(page, 60_000);
    await expect
      .poll(() => lab.getByRole("combobox").first().inputValue(), { timeout: 20_000 })
      .toBe("row:1..50");
    await expect.poll(() => tableRow(lab, 3).getAttribute("aria-selected"), { timeout: 20_000 }).toBe("true");
    await lab.locator(".monaco-editor").first().click();
    await page.keyboard.press("Control+End");
    await expect.poll(() => labText(lab), { timeout: 20_000 }).toContain("# unsaved");
    expect((await labText(lab)).split("# unsaved").length).toBe(2);
  });

  it("beside the native editor the panel follows what is typed there", async () => {
    const { page } = session;
    await command(page, "View: Close All Editors");
    // The unsaved line is thrown away.
    await page.locator(".monaco-dialog-box .monaco-button", { hasText: "Don't Save" }).first().click();
    await openFile(page, "reward.py");
    await decoration(page, /^● /u, 30_000);
    lab = await openBeside(page);
    await tableRow(lab, 1).waitFor({ timeout: 20_000 });
    expect(await lab.locator(".monaco-editor").count()).toBe(0);
  });

  it("a reload in the middle of a drag and of a pass: nothing lost, nothing doubled", async () => {
    const { page } = session;
    await writeFile(
      path.join(session.folder, "slow.py"),
      "import time\n\n\ndef slow(completions, **kwargs):\n    time.sleep(0.02 * len(completions))\n    return [float(len(text) % 2) for text in completions]\n",
    );
    await command(page, "View: Close All Editors");
    await firstScore(page, { reward: "slow.py" });
    lab = await openLab(page);
    await tableRow(lab, 1).waitFor({ timeout: 20_000 });
    // A browser VS Code takes some seconds to note that an editor was opened.
    await page.waitForTimeout(8000);
    await lab.getByRole("button", { name: "Score", exact: true }).first().click();
    await lab.locator("text=/\\d+ of 200/").first().waitFor({ timeout: 20_000 });
    const sash = await lab.getByRole("separator").first().boundingBox();
    await page.mouse.move(sash!.x + sash!.width / 2, sash!.y + sash!.height / 2);
    await page.mouse.down();
    await page.mouse.move(sash!.x + 40, sash!.y + 40, { steps: 4 });
    await page.reload();
    await page.mouse.up();
    await ready(page);
    lab = await labFrame(page, 60_000);
    await tableRow(lab, 1).waitFor({ timeout: 30_000 });
    await expect
      .poll(() => lab.locator("main").innerText(), { timeout: 30_000 })
      .toMatch(/matched 200 of 200/);
    await expect.poll(() => cellOf(1, "total").innerText(), { timeout: 30_000 }).toMatch(/[01]\.0/);
    const evidence = await lab.getByRole("grid").first().boundingBox();
    expect(evidence!.width).toBeGreaterThan(100);
  }, 150_000);
});
