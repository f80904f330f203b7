// @ts-check
// `npm run package`: the production build as out/rewardsmith-<version>.vsix, from the allow-list in .vscodeignore.
import { readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ensureInstalled } from "./lib/install.mjs";
import { out, root } from "./lib/paths.mjs";
import { run } from "./lib/run.mjs";

/** @returns {string} */
const vsce = () =>
  path.join(path.dirname(createRequire(import.meta.url).resolve("@vscode/vsce/package.json")), "vsce");

/** Packs the extension (vsce calls `vscode:prepublish`, the production build). @returns {Promise<{ file: string, bytes: number }>} */
export async function pack() {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const file = path.join(out, `rewardsmith-${version}.vsix`);
  await (await import("node:fs/promises")).mkdir(out, { recursive: true });
  const result = await run(process.execPath, [vsce(), "package", "--no-dependencies", "-o", file], {
    output: "quiet",
    limitMs: 120_000,
  });
  if (result.code !== 0) throw new Error(`vsce package failed:\n${result.tail}`);
  return { file, bytes: (await stat(file)).size };
}

/** Files that the package would hold, sorted. @returns {Promise<string[]>} */
export async function packedFiles() {
  const result = await run(process.execPath, [vsce(), "ls", "--no-dependencies"], {
    output: "quiet",
    limitMs: 60_000,
  });
  if (result.code !== 0) throw new Error(`vsce ls failed:\n${result.tail}`);
  return result.tail.split("\n").filter(Boolean).sort();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureInstalled();
  const { file, bytes } = await pack();
  console.log(`${path.relative(root, file)}: ${(bytes / 1e6).toFixed(2)} MB`);
}
