// @ts-check
// Gestures of a person at the workbench, each as sturdy as a person's: it looks, and tries again.

/** @typedef {import("playwright-core").Page} Page */

/** The workbench is restored (needs the server's test driver). @param {Page} page */
export async function ready(page, timeout = 90_000) {
  await page.waitForFunction("window.driver", undefined, { timeout });
  await page.evaluate("window.driver.whenWorkbenchRestored()");
}

/** @param {Page} page */
const input = (page) => page.locator(".quick-input-widget input.input");

/**
 * Runs a command from the palette. While the workbench restores focus the box can close again: the whole
 * gesture is tried anew.
 * @param {Page} page @param {string} title As the palette shows it, e.g. "Rewardsmith: Pick Samples…".
 */
export async function command(page, title) {
  await pick(page, "F1", `>${title}`, title);
  await input(page)
    .waitFor({ state: "hidden", timeout: 1500 })
    .catch(() => undefined);
}

/** Opens a file by Go to File. @param {Page} page @param {string} name */
export async function openFile(page, name) {
  await pick(page, "Control+P", name, name);
  await page.locator(".tab", { hasText: name }).first().waitFor({ timeout: 10_000 });
}

/**
 * Chooses the row whose label starts with a text: the best match of a search isn't always the one that is meant.
 * @param {Page} page @param {string} key @param {string} text @param {string} label
 */
async function pick(page, key, text, label) {
  for (let left = 8; ; left--) {
    try {
      await page.keyboard.press(key);
      await input(page).waitFor({ timeout: 2000 });
      await input(page).fill(text, { timeout: 2000 });
      const row = page.locator(`.quick-input-list .monaco-list-row[aria-label^=${JSON.stringify(label)}]`);
      await row.first().click({ timeout: 4000 });
      return;
    } catch (error) {
      if (left === 0) throw error;
      await page.keyboard.press("Escape");
      await page.waitForTimeout(300);
    }
  }
}

/** Puts the cursor at a place of the active editor (1-based), by Go to Line. @param {Page} page @param {number} line @param {number} column */
export async function goTo(page, line, column = 1) {
  await page.keyboard.press("Control+G");
  await input(page).waitFor({ timeout: 5000 });
  await input(page).fill(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await input(page).waitFor({ state: "hidden", timeout: 5000 });
}

/**
 * Texts that decorations put after lines of the visible editors. They are only in CSS, so the computed style is read.
 * @param {Page} page @returns {Promise<string[]>}
 */
export async function decorations(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.view-line span[class*="ced-"]')]
      .map((span) => getComputedStyle(span, "::after").content)
      .filter((content) => content !== "none" && content !== "normal" && content !== '""')
      .map((content) => content.replace(/^"|"$/g, "").replaceAll('\\"', '"')),
  );
}

/** The same with the text of the line that each stands on. @param {Page} page @returns {Promise<{ line: string, after: string }[]>} */
export async function decoratedLines(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.view-line span[class*="ced-"]')].flatMap((span) => {
      const after = getComputedStyle(span, "::after").content.replace(/^"|"$/g, "");
      const line = span.closest(".view-line")?.textContent ?? "";
      return after === "none" || after === "normal" || after === "" ? [] : [{ line, after }];
    }),
  );
}

/**
 * Waits for a decoration that fits, and returns it.
 * @param {Page} page @param {RegExp} pattern
 */
export async function decoration(page, pattern, timeout = 20_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const texts = await decorations(page);
    const found = texts.find((text) => pattern.test(text));
    if (found !== undefined) return found;
    if (Date.now() > end)
      throw new Error(`No decoration like ${pattern}; there are: ${JSON.stringify(texts)}`);
    await page.waitForTimeout(50);
  }
}

/** Toasts don't show under the test driver: reads the notification centre. @param {Page} page */
export async function notifications(page) {
  await command(page, "Notifications: Show Notifications");
  const items = page.locator(".notifications-center .notification-list-item");
  await items
    .first()
    .waitFor({ timeout: 3000 })
    .catch(() => undefined);
  return items.allInnerTexts();
}

/** Trusts the folder as a person would: Manage Workspace Trust, Trust. @param {Page} page */
export async function grantTrust(page) {
  await command(page, "Workspaces: Manage Workspace Trust");
  const editor = page.locator(".workspace-trust-editor");
  await editor.waitFor({ timeout: 10_000 });
  await editor
    .getByRole("button", { name: /^Trust$/ })
    .first()
    .click();
}

/** Chooses a row of the quick pick that is open. @param {Page} page @param {string} text */
export async function chooseRow(page, text, timeout = 20_000) {
  const row = page.locator(".quick-input-widget:visible .quick-input-list .monaco-list-row", {
    hasText: text,
  });
  await row.first().waitFor({ timeout });
  await row.first().click();
}

/** Presses a button of the modal dialog that is open. @param {Page} page @param {string} text */
export async function pressButton(page, text, timeout = 20_000) {
  const button = page.locator(".monaco-dialog-box .monaco-button", { hasText: text }).first();
  await button.waitFor({ timeout });
  await button.click();
}
