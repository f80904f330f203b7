import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { command } from "../../scripts/lib/page.mjs";
import { labFrame, openLab, tableRow } from "../../scripts/lib/lab.mjs";
import { keyboard } from "./keyboard";
import { open, type Session } from "./session";

/** Acts of the Lab that lead out of it, or through it, by keyboard alone. */
let session: Session;
let lab: FrameLocator;
const { keys, tabTo, along, says, focused } = keyboard(
  () => session,
  () => lab,
);
beforeAll(async () => {
  session = await open({ link: { "rewardsmith-tests.debugger-0.0.1": "test/fixtures/debugger" } });
  await firstScore(session.page);
  lab = await openLab(session.page);
  await tableRow(lab, 1).waitFor({ timeout: 20_000 });
  await lab.locator(".monaco-editor .view-line").first().waitFor({ timeout: 20_000 });
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

const GRID = /^grid Samples/;
const tab = async (): Promise<string> =>
  (await session.page.locator(".tabs-container .tab.active").last().innerText()).replaceAll("\n", "");

/** From another editor back to the Lab's, which is beside it in the same group. */
async function back(): Promise<void> {
  const { page } = session;
  await command(page, "View: Close Editor");
  lab = await labFrame(page);
  await lab.locator("main").waitFor();
}

describe("by keyboard alone", () => {
  it("a bar of a histogram filters the samples", async () => {
    await lab
      .getByRole("tab", { name: /^Samples/ })
      .first()
      .focus();
    await along(/^tab Pictures/);
    await keys("Enter");
    await lab.locator(".p-histogram .p-bar").first().waitFor();
    await tabTo(/^button .* rows, /);
    const name = await lab.locator(":focus").getAttribute("aria-label");
    expect(name).toMatch(/: \d+ rows, /);
    await keys("ArrowRight");
    expect(await lab.locator(":focus").getAttribute("aria-label")).not.toBe(name);
    await keys("ArrowLeft");
    const count = Number(/: (\d+) rows/.exec(name ?? "")?.[1]);
    await keys("Enter");
    await expect.poll(() => lab.locator("#filter").inputValue(), { timeout: 5000 }).toMatch(/^\w+[<>:=]/);
    await expect
      .poll(() => lab.locator(".filter-line").innerText(), { timeout: 10_000 })
      .toContain(`matched ${count} of 200`);
    await lab.locator("#filter").focus();
    await keys("Control+A", "Delete", "Enter");
  });

  it("Open Data Line opens the sample's line of the source", async () => {
    await lab.locator("#filter").focus();
    await keys("Escape");
    await lab.getByRole("grid", { name: /^Samples/ }).focus();
    await focused(GRID);
    await keys("Control+Home", ...Array.from({ length: 6 }, () => "ArrowDown"));
    await keys("Enter");
    await tabTo(/^button Good/);
    const title = await lab.locator('button[data-item="data"]').getAttribute("title");
    await along(/^button Open Data Line/);
    await keys("Enter");
    await expect.poll(tab, { timeout: 10_000 }).toContain("outputs.jsonl");
    const line = /line (\d+)/.exec(title ?? "")?.[1];
    await expect
      .poll(() => session.page.locator('.statusbar-item[id="status.editor.selection"]').innerText(), {
        timeout: 10_000,
      })
      .toContain(`Ln ${line}, Col 1`);
    await back();
  });

  it("Debug This Sample launches the sample's program, once for the press", async () => {
    await lab.locator('button[data-item="data"]').focus();
    await along(/^button Debug/, "ArrowLeft");
    await keys("Enter");
    const file = path.join(session.folder, "launched.json");
    await expect.poll(() => existsSync(file), { timeout: 15_000 }).toBe(true);
    const config = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    expect(config).toMatchObject({
      type: "debugpy",
      request: "launch",
      name: expect.stringMatching(/^correctness, row \d+$/) as string,
      cwd: session.folder,
      subProcess: false,
    });
    const [job = ""] = config["args"] as string[];
    expect(existsSync(config["program"] as string) && existsSync(job)).toBe(true);
    expect(await readFile(job, "utf8")).toContain(path.join(session.folder, "reward.py"));
  });

  it("Show Difference sets a tried completion beside the sample's in the native editor", async () => {
    await tabTo(/^tab (Prompt|Completion)/);
    await along(/^tab Completion/);
    await keys("Enter");
    await tabTo(/^button Edit to Try/);
    await keys("Enter");
    await focused(/^textarea Completion to try/);
    // At once, as fast as keys can come: none may be lost, and VS Code's own Ctrl+A may not select them.
    await keys("Control+A");
    await session.page.keyboard.type("quite another text");
    await expect
      .poll(() => lab.locator('textarea[aria-label^="Completion to try"]').inputValue())
      .toBe("quite another text");
    await says(/^As tried: /);
    await tabTo(/^button (Paste|Revert|Keep|Show)/, "Shift+Tab");
    await along(/^button Show Difference/);
    await keys("Enter");
    await session.page.locator(".monaco-diff-editor").first().waitFor({ timeout: 15_000 });
    await expect
      .poll(() => session.page.locator(".monaco-diff-editor .modified .view-lines").first().innerText())
      .toMatch(/quite.another.text/);
    await back();
  });

  it("Inspect Outputs is opened from the palette, counts what was looked at, and hides the score till judged", async () => {
    const { page } = session;
    await keys("F1");
    await page.locator(".quick-input-widget input.input").waitFor();
    await page.keyboard.type("Rewardsmith: Inspect Outputs");
    await page
      .locator('.quick-input-list .monaco-list-row[aria-label^="Rewardsmith: Inspect Outputs"]')
      .waitFor();
    await keys("Enter");
    const looked = lab.locator("[data-looked]");
    await looked.waitFor({ timeout: 10_000 });
    expect(await looked.innerText()).toContain("0 of 50 looked at");
    const row = (): Promise<string | null> =>
      lab.locator("[data-review-row]").first().getAttribute("data-review-row");
    await lab.locator("[data-review-row]").first().waitFor();
    expect(await lab.locator(".review").innerText()).toContain("score is hidden");
    const first = await row();
    await lab.locator("section.review").focus();
    await keys("n");
    await expect.poll(() => looked.innerText(), { timeout: 10_000 }).toContain("1 of 50 looked at");
    await expect.poll(row, { timeout: 10_000 }).not.toBe(first);
    await keys("g");
    await expect.poll(() => looked.innerText(), { timeout: 10_000 }).toContain("2 of 50 looked at");
    const kinds = (await readFile(path.join(session.folder, "outputs.labels.jsonl"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { kind: string; stream: string }).kind);
    expect(kinds.filter((kind) => kind === "looked").length).toBe(2);
    expect(kinds).toContain("verdict");
  });

  it("Compare opens the native difference to the baseline", async () => {
    await tabTo(/^textbox reward\.py/);
    await keys("Control+Home");
    await session.page.keyboard.type("# compared\n");
    await keys("Escape");
    await lab.getByRole("button", { name: /^Compare/ }).waitFor();
    await tabTo(/^button Compare/, "Shift+Tab");
    await keys("Enter");
    await expect.poll(tab, { timeout: 15_000 }).toMatch(/reward\.py \(.* ↔ now\)/);
    const right = session.page.locator(".monaco-diff-editor .modified .view-lines").last();
    await expect.poll(() => right.innerText(), { timeout: 10_000 }).toMatch(/#.compared/);
    const left = session.page.locator(".monaco-diff-editor .original .view-lines").last();
    expect(await left.innerText()).not.toMatch(/#.compared/);
  });
});
