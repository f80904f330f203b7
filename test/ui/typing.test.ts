import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FRESH, firstScore, hover, sidePanel, verb } from "../../scripts/lib/flows.mjs";
import { decoratedLines, decoration, decorations, goTo } from "../../scripts/lib/page.mjs";
import { open, type Session } from "./session";

let session: Session;
beforeAll(async () => {
  session = await open({ packed: true });
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

/** 1-based line of the first line of the example's reward that fits. */
async function lineOf(pattern: RegExp): Promise<number> {
  const text = await readFile(path.join(session.folder, "reward.py"), "utf8");
  return text.split("\n").findIndex((line) => pattern.test(line)) + 1;
}
const meanOf = (text: string): number => Number(/^\D*(-?\d+(?:\.\d+)?)/.exec(text)![1]);

describe("a person with a mouse and a keyboard", () => {
  it("clicks the verb, takes the samples, confirms, and sees a number at the def line", async () => {
    const first = await firstScore(session.page);
    expect(meanOf(first)).toBeGreaterThan(0);
    expect(meanOf(first)).toBeLessThan(1);
    expect(first).toMatch(/ms$/);
    expect((await decorations(session.page)).filter((text) => FRESH.test(text)).length).toBe(2);
  });

  it("types, and the number changes without saving", async () => {
    const { page } = session;
    const before = meanOf(await decoration(page, FRESH));
    await goTo(page, await lineOf(/scores\.append\(1\.0\)/));
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("5");
    await expect
      .poll(async () => meanOf(await decoration(page, FRESH)), { timeout: 20_000 })
      .toBeCloseTo(before * 1.5, 1);
    // The saved file is scored when there is time.
    await decoration(page, /^● .*flips? ↑\d+/u);
    await expect.poll(() => page.locator(".tab.dirty", { hasText: "reward.py" }).count()).toBe(1);
    expect(await readFile(path.join(session.folder, "reward.py"), "utf8")).not.toContain("1.5");
  });

  it("adds lines above, and each number stays with its function", async () => {
    const { page } = session;
    await goTo(page, 1);
    for (let i = 0; i < 3; i++) await page.keyboard.press("Enter");
    const onScreen = async (): Promise<string[]> =>
      (await decoratedLines(page))
        .filter(({ after }) => FRESH.test(after))
        .map(({ line }) => line.replaceAll("\u00a0", " ").replace(/\(.*/, ""));
    await expect.poll(onScreen, { timeout: 20_000 }).toEqual(["def correctness", "def answer_format"]);
    for (let i = 0; i < 3; i++) await page.keyboard.press("Backspace");
    await goTo(page, await lineOf(/scores\.append\(1\.0\)/));
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
  });

  it("breaks the syntax and sees the old number, marked", async () => {
    const { page } = session;
    await page.keyboard.type(":");
    expect(await decoration(page, /^✗ .*from before/u)).toMatch(/\d/);
    await page.keyboard.press("Backspace");
    await decoration(page, FRESH);
  });

  it("hovers over the function and reads its distribution", async () => {
    const { page } = session;
    await goTo(page, await lineOf(/^def correctness/));
    const said = await hover(page, "correctness", /worst/iu);
    expect(said).toMatch(/200/);
    await page.keyboard.press("Escape");
  });

  it("sees the verbs above each function", async () => {
    for (const text of ["Score", "Check", "outputs.jsonl"])
      await verb(session.page, text).waitFor({ timeout: 10_000 });
  });

  it("finds rewards and samples in the side panel", async () => {
    const { page } = session;
    await sidePanel(page);
    await expect
      .poll(() => page.locator(".pane-body .monaco-list-row").allInnerTexts(), { timeout: 20_000 })
      .toEqual(
        expect.arrayContaining([
          expect.stringContaining("reward.py"),
          expect.stringContaining("outputs.jsonl"),
        ]),
      );
  });
});
