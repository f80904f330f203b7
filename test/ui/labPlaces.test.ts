import { execFileSync } from "node:child_process";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { labText, openLab, tableRow } from "../../scripts/lib/lab.mjs";
import { open, type Session } from "./session";

/** What the Lab stands on is taken away or outgrows it: its file on disk, the process behind the page. */
let session: Session;
let lab: FrameLocator;
beforeAll(async () => {
  session = await open();
  await firstScore(session.page);
  lab = await openLab(session.page);
  await tableRow(lab, 1).waitFor({ timeout: 20_000 });
  await lab.locator(".monaco-editor .view-line").first().waitFor({ timeout: 20_000 });
});
afterAll(async () => {
  expect(await session.end(), "processes left running").toEqual([]);
});

const reward = (): string => path.join(session.folder, "reward.py");
const status = (): Promise<string> => lab.locator("header .status").first().innerText();
const shown = (): Promise<string> => labText(lab);
describe("the file on disk", () => {
  it("renamed under an open Lab: it says that the file is gone, never that it is up to date", async () => {
    await expect.poll(status, { timeout: 20_000 }).toMatch(/up to date/u);
    await rename(reward(), `${reward()}.moved`);
    await expect.poll(status, { timeout: 20_000 }).not.toMatch(/up to date/u);
    const said = await status();
    await rename(`${reward()}.moved`, reward());
    expect(said).toMatch(/reward\.py is not on disk any more/u);
    await expect.poll(status, { timeout: 20_000 }).toMatch(/up to date/u);
  });

  it("5,000 lines: it opens, is edited, and the numbers follow", async () => {
    const text = await readFile(reward(), "utf8");
    const filler = Array.from({ length: 5000 }, (_, i) => `UNUSED_${i} = ${i}\n`).join("");
    await writeFile(reward(), `${text}\n\n${filler}`);
    await expect.poll(status, { timeout: 30_000 }).toMatch(/up to date/u);
    await lab.locator(".monaco-editor .view-lines").first().click();
    await session.page.keyboard.press("Control+End");
    await session.page.keyboard.type("\n# the end");
    await expect.poll(shown, { timeout: 10_000 }).toContain("# the end");
    await expect.poll(status, { timeout: 30_000 }).toMatch(/up to date/u);
    await session.page.keyboard.press("Control+S");
    await expect.poll(() => readFile(reward(), "utf8"), { timeout: 10_000 }).toMatch(/\n# the end\n?$/u);
    await writeFile(reward(), text);
    await session.page.keyboard.press("Control+Home");
    await expect.poll(shown, { timeout: 10_000 }).toContain("import re");
  });
});

describe("the extension host is ended", () => {
  it("the page says that nobody answers, and what to do", async () => {
    await tableRow(lab, 1).click();
    killHost();
    await tableRow(lab, 2).click();
    await lab.locator(".no-answer").waitFor({ timeout: 45_000 });
    expect(await lab.locator(".no-answer").innerText()).toContain("Reload Window");
  });
});

/** Ends this session's extension host alone: below its own profile, told by its command line. */
function killHost(): void {
  const own = path.dirname(session.folder);
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((text) => {
      const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(text) ?? [];
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args: args ?? "" }];
    });
  const below = new Set(rows.filter(({ args }) => args.includes(own)).map(({ pid }) => pid));
  for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid);
  for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid);
  const found = rows.filter(({ pid, args }) => below.has(pid) && args.includes("--type=extensionHost"));
  expect(found.length).toBeGreaterThan(0);
  for (const { pid } of found) process.kill(pid, "SIGKILL");
}
