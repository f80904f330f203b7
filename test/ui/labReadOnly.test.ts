import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { FrameLocator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { firstScore } from "../../scripts/lib/flows.mjs";
import { openLab, tableRow } from "../../scripts/lib/lab.mjs";
import { command, notifications } from "../../scripts/lib/page.mjs";
import { open, type Session } from "./session";

/** A reward that may not be written: what is typed is refused in words, or kept; as in the native editor. */
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
const onDisk = (): Promise<string> => readFile(reward(), "utf8");
const editor = () => lab.locator(".monaco-editor").first();
const lines = async (): Promise<string> =>
  (await editor().locator(".view-line").allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
const tab = () => session.page.locator(".tabs-container .tab.active").last();
/** What the workbench says of the file. */
const told = (): Promise<string | null> => tab().locator(".tab-label").first().getAttribute("aria-label");

async function type(text: string): Promise<void> {
  await editor().locator(".native-edit-context, textarea.inputarea").first().focus();
  await session.page.keyboard.press("Control+Home");
  await session.page.keyboard.type(text);
}

describe("files.readonlyInclude", () => {
  const settings = (): string => path.join(session.folder, ".vscode", "settings.json");
  async function set(include: Record<string, boolean>): Promise<void> {
    await mkdir(path.dirname(settings()), { recursive: true });
    await writeFile(settings(), JSON.stringify({ "files.readonlyInclude": include }));
  }

  it("keys are refused with one sentence, nothing of them is shown or lost; taken away, the Lab can be written in", async () => {
    const before = await onDisk();
    await set({ "**/reward.py": true });
    await expect.poll(told, { timeout: 20_000 }).toContain("Read-only");
    await type("# refused\n");
    const message = lab.locator(".monaco-editor-overlaymessage");
    await message.waitFor({ timeout: 10_000 });
    expect(await message.innerText()).toMatch(/^reward\.py is read-only .*files\.readonlyInclude/);
    expect(await lines()).not.toContain("refused");
    await session.page.keyboard.press("Control+S");
    await session.page.waitForTimeout(500);
    expect(await onDisk()).toBe(before);
    expect(await told()).toContain("Read-only");
    await set({});
    await expect.poll(told, { timeout: 20_000 }).not.toContain("Read-only");
    await type("# taken\n");
    await expect.poll(lines, { timeout: 10_000 }).toContain("# taken");
    await session.page.keyboard.press("Control+S");
    await expect.poll(onDisk, { timeout: 15_000 }).toBe(`# taken\n${before}`);
  }, 120_000);
});

describe("permissions", () => {
  let immutable = false;
  /** Whether the file can be made such that we can't write it: for root that takes more than its mode. */
  function lock(): boolean {
    chmodSync(reward(), 0o444);
    if (!writable()) return true;
    try {
      execFileSync("chattr", ["+i", reward()], { stdio: "ignore" });
      immutable = true;
    } catch {
      return false;
    }
    return !writable();
  }
  function writable(): boolean {
    try {
      closeSync(openSync(reward(), "r+"));
      return true;
    } catch {
      return false;
    }
  }
  function unlock(): void {
    if (immutable) execFileSync("chattr", ["-i", reward()]);
    immutable = false;
    chmodSync(reward(), 0o644);
  }
  afterEach(unlock);

  it("typed text is scored and stays, a save that fails says so, and succeeds later", async ({ skip }) => {
    const before = await onDisk();
    if (!lock()) skip("this file system can't keep us from writing");
    await type("# kept\n");
    await expect.poll(lines, { timeout: 10_000 }).toContain("# kept");
    await session.page.keyboard.press("Control+S");
    await expect
      .poll(async () => (await notifications(session.page)).join("\n"), { timeout: 20_000 })
      .toMatch(/Failed to save 'reward\.py'/);
    expect(await onDisk()).toBe(before);
    expect(await lines()).toContain("# kept");
    expect(await tab().getAttribute("class")).toContain("dirty");
    unlock();
    await command(session.page, "Notifications: Clear All Notifications");
    await command(session.page, "File: Save");
    await expect.poll(onDisk, { timeout: 20_000 }).toBe(`# kept\n${before}`);
  }, 120_000);
});
