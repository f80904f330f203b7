import type { FrameLocator } from "playwright-core";
import { expect } from "vitest";
import type { Session } from "./session";

/** The Lab by keys alone: what has the focus, what was said, and ways to get somewhere. */
export interface Keyboard {
  /** `role name`, of what has the focus; `-`: nothing has. */
  readonly focus: () => Promise<string>;
  readonly said: () => Promise<string>;
  readonly keys: (...all: string[]) => Promise<void>;
  /** Goes on with Tab until what has the focus fits. */
  readonly tabTo: (name: RegExp, key?: string) => Promise<void>;
  /** Along a toolbar, a list of tabs or a menu to the item that fits. */
  readonly along: (name: RegExp, key?: string) => Promise<void>;
  readonly says: (text: RegExp) => Promise<void>;
  readonly focused: (name: RegExp) => Promise<void>;
}

export function keyboard(session: () => Session, lab: () => FrameLocator): Keyboard {
  const focus = (): Promise<string> =>
    lab()
      .locator("body")
      .evaluate(() => {
        const { activeElement } = document;
        if (activeElement === null || activeElement === document.body) return "-";
        const name = activeElement.getAttribute("aria-label") ?? activeElement.textContent;
        return `${activeElement.getAttribute("role") ?? activeElement.tagName.toLowerCase()} ${name.trim()}`;
      });
  const said = async (): Promise<string> =>
    (await lab().locator('.said[role="status"]').last().innerText()).replaceAll("\u00a0", "");
  async function keys(...all: string[]): Promise<void> {
    for (const key of all) await session().page.keyboard.press(key);
  }
  return {
    focus,
    said,
    keys,
    tabTo: async (name, key = "Tab") => {
      const met: string[] = [];
      for (let left = 60; left > 0; left--) {
        const now = await focus();
        if (name.test(now)) return;
        met.push(now);
        await keys(key);
      }
      throw new Error(`no ${String(name)} among ${met.join(" | ")}`);
    },
    along: async (name, key = "ArrowRight") => {
      for (let left = 12; left > 0 && !name.test(await focus()); left--) await keys(key);
      expect(await focus()).toMatch(name);
    },
    says: (text) => expect.poll(said, { timeout: 10_000 }).toMatch(text),
    focused: (name) => expect.poll(focus, { timeout: 5000 }).toMatch(name),
  };
}
