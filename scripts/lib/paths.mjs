// @ts-check
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the checkout. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Where what tests make goes (reports, bundles, screenshots); never committed. */
export const out = path.join(root, "out");

/**
 * The cache outside the checkout: `REWARDSMITH_CACHE`, else the XDG cache folder, else the system's own.
 * Everything in it can be deleted at any time.
 */
export function cacheDir() {
  const own = process.env["REWARDSMITH_CACHE"];
  if (own) return path.resolve(own);
  if (process.platform === "win32" && process.env["LOCALAPPDATA"])
    return path.join(process.env["LOCALAPPDATA"], "rewardsmith", "cache");
  return path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "rewardsmith");
}
