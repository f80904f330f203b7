import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { openLab, showTab, tableRow } from "../../scripts/lib/lab.mjs";
import { command } from "../../scripts/lib/page.mjs";
import { open, type Session } from "./session";

/** Failures people met, looked at in the Lab: the picture alone must say why the score is 0. */
let session: Session;
beforeAll(async () => {
  session = await open({ workspace: "test/fixtures/cases" });
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

async function labOf(name: string): Promise<FrameLocator> {
  await firstScore(session.page, { reward: `${name}_reward.py`, samples: `${name}_samples.jsonl` });
  const lab = await openLab(session.page);
  await tableRow(lab, 1).waitFor({ timeout: 20_000 });
  return lab;
}
/** A row's Why and Way through: what is said, what is marked, how far a pattern got. */
async function look(lab: FrameLocator, row: number) {
  await tableRow(lab, row).click();
  await showTab(lab, "Way through");
  const panel = lab.locator("#detail-panel");
  await panel.locator("[data-matched], [data-reached], [data-why]").first().waitFor({ timeout: 20_000 });
  const values = async (name: string): Promise<string[]> =>
    panel
      .locator(`[${name}]`)
      .evaluateAll((all, attribute) => all.map((one) => one.getAttribute(attribute) ?? ""), name);
  const [matched, reached, way] = [
    await values("data-matched"),
    await values("data-reached"),
    await panel.innerText(),
  ];
  await showTab(lab, /^Why/);
  await panel.locator("text=/line/i").first().waitFor({ timeout: 20_000 });
  return { matched, reached, way, why: await panel.innerText() };
}

describe("why the score is 0", () => {
  it("B01: the pattern stops at the line break, and would match with DOTALL", async () => {
    const lab = await labOf("B01");
    const { reached, way, why } = await look(lab, 2);
    expect(reached.length).toBeGreaterThan(0);
    expect(`${way}\n${why}`).toMatch(/line break/i);
    expect(why).toMatch(/DOTALL/);
    await command(session.page, "View: Close All Editors");
  });

  it("B05: the box ends at the first brace", async () => {
    const lab = await labOf("B05");
    const { matched, why } = await look(lab, 2);
    expect(matched).toContain("\\boxed{\\frac{1}");
    expect(why).toContain("\\frac{1");
    expect(why).toContain("\\frac{1}{2}");
    await command(session.page, "View: Close All Editors");
  });

  it("B07: the last number of what was searched isn't the answer", async () => {
    const lab = await labOf("B07");
    const pair = await look(lab, 2);
    expect(pair.matched).toEqual(["8.112", "9"]);
    expect(pair.why).toContain("[8.1, 12.9]");
    // Text after the answer: nothing to find in the last 200 characters.
    const far = await look(lab, 4);
    expect(far.matched).toEqual([]);
    expect(far.why).toMatch(/None|doesn't match/);
    await command(session.page, "View: Close All Editors");
  });
});

describe("S13: a reward that draws", () => {
  it("one press of Score: stable scores, and it says that a second call differs", async () => {
    const lab = await labOf("S13");
    const rows = async (): Promise<string[]> =>
      Promise.all([1, 2, 3].map((row) => tableRow(lab, row).locator(".cell-component").last().innerText()));
    await lab.getByRole("button", { name: "Score", exact: true }).first().click();
    await expect
      .poll(() => lab.getByRole("tab", { name: /^Findings/ }).innerText(), { timeout: 20_000 })
      .toMatch(/\d/);
    const first = await rows();
    await showTab(lab, /^Findings/);
    await lab.locator("text=/second call/i").first().waitFor({ timeout: 20_000 });
    await showTab(lab, "Samples");
    await lab.getByRole("button", { name: "Score", exact: true }).first().click();
    await session.page.waitForTimeout(1500);
    expect(await rows()).toEqual(first);
  });
});
