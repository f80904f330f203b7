import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../scripts/lib/chromium.mjs";
import { serveLabPage } from "../labPage/serve.mjs";

/** What `test/labPage/fake.ts` gives the page. */
interface Fake {
  readonly acts: [string, unknown][];
  readonly document: {
    readonly text: string;
    readonly version: number;
    native(changes: { offset: number; length: number; text: string }[]): void;
  };
}
declare const fake: Fake;

const DELAY_MS = 100;
const EDITOR = ".monaco-editor .view-line";

let browser: Browser;
let server: Awaited<ReturnType<typeof serveLabPage>>;

beforeAll(async () => {
  server = await serveLabPage();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function open(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(`${server.url}?rows=200&delay=${DELAY_MS}`);
  await page.waitForSelector(EDITOR, { timeout: 30_000 });
  return page;
}

const hostText = (page: Page): Promise<string> => page.evaluate(() => fake.document.text);

/** Puts the caret at the end of the text. */
async function toEnd(page: Page): Promise<void> {
  await page.locator(EDITOR).first().click();
  await page.keyboard.press("Control+End");
}

describe("the Lab's editor behind a bus that takes 100 ms each way", () => {
  test("no key is lost at 20 a second while others edit the document", async () => {
    const page = await open();
    await toEnd(page);
    const before = await hostText(page);
    const typed = Array.from({ length: 120 }, (_, i) =>
      i % 7 === 6 ? " " : String.fromCharCode(97 + (i % 26)),
    ).join("");
    const start = performance.now();
    for (const [i, key] of Array.from(typed).entries()) {
      await page.keyboard.type(key);
      // Somebody else writes above, where every offset of what is typed moves.
      if (i % 10 === 5)
        await page.evaluate((text) => fake.document.native([{ offset: 0, length: 0, text }]), `# ${i}\n`);
      await page.waitForTimeout(Math.max(0, start + (i + 1) * 50 - performance.now()));
    }
    await expect.poll(() => hostText(page), { timeout: 10_000 }).toMatch(new RegExp(`${typed}$`, "u"));
    const text = await hostText(page);
    expect(text.replace(/^# \d+\n/gmu, "")).toBe(before + typed);
    // The page shows the same text.
    await page.keyboard.press("Control+End");
    await expect
      .poll(async () => (await page.locator(EDITOR).allInnerTexts()).join("").replace(/\u00a0/gu, " "))
      .toContain(typed);
    await page.close();
  });

  test("undo goes to the document, after the keys before it; Escape leaves for the samples", async () => {
    const page = await open();
    await toEnd(page);
    await page.keyboard.type("abc");
    await page.keyboard.press("Control+z");
    await expect
      .poll(() => page.evaluate(() => fake.acts.filter(([act]) => act === "undo")))
      .toEqual([["undo", false]]);
    expect(await hostText(page)).toMatch(/abc$/u);
    await page.keyboard.press("Escape");
    const outside = await page.evaluate(() => document.activeElement?.closest(".monaco-editor") === null);
    expect(outside).toBe(true);
    await page.close();
  });
});
