import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchChromium } from "../../scripts/lib/chromium.mjs";
import { serveTrajectoriesPage } from "../trajectoriesPage/serve.mjs";

/** The trajectory viewer's page alone, with a fake VS Code around it: what only the page decides. */
let browser: Browser;
let served: { url: string; close(): Promise<void> };
let axe: string;
beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  served = await serveTrajectoriesPage();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

const HUGE = 2;
const LONG = 1;

interface Options {
  readonly theme?: string;
  readonly mode?: "viewer" | "compare";
  readonly rows?: number;
  readonly index?: number;
  readonly state?: string;
  readonly delay?: number;
  readonly width?: number;
}
interface Watched {
  readonly problems: string[];
  readonly requests: string[];
}
const watched = new WeakMap<Page, Watched>();

async function openPage(options: Options = {}): Promise<Page> {
  const {
    theme = "dark",
    mode = "viewer",
    rows = 12_480,
    index,
    state = "",
    delay = 0,
    width = 1400,
  } = options;
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => requests.push(request.url()));
  watched.set(page, { problems, requests });
  const query = new URLSearchParams({ theme, mode, rows: String(rows), state, delay: String(delay) });
  if (index !== undefined) query.set("index", String(index));
  await page.goto(`${served.url}?${query}`);
  await page.locator("#root main").waitFor();
  return page;
}
/** What the page wrote to the console: nothing, in a healthy one. */
const problemsOf = (page: Page): string[] => watched.get(page)?.problems ?? [];

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Found {
      violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
    }
    const { axe } = window as unknown as { axe: { run(): Promise<Found> } };
    const found = await axe.run();
    return found.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`),
    );
  });
}
const said = (page: Page): Promise<string> => page.locator('.said[role="status"]').last().innerText();
const nodes = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll("*").length);
const message = (page: Page, position: number) => page.locator(`.message[data-position="${position}"]`);
const TABS = ["list", "groups", "search", "run", "buckets", "problems"];

describe("axe finds nothing", () => {
  for (const theme of ["dark", "light", "hc", "hc-light"])
    it(`on every tab, ${theme}`, async () => {
      const page = await openPage({ theme, index: 9 });
      await message(page, 0).waitFor();
      for (const tab of TABS) {
        await page.locator(`#tab-${tab}`).click();
        await page.waitForTimeout(300);
        expect(await violations(page), tab).toEqual([]);
      }
      await page.locator("#search").fill("Oslo");
      await page.keyboard.press("Enter");
      await page.locator(".hits .option").first().waitFor();
      for (const tab of ["details", "raw", "conversation"]) {
        await page.locator(`#tab-${tab}`).click();
        await page.waitForTimeout(200);
        expect(await violations(page), tab).toEqual([]);
      }
      // Everything unfolded, and Markdown.
      const folded = message(page, 2).locator('button[aria-expanded="false"]');
      for (let i = 0; i < 8 && (await folded.count()) > 0; i++) await folded.first().click();
      await page.getByRole("button", { name: "As Markdown" }).first().click();
      await page.waitForTimeout(200);
      expect(await violations(page), "unfolded").toEqual([]);
      await page.getByRole("button", { name: "Compare Group" }).click();
      await page.locator(".compare-cell").first().waitFor();
      await page.locator(".shared-part summary").click();
      await page.locator(".compare-grid").focus();
      for (const key of ["Enter", "d", "ArrowDown", "d"]) await page.keyboard.press(key);
      await page.locator(".word-diff").waitFor();
      expect(await violations(page), "compare").toEqual([]);
      expect(problemsOf(page)).toEqual([]);
      await page.close();
    });

  it("a control: a nameless button is found", async () => {
    const page = await openPage();
    await page.evaluate(() => document.querySelector("main")!.append(document.createElement("button")));
    expect((await violations(page)).join()).toContain("button-name");
    await page.close();
  });

  for (const state of ["empty", "partial", "untrusted", "error", "broken"])
    it(`in the state ${state}`, async () => {
      for (const width of [1400, 700]) {
        const page = await openPage({ state, width, ...(state === "broken" ? { index: 9 } : {}) });
        await page.waitForTimeout(300);
        expect(await violations(page)).toEqual([]);
        await page.close();
      }
    });
});

describe("states say what is, and what to do", () => {
  const cases: readonly [state: string, text: RegExp][] = [
    ["empty", /no records/],
    ["partial", /41 % read/],
    ["untrusted", /Restricted Mode/],
    ["error", /could not be read/],
  ];
  for (const [state, text] of cases)
    it(state, async () => {
      const page = await openPage({ state });
      await page.getByText(text).first().waitFor();
      await page.close();
    });

  it("an error's Try Again opens the source", async () => {
    const page = await openPage({ state: "error" });
    await page.getByRole("button", { name: "Try Again" }).click();
    await page.locator(".table-row[data-index]").first().waitFor();
    await page.close();
  });

  it("untrusted: reading works, scoring waits", async () => {
    const page = await openPage({ state: "untrusted" });
    await page.locator(".table-row[data-index]").first().waitFor();
    expect(await page.getByRole("button", { name: /^Score/ }).isDisabled()).toBe(true);
    await page.close();
  });
});

describe("a stranger's content", () => {
  it("is text: nothing runs, nothing loads, nothing can be followed", async () => {
    const page = await openPage({ index: 0 });
    await message(page, 2).waitFor();
    const { requests } = watched.get(page)!;
    const before = requests.length;
    // Every part of every message, unfolded; as Markdown too.
    for (let at = 0; at < 8; at++) {
      await page.locator(`#outline-${at}`).click();
      await message(page, at).waitFor();
      await page.waitForTimeout(80);
      const folded = message(page, at).locator('button[aria-expanded="false"]');
      for (let i = await folded.count(); i > 0; i--) await folded.first().click();
    }
    await page.getByRole("button", { name: "As Markdown" }).first().click();
    for (let at = 0; at < 8; at++) {
      await page.locator(`#outline-${at}`).click();
      await page.waitForTimeout(80);
    }
    for (const tab of ["details", "raw", "conversation"]) {
      await page.locator(`#tab-${tab}`).click();
      await page.waitForTimeout(150);
    }
    await page.locator("#tab-problems").click();
    await page.waitForTimeout(150);
    expect(requests.slice(before)).toEqual([]);
    expect(problemsOf(page)).toEqual([]);
    const found = await page.evaluate(() => ({
      hurt: (window as unknown as { hurt?: number }).hurt ?? null,
      links: document.querySelectorAll("a[href]").length,
      images: [...document.images].map((image) => image.src),
      scripts: document.querySelectorAll("main script, main svg script, main iframe").length,
      handlers: document.querySelectorAll("main [onclick], main [onerror], main [onload]").length,
    }));
    expect(found).toEqual({ hurt: null, links: 0, images: [], scripts: 0, handlers: 0 });
    await page.close();
  });

  it("hidden characters and escapes can be seen, colours are classes", async () => {
    const page = await openPage({ index: 0 });
    await message(page, 3).waitFor();
    expect(await message(page, 3).locator(".ansi-fg-red").first().innerText()).toBe("red");
    expect(await message(page, 3).innerText()).toContain("ESC");
    await page.locator("#outline-4").click();
    for (const symbol of ["RLO", "ZWSP", "NUL"]) expect(await message(page, 4).innerText()).toContain(symbol);
    await page.close();
  });

  it("pictures: those of the file of a safe kind, never an address, never SVG", async () => {
    const page = await openPage({ index: 4 });
    await page.locator("img.picture").waitFor();
    const sources = await page.evaluate(() => [...document.images].map((image) => image.src.slice(0, 22)));
    expect(sources).toEqual(["data:image/png;base64,"]);
    expect(await message(page, 0).innerText()).toContain("http://127.0.0.1:9/pixel.png");
    expect(await message(page, 0).innerText()).toContain("image/svg+xml");
    expect(watched.get(page)!.requests.filter((url) => url.includes("pixel"))).toEqual([]);
    expect(problemsOf(page)).toEqual([]);
    await page.close();
  });

  it("a megabyte in one word comes in slices; no answer is over a megabyte", async () => {
    const page = await openPage({ index: 0 });
    await page.locator("#outline-5").click();
    const long = message(page, 5);
    await long.getByRole("button", { name: "Show More" }).waitFor();
    const length = async (): Promise<number> =>
      (await long.locator(".text-block").first().innerText()).length;
    const first = await length();
    expect(first).toBeLessThan(20_000);
    await long.getByRole("button", { name: "Show More" }).click();
    await expect.poll(length).toBeGreaterThan(first + 10_000);
    const largest = await page.evaluate(() =>
      (window as unknown as { largestAnswer(): number }).largestAnswer(),
    );
    expect(largest).toBeLessThan(1_000_000);
    await page.close();
  });
});

describe("size", () => {
  it("12,480 trajectories and 10,001 messages: what exists is what is on screen", async () => {
    const page = await openPage({ index: HUGE });
    await message(page, 0).waitFor();
    await expect.poll(() => page.locator(".table").getAttribute("aria-rowcount")).toBe("12481");
    await expect.poll(() => message(page, 0).getAttribute("aria-setsize")).toBe("10001");
    const conversation = page.locator("#conversation");
    for (const share of [0.2, 0.5, 0.9, 1, 0.35]) {
      await conversation.evaluate((element, part) => {
        element.scrollTop = element.scrollHeight * part;
      }, share);
      await page.waitForTimeout(250);
      expect(await nodes(page), String(share)).toBeLessThan(6000);
      expect(await page.locator(".message").count()).toBeLessThan(60);
      expect(await page.locator(".message:not(.waiting)").count()).toBeGreaterThan(1);
    }
    await conversation.focus();
    await page.keyboard.press("End");
    await message(page, 10_000).waitFor();
    await expect.poll(() => message(page, 10_000).innerText()).toContain("The table is booked");
    expect(problemsOf(page)).toEqual([]);
    await page.close();
  });

  it("no message is blank or over another after a scroll", async () => {
    const page = await openPage({ index: LONG });
    await message(page, 0).waitFor();
    await page.locator("#conversation").evaluate((element) => {
      element.scrollTop = 9000;
    });
    await page.waitForTimeout(400);
    const boxes = await page.locator(".message").evaluateAll((all) =>
      all
        .map((one) => ({
          at: Number((one as HTMLElement).dataset["position"]),
          box: one.getBoundingClientRect(),
        }))
        .sort((a, b) => a.at - b.at)
        .map(({ at, box }) => ({ at, top: box.top, bottom: box.bottom })),
    );
    for (const [i, box] of boxes.entries()) {
      const next = boxes[i + 1];
      if (next && next.at === box.at + 1) expect(Math.abs(next.top - box.bottom)).toBeLessThan(1.5);
    }
    await page.close();
  });

  it("a message that was jumped to is at the upper edge, though others above were never measured", async () => {
    const page = await openPage({ index: LONG });
    await message(page, 0).waitFor();
    await page.locator(".outline-list").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("PageUp");
    await page.waitForTimeout(300);
    const at = Number((await page.locator(".outline-row[aria-selected=true]").getAttribute("id"))!.slice(8));
    const edge = (await page.locator("#conversation").boundingBox())!;
    const box = (await message(page, at).boundingBox())!;
    expect(Math.abs(box.y - edge.y)).toBeLessThan(2);
    await page.close();
  });

  it("what is done elsewhere doesn't move the reader", async () => {
    const page = await openPage({ index: LONG });
    await message(page, 0).waitFor();
    const conversation = page.locator("#conversation");
    await conversation.evaluate((element) => {
      element.scrollTop = 7777;
    });
    await page.waitForTimeout(500);
    const top = (): Promise<number> => conversation.evaluate((element) => element.scrollTop);
    const before = await top();
    await page.locator("#tab-groups").click();
    await page.locator("#filter").fill("outcome:length");
    await page.waitForTimeout(500);
    expect(await top()).toBe(before);
    await page.close();
  });

  it("scrolling asks for what comes, and little of it", async () => {
    const page = await openPage({ index: HUGE });
    await message(page, 0).waitFor();
    await page.waitForTimeout(200);
    const asked = (): Promise<number> =>
      page.evaluate(() => (window as unknown as { asked: Record<string, number> }).asked["messages"] ?? 0);
    const before = await asked();
    const work = await page.locator("#conversation").evaluate(async (element) => {
      const times: number[] = [];
      for (let i = 0; i < 60; i++) {
        element.scrollTop += 120;
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        element.dispatchEvent(new Event("scroll"));
        await Promise.resolve();
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b);
    });
    console.log(
      `work per scroll frame: p50 ${work[30]?.toFixed(2)} ms, p95 ${work[57]?.toFixed(2)} ms (n=60)`,
    );
    expect((await asked()) - before).toBeLessThan(12);
    await page.close();
  });
});

describe("by keyboard alone", () => {
  const focus = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const { activeElement: element } = document;
      if (!element || element === document.body) return "-";
      return `${element.getAttribute("role") ?? element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent.trim()}`;
    });
  async function tabTo(page: Page, wanted: RegExp): Promise<void> {
    const met: string[] = [];
    for (let i = 0; i < 60; i++) {
      const now = await focus(page);
      if (wanted.test(now)) return;
      met.push(now.slice(0, 40));
      await page.keyboard.press("Tab");
    }
    throw new Error(`no ${String(wanted)} among ${met.join(" | ")}`);
  }

  it("from the list to a message's arguments and to its answer", async () => {
    const page = await openPage();
    await page.locator(".table-row[data-index]").first().waitFor();
    await tabTo(page, /^grid Trajectories/);
    for (let i = 0; i < 10; i++) await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.locator(".one-facts").innerText()).toContain("trajectory 10");
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toMatch(/^article 1 of/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focus(page)).toMatch(/^article 3 of \d+: assistant/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^button \w+\(/);
    await page.keyboard.press("Enter");
    await message(page, 2).locator(".json-tree").first().waitFor();
    await tabTo(page, /^button to its answer/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focus(page)).toMatch(/^article 4 of \d+: tool/);
    expect(problemsOf(page)).toEqual([]);
    await page.close();
  });

  it("each composite is one tab stop", async () => {
    const page = await openPage({ index: 9 });
    await message(page, 2).waitFor();
    const stops = (selector: string): Promise<number> =>
      page.locator(selector).evaluate((box) => {
        const all = [box, ...box.querySelectorAll("*")];
        return all.filter((one) => one instanceof HTMLElement && one.tabIndex >= 0).length;
      });
    expect(await stops(".table")).toBe(1);
    expect(await stops(".outline-list")).toBe(1);
    const others = await page
      .locator(".message:not(.current)")
      .evaluateAll(
        (all) =>
          all.flatMap((one) =>
            [...one.querySelectorAll<HTMLElement>("*")].filter(({ tabIndex }) => tabIndex >= 0),
          ).length,
      );
    expect(others).toBe(0);
    await page.close();
  });

  it("labels, marks, the next that fails, other trajectories and the group, all by one key", async () => {
    const page = await openPage();
    await page.locator(".table-row[data-index]").first().waitFor();
    await page.locator(".table").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("g");
    await expect.poll(() => said(page)).toMatch(/Trajectory 1: good/);
    await expect
      .poll(() => page.locator('.table-row[data-index="0"]').getAttribute("aria-label"))
      .toContain("label good");
    await page.keyboard.press("x");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Compare 2 Marked" }).waitFor();
    await page.keyboard.press("n");
    await expect.poll(() => said(page)).toMatch(/Trajectory \d+ fails/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("}");
    await expect.poll(() => said(page)).toMatch(/of 8 in its group/);
    await page.close();
  });

  it("finds in a trajectory, through what isn't on screen", async () => {
    const page = await openPage({ index: LONG });
    await message(page, 0).waitFor();
    await page.locator("#conversation").focus();
    await page.keyboard.press("f");
    await page.locator("#find").fill("table is booked");
    await page.getByText(/1 of 1 messages/).waitFor();
    await expect.poll(() => message(page, 242).innerText()).toContain("booked");
    const marked = await page.evaluate(() => CSS.highlights.get("found")?.size ?? 0);
    expect(marked).toBeGreaterThan(0);
    await page.keyboard.press("Escape");
    await expect.poll(() => focus(page)).toMatch(/^article/);
    await page.close();
  });

  it("compares: over cells, a message whole, the difference of two", async () => {
    const page = await openPage({ mode: "compare" });
    await page.locator(".compare-cell").first().waitFor();
    await tabTo(page, /^grid Messages side by side/);
    await page.keyboard.press("Enter");
    await page.locator(".compare-below h2", { hasText: "Message 3" }).waitFor();
    await page.keyboard.press("d");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("d");
    await page.locator(".word-diff ins").first().waitFor();
    const totals = await page.locator(".compare-head").allInnerTexts();
    expect(totals[0]).toContain("best");
    expect(totals.at(-1)).toContain("worst");
    expect(problemsOf(page)).toEqual([]);
    await page.close();
  });

  it("groups: a member by arrows sideways, c compares", async () => {
    const page = await openPage();
    await page.locator("#tab-groups").click();
    await page.locator(".groups .option").first().waitFor();
    await page.locator(".groups").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => said(page)).toMatch(/^Trajectory \d+, reward/);
    await page.keyboard.press("c");
    await page.locator(".compare-heads").waitFor();
    await page.keyboard.press("Escape");
    await page.close();
  });
});

describe("the rest", () => {
  it("a filter that is wrong says what to write, and takes no row away", async () => {
    const page = await openPage();
    await page.locator(".table-row[data-index]").first().waitFor();
    await page.locator("#filter").fill("rewrd<0.2 ??");
    await page.getByText("Did you mean reward?").waitFor();
    expect(await page.locator(".table-row[data-index]").count()).toBeGreaterThan(10);
    await page.locator("#filter").fill("outcome:length");
    await expect.poll(() => page.locator(".cell-outcome").nth(3).innerText()).toContain("length limit");
    await page.close();
  });

  it("a reload comes back to the same place", async () => {
    const page = await openPage({ index: LONG });
    await message(page, 0).waitFor();
    await page.locator(".outline-list").focus();
    await page.keyboard.press("PageDown");
    await page.locator("#tab-groups").click();
    await page.waitForTimeout(500);
    const at = Number((await page.locator(".outline-row[aria-selected=true]").getAttribute("id"))!.slice(8));
    await page.reload();
    await message(page, at).waitFor();
    await page.waitForTimeout(400);
    const edge = (await page.locator("#conversation").boundingBox())!;
    const box = (await message(page, at).boundingBox())!;
    expect(Math.abs(box.y - edge.y)).toBeLessThan(edge.height / 2);
    expect(await page.locator("#tab-groups").getAttribute("aria-selected")).toBe("true");
    await page.close();
  });

  it("search goes on, stops and continues; a hit opens its message", async () => {
    const page = await openPage();
    await page.locator("#search").fill("Oslo");
    await page.keyboard.press("Enter");
    await page.locator(".hits .option").first().waitFor();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Continue" }).waitFor();
    await page.locator(".hits .option").nth(2).click();
    await expect.poll(() => page.locator(".one-facts").innerText()).toMatch(/trajectory \d+/);
    await page.close();
  });

  it("verbs ask the host; what it did is said", async () => {
    const page = await openPage({ index: 9 });
    await page.locator(".table-row[data-index]").first().waitFor();
    await page.getByRole("button", { name: "Score with reward.py" }).click();
    await expect.poll(() => said(page)).toBe("done: score");
    await page.getByRole("button", { name: "Promote" }).click();
    await page.getByRole("menuitem", { name: "This Trajectory to Samples" }).click();
    await expect.poll(() => said(page)).toBe("done: promote");
    const acts = await page.evaluate(() => (window as unknown as { acts: unknown[] }).acts);
    expect(acts).toEqual([
      { act: "score", indexes: [], filter: "" },
      { act: "promote", indexes: [9], filter: null },
    ]);
    await page.close();
  });

  it("a branch is another way, and says what it shares", async () => {
    const page = await openPage({ index: 3 });
    await message(page, 0).waitFor();
    await page.locator(".branches select").selectOption("1");
    await expect.poll(() => message(page, 0).innerText()).toContain("shared");
    await page.close();
  });

  it("columns keep their width and can be hidden", async () => {
    const page = await openPage();
    await page.locator(".table-row[data-index]").first().waitFor();
    await page.locator(".table").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Alt+ArrowRight");
    await expect.poll(() => said(page)).toMatch(/pixels wide/);
    const width = async (): Promise<number> =>
      (await page.locator(".head-cell").first().boundingBox())!.width;
    const wide = await width();
    await page.waitForTimeout(300);
    await page.reload();
    await page.locator(".table-row[data-index]").first().waitFor();
    expect(await width()).toBe(wide);
    await page.close();
  });
});
