// @ts-check
import { accessSync, constants } from "node:fs";
import path from "node:path";

/** What to tell a person who has no browser that the tests can drive. */
export const INSTALL_CHROMIUM =
  process.platform === "linux"
    ? "no Chromium: apt-get install chromium (or set REWARDSMITH_CHROMIUM to a Chrome or Chromium)"
    : "no Chrome: install Google Chrome (or set REWARDSMITH_CHROMIUM to a Chrome or Chromium)";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PLACES = /** @type {Record<string, string[]>} */ ({
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  win32: ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap((name) => {
    const folder = process.env[name];
    return folder ? [path.join(folder, "Google/Chrome/Application/chrome.exe")] : [];
  }),
});

/** First of the names that is an executable on PATH. @param {readonly string[]} names */
export function onPath(names) {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  for (const name of names)
    for (const folder of (process.env["PATH"] ?? "").split(path.delimiter))
      for (const ending of endings) {
        const file = path.join(folder, name + ending);
        if (folder && isExecutable(file)) return file;
      }
  return undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A Chrome or Chromium of this machine, or undefined. Nothing is downloaded. */
export function findChromium() {
  const own = process.env["REWARDSMITH_CHROMIUM"];
  if (own) return own;
  return onPath(NAMES) ?? (PLACES[process.platform] ?? []).find(isExecutable);
}

/** @param {import("playwright-core").LaunchOptions} [options] */
export async function launchChromium(options = {}) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(INSTALL_CHROMIUM);
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath,
    args: [
      // As root (containers, CI) Chromium refuses to start with its sandbox.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-dev-shm-usage",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    ...options,
  });
}
