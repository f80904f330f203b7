// @ts-check
// Plain Node, no packages: this runs before anything is installed.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";
import { npm, run } from "./run.mjs";

/** Every package that the lock file asks for is there in its version (npm keeps its own list in node_modules). */
export function isInstalled() {
  const there = read(path.join(root, "node_modules/.package-lock.json"));
  const asked = read(path.join(root, "package-lock.json"));
  if (!there || !asked) return false;
  return Object.entries(asked).every(
    ([name, entry]) => name === "" || entry.optional || there[name]?.version === entry.version,
  );
}

/** @param {string} file */
function read(file) {
  if (!existsSync(file)) return undefined;
  /** @type {{ packages?: Record<string, { version?: string, optional?: boolean }> }} */
  const lock = JSON.parse(readFileSync(file, "utf8"));
  return lock.packages;
}

/** Installs what the lock file says when it isn't there; ends this process with a sentence when that fails. */
export async function ensureInstalled() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(
      `Node ${process.versions.node} is too old: install Node 20.19 or newer (24 is a good choice).`,
    );
    process.exit(2);
  }
  if (isInstalled()) return;
  console.log("Installing packages (npm ci) …");
  const [program, first] = npm();
  const result = await run(program, [...first, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    output: "quiet",
    limitMs: 15 * 60_000,
  });
  if (result.code !== 0) {
    console.error(
      `npm ci failed:\n${result.tail.trim()}\nCheck that npm reaches its registry (npm ping), then try again.`,
    );
    process.exit(3);
  }
  console.log(`  done (${(result.ms / 1000).toFixed(0)} s).`);
}

/** Builds `dist`; ends this process with the bundler's words when that fails. @param {string[]} [args] */
export async function build(args = []) {
  const result = await run(process.execPath, ["esbuild.mjs", ...args], {
    output: "quiet",
    limitMs: 5 * 60_000,
  });
  if (result.code !== 0) {
    console.error(`The build failed:\n${result.tail.trim()}`);
    process.exit(3);
  }
}
