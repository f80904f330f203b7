import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { command } from "../../scripts/lib/page.mjs";
import { openLab } from "../../scripts/lib/lab.mjs";
import { open, type Session } from "./session";

/** Two Labs and the native editor, side by side on one document. */
let session: Session;
let labs: FrameLocator[];
let native: Locator;
beforeAll(async () => {
  // Wide, so that each Lab has its editor on screen.
  session = await open({ viewport: { width: 3300, height: 900 } });
  const { page } = session;
  await firstScore(page);
  await command(page, "View: Split Editor Right");
  await openLab(page);
  await command(page, "View: Split Editor Right");
  const end = Date.now() + 30_000;
  while ((await frames()).length < 2 && Date.now() < end) await page.waitForTimeout(100);
  labs = await frames();
  native = page.locator(".editor-group-container").first().locator(".editor-instance .monaco-editor").first();
  for (const lab of labs) await lab.locator(".monaco-editor .view-line").first().waitFor({ timeout: 20_000 });
  await native.locator(".view-line").first().waitFor();
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

/** The Labs that are on screen. */
async function frames(): Promise<FrameLocator[]> {
  const all = session.page.locator("iframe.webview.ready");
  const shown: FrameLocator[] = [];
  for (let i = 0; i < (await all.count()); i++) {
    if (!(await all.nth(i).isVisible())) continue;
    const frame = all.nth(i).contentFrame().locator("#active-frame").contentFrame();
    if (
      await frame
        .locator("#root main")
        .first()
        .isVisible()
        .catch(() => false)
    )
      shown.push(frame);
  }
  return shown;
}

const INPUT = ".native-edit-context, textarea.inputarea";
const reward = (): string => path.join(session.folder, "reward.py");
/** The lines on screen from the top, whatever order they are in in the document. */
const text = (editor: Locator): Promise<string[]> =>
  editor.locator(".view-line").evaluateAll((lines) =>
    lines
      .map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent }))
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text.replaceAll("\u00a0", " ")),
  );
/** The first lines in each of the three, in the order native, Lab, Lab. */
const tops = async (count: number): Promise<string[]> =>
  (await Promise.all([native, ...labs.map((lab) => lab.locator(".monaco-editor").first())].map(text))).map(
    (lines) => lines.slice(0, count).join("\n"),
  );
const inputs = (): Locator[] => [
  native.locator(INPUT).first(),
  ...labs.map((lab) => lab.locator(`.monaco-editor :is(${INPUT})`).first()),
];

/** Three editors and live scoring on one machine: an edit takes as long as it takes, only it must arrive. */
const LONG = { timeout: 30_000 };

const same = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();
/** Presses a key until something holds: how many steps a word is depends on how fast it was typed. */
async function until(key: string, holds: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; presses < 8; presses++) {
    await session.page.keyboard.press(key);
    const end = Date.now() + 3000;
    while (Date.now() < end) if (await holds()) return;
  }
  expect(await tops(3)).toBe(`as after ${key}`);
}

describe("two Labs and the native editor on one document", () => {
  it("what is typed in each of them, one right after the other, is in all three and on disk", async () => {
    const { keyboard } = session.page;
    const before = await readFile(reward(), "utf8");
    const [first] = inputs();
    await first!.focus();
    await keyboard.press("Control+Home");
    await keyboard.type("#\n#\n#\n");
    await expect.poll(() => tops(3), LONG).toEqual(["#\n#\n#", "#\n#\n#", "#\n#\n#"]);
    // Each writes at the end of a line of its own.
    for (const [at, input] of inputs().entries()) {
      await input.focus();
      await keyboard.press("Control+Home");
      for (let down = 0; down < at; down++) await keyboard.press("ArrowDown");
      await keyboard.press("End");
    }
    const expected = ["#", "#", "#"];
    for (let round = 0; round < 6; round++)
      for (const [at, input] of inputs().entries()) {
        const text = ` ${"nab"[at]}${round}`;
        expected[at] = `${expected[at] ?? ""}${text}`;
        await input.focus();
        await keyboard.type(text);
      }
    const all = expected.join("\n");
    await expect.poll(() => tops(3), { timeout: 60_000 }).toEqual([all, all, all]);
    await keyboard.press("Control+S");
    await expect.poll(() => readFile(reward(), "utf8"), LONG).toBe(`${all}\n${before}`);
  }, 180_000);

  it("an undo in one Lab is seen in all, and so is what the native editor brings back", async () => {
    const { keyboard } = session.page;
    const [first, , last] = inputs();
    const before = await tops(3);
    await last!.focus();
    await keyboard.type(" gone");
    await expect.poll(async () => (await tops(3)).every((text) => text.includes(" gone")), LONG).toBe(true);
    await until("Control+Z", async () => same(await tops(3), before));
    await first!.focus();
    await until("Control+Shift+Z", async () => (await tops(3)).every((text) => text.includes(" gone")));
    await until("Control+Z", async () => same(await tops(3), before));
  }, 180_000);
});
