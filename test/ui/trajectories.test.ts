import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sidePanel } from "../../scripts/lib/flows.mjs";
import { labFrame, showTab } from "../../scripts/lib/lab.mjs";
import { chooseRow, command, pressButton, ready } from "../../scripts/lib/page.mjs";
import { listRow, openAsTrajectories } from "../../scripts/lib/trajectories.mjs";
import { open, type Session } from "./session";

/** The trajectory viewer in a real VS Code: the example from its file to its acts. */
let session: Session;
let viewer: FrameLocator;
beforeAll(async () => {
  session = await open({ workspace: "examples/help-desk", viewport: { width: 1400, height: 900 } });
  await writeFile(path.join(session.folder, "hostile.jsonl"), HOSTILE);
  viewer = await openAsTrajectories(session.page, "rollouts.jsonl");
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

const RUN = "window.executed=1";
const HOSTILE = [
  `</script><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}"><svg onload="${RUN}">`,
  "\u001b[31mred\u001b[0m \u202eevil\u2066",
  "[run](command:workbench.action.terminal.new) ![x](http://127.0.0.1:9/x.png)",
]
  .map((text) =>
    JSON.stringify({
      messages: [
        { role: "user", content: text },
        {
          role: "assistant",
          content: [
            { type: "text", text },
            {
              type: "image_url",
              image_url: {
                url: `data:image/svg+xml;base64,${Buffer.from(`<svg onload="${RUN}"/>`).toString("base64")}`,
              },
            },
          ],
        },
      ],
    }),
  )
  .join("\n");

describe("a file of rollouts", () => {
  it("lists every trajectory, and shows the one that is chosen with its calls and results", async () => {
    await expect
      .poll(() => viewer.locator("main").innerText(), { timeout: 15_000 })
      .toMatch(/60 trajectories/u);
    await listRow(viewer, 1).click();
    const conversation = viewer.locator(".conversation");
    await expect.poll(() => conversation.innerText()).toMatch(/chain I ordered came in the wrong width/u);
    await expect.poll(() => conversation.innerText()).toMatch(/find_order\(customer: "Ida Holm"\)/u);
    await expect.poll(() => conversation.innerText()).toMatch(/"order_id": "B-1041"/u);
  });

  it("F8 goes to the next that fails, and says which", async () => {
    await listRow(viewer, 1).click();
    await session.page.keyboard.press("F8");
    await expect.poll(() => viewer.locator("main").innerText()).toMatch(/trajectory 3\b/u);
  });

  it("a filter leaves what fits it", async () => {
    await viewer.getByPlaceholder(/^filter/u).fill("outcome:length");
    await session.page.keyboard.press("Enter");
    const file = await readFile(path.join(session.folder, "rollouts.jsonl"), "utf8");
    const cut = file.split('"finish_reason": "length"').length - 1;
    expect(cut).toBeGreaterThan(0);
    await expect.poll(() => viewer.locator('[role="row"][data-index]').count()).toBe(cut);
    await viewer.getByPlaceholder(/^filter/u).fill("");
    await session.page.keyboard.press("Enter");
    await listRow(viewer, 1).waitFor();
  });

  it("search finds words in messages, and goes to the one that holds them", async () => {
    await viewer.getByPlaceholder("search in all messages").fill("zip of the bag");
    await session.page.keyboard.press("Enter");
    await expect
      .poll(() => viewer.locator("main").innerText(), { timeout: 15_000 })
      .toMatch(/zip of the bag broke/u);
    await viewer.getByPlaceholder("search in all messages").fill("");
    await session.page.keyboard.press("Enter");
    await showTab(viewer, /^List/u);
  });

  it("a group side by side: what is shared is folded, the turn where they part is marked", async () => {
    await listRow(viewer, 1).click();
    await viewer.getByRole("button", { name: "Compare Group" }).click();
    await expect
      .poll(() => viewer.locator("main").innerText(), { timeout: 15_000 })
      .toMatch(/2 messages in common/u);
    await expect.poll(() => viewer.locator("main").innerText()).toMatch(/here they part/u);
    await expect.poll(() => viewer.locator("main").innerText()).toMatch(/6 trajectories/u);
    await session.page.keyboard.press("Escape");
    await listRow(viewer, 1).waitFor();
  });
});

describe("the side panel", () => {
  it("has the file, its groups and their trajectories; one opens the viewer at it", async () => {
    const { page } = session;
    await sidePanel(page);
    const row = (text: RegExp) => page.locator(".pane-body .monaco-list-row", { hasText: text }).first();
    await row(/rollouts\.jsonl.*ART/u)
      .locator(".monaco-tl-twistie")
      .click();
    await row(/chain I ordered/u).waitFor({ timeout: 15_000 });
    // By keys: what lies below is drawn when it comes into sight.
    await row(/chain I ordered/u).click();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(1000);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    viewer = await labFrame(page);
    await expect
      .poll(() => viewer.locator("main").innerText(), { timeout: 15_000 })
      .toMatch(/trajectory 60\b/u);
  });
});

describe("scored with a reward", () => {
  it("what it gives now stands beside the reward in the file, and is another where the order was not looked at", async () => {
    const { page } = session;
    await viewer.getByRole("button", { name: /^Score/u }).click();
    await chooseRow(page, "Use these samples");
    await pressButton(page, "Score");
    viewer = await labFrame(page);
    await expect
      .poll(() => viewer.locator('[role="columnheader"]').allInnerTexts(), { timeout: 40_000 })
      .toContain("now");
    // A refund without a look at the order: the environment paid for it, the reward pays nothing.
    await viewer.getByPlaceholder(/^filter/u).fill("changed now<0.5 reward>1");
    await page.keyboard.press("Enter");
    await expect.poll(() => viewer.locator('[role="row"][data-index]').count()).toBeGreaterThan(0);
    await viewer.getByPlaceholder(/^filter/u).fill("");
    await page.keyboard.press("Enter");
  });
});

describe("hostile content", () => {
  it("is shown as text: nothing runs, nothing is asked for", async () => {
    const { page } = session;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("127.0.0.1:9/")) asked.push(request.url());
    });
    const hostile = await openAsTrajectories(page, "hostile.jsonl");
    for (const number of [1, 2, 3, 4]) {
      await listRow(hostile, number).click();
      await expect.poll(() => hostile.locator("main").innerText()).toContain(`trajectory ${number}`);
      await page.waitForTimeout(200);
    }
    const frame = await (await hostile.locator("body").elementHandle()).ownerFrame();
    expect(await frame?.evaluate(() => "executed" in window)).toBe(false);
    const made = await frame?.evaluate(() =>
      [...document.querySelectorAll("script, img, svg, iframe, object")].map((element) => element.outerHTML),
    );
    expect(made?.filter((html) => html.includes("executed") || html.includes(":9/"))).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe("after a reload", () => {
  it("the same trajectory is looked at", async () => {
    const { page } = session;
    viewer = await openAsTrajectories(page, "rollouts.jsonl");
    await viewer.locator('[role="row"][data-index]').first().click();
    await page.keyboard.press("Control+Home");
    await listRow(viewer, 5).click();
    await expect.poll(() => viewer.locator("main").innerText()).toMatch(/trajectory 5\b/u);
    // The browser's workbench stores which editors are open a little later.
    await page.waitForTimeout(6000);
    await page.reload({ waitUntil: "commit" });
    await ready(page);
    viewer = await labFrame(page, 60_000);
    await expect
      .poll(() => viewer.locator("main").innerText(), { timeout: 30_000 })
      .toMatch(/trajectory 5\b/u);
    await command(page, "View: Close Editor");
  });
});
