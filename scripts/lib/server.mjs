// @ts-check
// One browser VS Code: its profile folders, its process, its address.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { endWithUs, signalTree } from "./run.mjs";

/** Settings every profile of ours starts with: nothing opens, nothing asks, nothing reports. */
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.editor.useModal": "off",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "telemetry.telemetryLevel": "off",
  "chat.disableAIFeatures": true,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  // The web default saves a second after each key: the numbers are about text that isn't saved yet.
  "files.autoSave": "off",
  "git.openRepositoryInParentFolders": "never",
};

/**
 * @typedef {object} ServerOptions
 * @property {import("../vscode.mjs").BrowserVSCode} vscode
 * @property {string} [profile] Folder for user data, extensions and logs; default a new one, deleted at the end.
 * @property {number} [port] Default: a free one.
 * @property {string} [token] Connection token; without one anybody on this machine may connect.
 * @property {boolean} [trust] Workspace trust as in the product. Default false: every folder is trusted.
 * @property {boolean} [driver] VS Code's own test driver (`window.driver`, `extensionTestsPath`).
 * @property {Record<string, unknown>} [settings] User settings over ours.
 * @property {Record<string, string>} [env] Environment that reaches the extension host.
 * @property {Record<string, string>} [link] Extensions by link: `publisher.name-version` → folder.
 *
 * @typedef {object} Server
 * @property {number} port
 * @property {string} profile
 * @property {number} pid
 * @property {string} log File with what the server printed.
 * @property {(what?: Open) => string} url
 * @property {Promise<number | null>} ended
 * @property {() => Promise<void>} stop Ends it and everything below it, and deletes a profile that we made.
 *
 * @typedef {object} Open
 * @property {string} [folder]
 * @property {string} [file]
 * @property {string} [development] Extension under development.
 * @property {string} [tests] Module whose `run` the extension host calls.
 */

/** @param {ServerOptions} options @returns {Promise<Server>} */
export async function startServer({
  vscode,
  profile,
  port,
  token,
  trust = false,
  driver = false,
  settings = {},
  env = {},
  link = {},
}) {
  const own = profile === undefined;
  const folder = profile ?? (await mkdtemp(path.join(tmpdir(), "rewardsmith-vscode-")));
  const [data, user, extensions] = ["data", "user", "extensions"].map((name) => path.join(folder, name));
  await mkdir(path.join(/** @type {string} */ (user), "User"), { recursive: true });
  await mkdir(/** @type {string} */ (extensions), { recursive: true });
  const settingsFile = path.join(/** @type {string} */ (user), "User/settings.json");
  const kept = own ? {} : await readSettings(settingsFile);
  if (kept) await writeFile(settingsFile, JSON.stringify({ ...SETTINGS, ...kept, ...settings }, null, 2));
  for (const [name, target] of Object.entries(link)) {
    const at = path.join(/** @type {string} */ (extensions), name);
    await rm(at, { recursive: true, force: true });
    await symlink(target, at, "junction");
  }

  const at = port ?? (await freePort());
  const logFile = path.join(folder, "server.log");
  const log = await open(logFile, "w");
  const child = spawn(
    vscode.node,
    [
      path.join(vscode.code, "out/server-main.js"),
      ...["--host", "127.0.0.1", "--port", String(at), "--telemetry-level", "off"],
      ...(token === undefined ? ["--without-connection-token"] : ["--connection-token", token]),
      "--accept-server-license-terms",
      ...["--server-data-dir", /** @type {string} */ (data)],
      ...["--user-data-dir", /** @type {string} */ (user)],
      ...["--extensions-dir", /** @type {string} */ (extensions)],
      ...(trust ? [] : ["--disable-workspace-trust"]),
      ...(driver ? ["--enable-smoke-test-driver"] : []),
      // Extension hosts of a page that went away end soon, not after the default three hours.
      ...["--reconnection-grace-time", "60"],
    ],
    {
      env: { ...process.env, ...env },
      stdio: ["ignore", log.fd, log.fd],
      detached: process.platform !== "win32",
      windowsHide: true,
    },
  );
  const untrack = endWithUs(child);
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(null));
  });
  let over = false;
  void ended.then(() => (over = true));

  const stop = async () => {
    signalTree(child, "SIGTERM");
    const late = setTimeout(() => signalTree(child, "SIGKILL"), 4000);
    await ended;
    clearTimeout(late);
    // What the extension hosts started and left in our group goes too.
    signalTree(child, "SIGKILL");
    untrack();
    await log.close().catch(() => undefined);
    if (own) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };

  const started = Date.now();
  for (;;) {
    if (over || Date.now() - started > 60_000) {
      const tail = (await readFile(logFile, "utf8")).slice(-2000);
      await stop();
      throw new Error(`The browser VS Code ${over ? "ended at start" : "did not answer in 60 s"}:\n${tail}`);
    }
    const answer = await fetch(`http://127.0.0.1:${at}/version`).catch(() => undefined);
    if (answer?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  const remote = (/** @type {string} */ file) => `vscode-remote://127.0.0.1:${at}${asPath(file)}`;
  return {
    port: at,
    profile: folder,
    pid: child.pid ?? 0,
    log: logFile,
    ended,
    stop,
    url: ({ folder: opened, file, development, tests } = {}) => {
      const url = new URL(`http://127.0.0.1:${at}/`);
      if (opened !== undefined) url.searchParams.set("folder", asPath(opened));
      if (token !== undefined) url.searchParams.set("tkn", token);
      const payload = [
        ...(development === undefined ? [] : [["extensionDevelopmentPath", remote(development)]]),
        ...(tests === undefined ? [] : [["extensionTestsPath", remote(tests)]]),
        ...(file === undefined ? [] : [["openFile", remote(file)]]),
      ];
      if (payload.length > 0) url.searchParams.set("payload", JSON.stringify(payload));
      return url.href;
    },
  };
}

/** A person's own settings stay theirs; null where the file can't be read as JSON (then it isn't touched). @param {string} file */
async function readSettings(file) {
  try {
    /** @type {Record<string, unknown>} */
    const settings = JSON.parse(await readFile(file, "utf8"));
    return settings;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT" ? {} : null;
  }
}

/** A URL path, also for `C:\…`. @param {string} file */
function asPath(file) {
  const slashes = file.replaceAll("\\", "/");
  return slashes.startsWith("/") ? slashes : `/${slashes}`;
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** @param {number} port @returns {Promise<boolean>} */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
