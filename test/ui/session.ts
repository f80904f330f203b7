import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../scripts/lib/chromium.mjs";
import { root } from "../../scripts/lib/paths.mjs";
import { ready } from "../../scripts/lib/page.mjs";
import { pack } from "../../scripts/package.mjs";
import { startServer } from "../../scripts/lib/server.mjs";
import { installVsix, leftOver } from "../../scripts/lib/suites.mjs";
import { ensureVSCode } from "../../scripts/vscode.mjs";

export interface Session {
  readonly page: Page;
  readonly browser: Browser;
  /** The copy of the workspace that is open. */
  readonly folder: string;
  /** Ends everything; gives the processes that outlived it. */
  end(): Promise<string[]>;
}

export interface SessionOptions {
  /** The packed .vsix installed into the clean profile, as people get it; else the checkout by link. */
  readonly packed?: boolean;
  readonly workspace?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Further extensions by link: `publisher.name-version` → folder below the checkout. */
  readonly link?: Readonly<Record<string, string>>;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** A browser VS Code with the extension, on a clean profile and a copy of a workspace. */
export async function open({
  packed = false,
  workspace = "examples/math",
  settings = {},
  link = {},
  viewport = { width: 1440, height: 900 },
}: SessionOptions = {}): Promise<Session> {
  const vscode = await ensureVSCode();
  const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-ui-"));
  const folder = path.join(work, path.basename(workspace));
  await cp(path.join(root, workspace), folder, { recursive: true });
  if (packed) await installVsix(vscode, (await pack()).file, path.join(work, "profile"));
  const server = await startServer({
    vscode,
    profile: path.join(work, "profile"),
    driver: true,
    settings: { "files.autoSave": "off", ...settings },
    link: {
      ...(packed ? {} : { "rewardsmith.rewardsmith-0.1.0": root }),
      ...Object.fromEntries(Object.entries(link).map(([name, at]) => [name, path.join(root, at)])),
    },
  });
  const browser = await launchChromium();
  const end = async (): Promise<string[]> => {
    await browser.close();
    await server.stop();
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    return leftOver(work);
  };
  try {
    const page = await browser.newPage({ viewport });
    await page.goto(server.url({ folder }), { waitUntil: "commit" });
    await ready(page);
    return { page, browser, folder, end };
  } catch (error) {
    await end();
    throw error;
  }
}
