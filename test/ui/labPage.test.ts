import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../../scripts/lib/chromium.mjs";
import { serveLabPage } from "../labPage/serve.mjs";

/** The Lab's page alone, with a fake VS Code around it: what only the page decides. */
let browser: Browser;
let served: { url: string; close(): Promise<void> };
let axe: string;
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  served = await serveLabPage();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

interface Options {
  readonly theme?: string;
  readonly mode?: "editor" | "panel";
  readonly rows?: number;
  readonly state?: string;
  readonly delay?: number;
  readonly width?: number;
}
async function openPage(options: Options = {}): Promise<Page> {
  const { theme = "dark", mode = "panel", rows = 400, state = "", delay = 0, width = 1400 } = options;
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  Object.assign(page, { problems });
  const query = new URLSearchParams({ theme, mode, rows: String(rows), state, delay: String(delay) });
  await page.goto(`${served.url}?${query}`);
  await page.locator("#root main").waitFor();
  return page;
}
/** What the page wrote to the console: nothing, in a healthy one. */
const problemsOf = (page: Page): string[] => (page as unknown as { problems: string[] }).problems;

/** Violations, each with where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Found {
      violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
    }
    // Line numbers in the editor have the theme's own colours, as in the native editor.
    const { axe } = window as unknown as { axe: { run(context: { exclude: string[] }): Promise<Found> } };
    const found = await axe.run({ exclude: [".line-numbers"] });
    return found.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`),
    );
  });
}

const TABS = ["Samples", "Groups", "Flips", "Findings", "Pictures", "Review"];

describe("axe finds nothing", () => {
  for (const theme of ["dark", "light", "hc", "hc-light"])
    it(`on every tab, ${theme}`, async () => {
      const page = await openPage({ theme });
      for (const tab of TABS) {
        await page
          .getByRole("tab", { name: new RegExp(`^${tab}`) })
          .first()
          .click();
        await page.waitForTimeout(300);
        expect(await violations(page), tab).toEqual([]);
      }
      expect(problemsOf(page)).toEqual([]);
      await page.close();
    });

  it("a control: a nameless button is found", async () => {
    const page = await openPage();
    await page.evaluate(() => document.querySelector("main")!.append(document.createElement("button")));
    expect((await violations(page)).join()).toContain("button-name");
    await page.close();
  });

  for (const state of ["empty", "untrusted", "error", "running", "problem"])
    it(`in the state ${state}`, async () => {
      const page = await openPage({ state });
      await page.waitForTimeout(300);
      expect(await violations(page)).toEqual([]);
      await page.close();
    });

  it("with Monaco, wide and narrow", async () => {
    for (const width of [1400, 700]) {
      const page = await openPage({ mode: "editor", width });
      await page.waitForTimeout(1500);
      expect(await violations(page), String(width)).toEqual([]);
      await page.close();
    }
  });
});

describe("room", () => {
  it("nothing selected: the detail is one line high; with a row it can be read and sized", async () => {
    const page = await openPage({ mode: "editor" });
    await page.locator('[role="row"][data-row="0"]').first().waitFor();
    const height = async (): Promise<number> =>
      (await page.locator("#pane-detail").boundingBox())?.height ?? Number.NaN;
    expect(await height()).toBeLessThan(40);
    const sash = page.getByRole("separator", { name: "Height of the detail" });
    expect(await sash.count()).toBe(0);
    await page.locator('[role="row"][data-row="0"]').first().click();
    await expect.poll(height).toBeGreaterThan(150);
    expect(await sash.count()).toBe(1);
    await page.close();
  });

  it("the weights' sliders stand under each other", async () => {
    const page = await openPage({ mode: "editor" });
    const sliders = page.locator('.weights input[type="range"]');
    await sliders.nth(1).waitFor();
    const [first, second] = [await sliders.nth(0).boundingBox(), await sliders.nth(1).boundingBox()];
    expect(second?.x).toBe(first?.x);
    expect(second?.y).toBeGreaterThan(first?.y ?? Infinity);
    await page.close();
  });

  it("the filter's help goes by Escape from wherever the focus is, and by a press elsewhere", async () => {
    const page = await openPage();
    const help = page.locator(".filter-help");
    const button = page.getByRole("button", { name: "What can be filtered" });
    await button.click();
    await help.waitFor({ state: "visible" });
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden", timeout: 3000 });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("filter");
    await button.click();
    await help.waitFor({ state: "visible" });
    await page
      .getByRole("tab", { name: /^Samples/ })
      .first()
      .click();
    await help.waitFor({ state: "hidden", timeout: 3000 });
    await page.close();
  });
});

describe("numbers", () => {
  it("what a number is stands in a tooltip and in the text: a tooltip alone needs a mouse", async () => {
    const page = await openPage();
    await page.locator('[role="row"][data-row="0"]').first().click();
    await page.locator("[data-detail-row]").waitFor();
    const untold = (where: string): Promise<string[]> =>
      page.locator(where).evaluateAll((all) => {
        const words = (text: string | null): string => (text ?? "").replace(/\s+/gu, " ");
        return all.flatMap((one) =>
          words(one.textContent).includes(words(one.getAttribute("title"))) ? [] : [one.outerHTML],
        );
      });
    await expect.poll(() => page.locator("header.head span[title]").count()).toBeGreaterThan(3);
    expect(await untold("header.head span[title]")).toEqual([]);
    expect(await untold(".detail-head .advantage > span[title]:first-child")).toEqual([]);
    await page
      .getByRole("tab", { name: /^Review/ })
      .first()
      .click();
    await page.locator(".review .counts").waitFor();
    expect(await untold(".review .counts")).toEqual([]);
    // A head's tooltip is its description, which is read where the cursor is on it.
    await page
      .getByRole("tab", { name: /^Groups/ })
      .first()
      .click();
    await page.locator(".groups [role=columnheader]").first().waitFor();
    const heads = page.locator(".groups [role=columnheader].g-number, .groups [role=columnheader].g-says");
    expect(await heads.evaluateAll((all) => all.filter((one) => !one.getAttribute("title")).length)).toBe(0);
    expect(await page.locator(".groups .formula").innerText()).toMatch(/^Advantage: /);
    expect(problemsOf(page)).toEqual([]);
    await page.close();
  });
});

describe("keys that come fast", () => {
  it("Ctrl+A is carried out once, by the page: VS Code, which listens at the window, doesn't hear of it", async () => {
    const page = await openPage({ mode: "editor" });
    await page.locator(".monaco-editor .view-line").first().waitFor();
    await page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      window.addEventListener("keydown", ({ key }) => heard.push(key));
    });
    const heard = (): Promise<string[]> =>
      page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    await page.locator("#filter").fill("some words");
    await page.locator("#filter").press("Control+A");
    expect(await page.evaluate(() => getSelection()?.toString())).toBe("some words");
    await page.keyboard.type("x");
    expect(await page.locator("#filter").inputValue()).toBe("x");
    await page.locator(".monaco-editor .view-lines").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+S");
    await page.keyboard.press("Control+B");
    expect((await heard()).filter((key) => key.length === 1)).toEqual(["x", "B"]);
    await page.close();
  });

  it("Enter on a row goes to its first button, also where the sample is still on its way", async () => {
    const page = await openPage({ delay: 400 });
    await page.locator('[role="row"][data-row="0"]').first().waitFor();
    await page.getByRole("grid", { name: /^Samples/ }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.id), { timeout: 3000 })
      .toBe("pane-detail");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName), { timeout: 5000 })
      .toBe("BUTTON");
    expect(await page.evaluate(() => document.activeElement?.closest("#pane-detail") !== null)).toBe(true);
    await page.close();
  });
});

describe("by keyboard alone", () => {
  /** Presses Tab until the focus is where a selector says; gives up after a whole round. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let i = 0; i < 80; i++) {
      if (await page.evaluate((one) => document.activeElement?.matches(one) ?? false, selector)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab doesn't reach ${selector}`);
  }
  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
    );
  async function toTab(page: Page, name: string): Promise<void> {
    await tabTo(page, '[role="tab"]');
    for (let i = 0; i < 8 && !(await focused(page)).startsWith(name); i++)
      await page.keyboard.press("ArrowRight");
    expect(await focused(page)).toMatch(new RegExp(`^${name}`));
    await page.keyboard.press("Enter");
  }

  it("a group's strip: a dot chooses its sample, a row filters the samples", async () => {
    const page = await openPage();
    await toTab(page, "Groups");
    await page.keyboard.press("Tab");
    await page.locator(".g-strip").first().waitFor();
    await tabTo(page, '[role="row"]');
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("[data-detail-row]").waitFor();
    await page.close();
  });

  it("flips: which change caused which, from the button to a flip's change", async () => {
    const page = await openPage();
    await toTab(page, "Flips");
    await page.getByRole("button", { name: /Which change caused which flip/ }).waitFor();
    for (let i = 0; i < 30 && !(await focused(page)).includes("Which change"); i++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("text=NUMBER = re.compile").first().waitFor();
    await page.close();
  });

  it("review: a verdict by key brings the next sample", async () => {
    const page = await openPage();
    await toTab(page, "Review");
    await page.locator("text=/left/").first().waitFor();
    for (let i = 0; i < 30 && !(await focused(page)).startsWith("Good"); i++)
      await page.keyboard.press("Tab");
    expect(await focused(page)).toMatch(/^Good/);
    const before = await page.locator("main").innerText();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("main").innerText()).not.toBe(before);
    await page.close();
  });
});
