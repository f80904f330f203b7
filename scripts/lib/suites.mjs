// @ts-check
// Runs mocha suites inside the extension host of a real VS Code: bundles them, starts a server on a fresh profile
// and a fresh copy of the workspace, opens a page on it, and reads the report that the host wrote.
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { launchChromium } from "./chromium.mjs";
import { fromRows, judge } from "./count.mjs";
import { chooseRow, decoration, grantTrust, notifications, pressButton, ready } from "./page.mjs";
import { out, root } from "./paths.mjs";
import { startServer } from "./server.mjs";

const sources = path.join(root, "test/vscode");
const bundles = path.join(out, "test/vscode");

/**
 * @typedef {object} SuiteGroup One server, one workspace, one page.
 * @property {string} name Folder below test/vscode/suites.
 * @property {string} workspace Folder below the checkout; each run works on its own copy.
 * @property {string} [folderName] What the copy is called.
 * @property {boolean} [trust] Workspace trust on, as people have it.
 * @property {Record<string, unknown>} [settings]
 * @property {number} limitMs For the whole group.
 */

/** @type {readonly SuiteGroup[]} */
export const GROUPS = [
  { name: "trusted", workspace: "test/vscode/workspace", limitMs: 300_000 },
  {
    name: "restricted",
    workspace: "test/vscode/workspace",
    // Spaces, brackets and ampersands: what a shell or a URL would trip over.
    folderName: "my runs (v2) & co",
    trust: true,
    settings: { "security.workspace.trust.startupPrompt": "never" },
    limitMs: 150_000,
  },
];

/** Bundles the suites and their entry to CommonJS below out/test/vscode. */
export async function buildSuites() {
  const { build } = await import("esbuild");
  const suites = (await readdir(path.join(sources, "suites"), { recursive: true }))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join("suites", name));
  await rm(bundles, { recursive: true, force: true });
  await build({
    absWorkingDir: sources,
    entryPoints: ["index.ts", ...suites],
    outbase: ".",
    outdir: bundles,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    // The entry gives mocha its files at run time.
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
  return path.join(bundles, "index.cjs");
}

/**
 * @param {SuiteGroup} group
 * @param {{ vscode: import("../vscode.mjs").BrowserVSCode, entry: string }} means
 * @returns {Promise<import("./count.mjs").Counts>}
 */
export async function runGroup(group, { vscode, entry }) {
  const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-suite-"));
  const report = path.join(out, "reports", `vscode-${group.name}.jsonl`);
  const folder = path.join(work, group.folderName ?? path.basename(group.workspace));
  await mkdir(path.dirname(report), { recursive: true });
  await rm(report, { force: true });
  await cp(path.join(root, group.workspace), folder, { recursive: true });
  const { left, ...end } = await inHost({
    name: group.name,
    work,
    limitMs: group.limitMs,
    server: {
      vscode,
      trust: group.trust === true,
      settings: { ...group.settings },
      env: {
        REWARDSMITH_TEST_REPORT: report,
        REWARDSMITH_TEST_SUITES: path.join(bundles, "suites", group.name),
        REWARDSMITH_TEST_GREP: process.env["REWARDSMITH_TEST_GREP"] ?? "",
      },
    },
    open: {
      folder,
      development: root,
      tests: entry,
    },
    onAsk: (ask, page) => carryOut(ask, page, group.name),
  });
  const counts = judge(existsSync(report) ? fromRows(await readFile(report, "utf8")) : undefined, end);
  if (left.length === 0) return counts;
  const failure = { name: `${group.name}: processes left running`, text: left.join("\n") };
  return { ...counts, failed: counts.failed + 1, failures: [...counts.failures, failure] };
}

/**
 * @typedef {object} HostRun
 * @property {string} name Of its screenshots and logs.
 * @property {string} work Folder of this run alone, deleted at the end; its `profile` folder may be prepared.
 * @property {number} limitMs
 * @property {Omit<import("./server.mjs").ServerOptions, "profile" | "driver">} server
 * @property {import("./server.mjs").Open} open `tests` is the module whose `run` is called.
 * @property {(ask: import("../../test/vscode/ask").Ask, page: import("playwright-core").Page) => Promise<unknown>} onAsk
 *   What the module asks of the page; a result reaches it as JSON.
 */

/**
 * Opens a workspace in a browser VS Code, has its extension host run a module, and ends all of it.
 * @param {HostRun} run
 * @returns {Promise<{ code: number | null, timedOut: boolean, tail: string, left: string[] }>} `code` is VS Code's:
 *   0 where `run` resolved. `left`: processes of this run that outlived it.
 */
export async function inHost({ name, work, limitMs, server: options, open, onAsk }) {
  const asks = path.join(work, "asks");
  const profile = path.join(work, "profile");
  await mkdir(asks);
  /** @type {{ code: number | null, timedOut: boolean }} */
  let end;
  /** @type {string[]} */
  const said = [];
  let server;
  let browser;
  try {
    server = await startServer({
      ...options,
      profile,
      driver: true,
      settings: { "files.autoSave": "off", "editor.accessibilitySupport": "off", ...options.settings },
      env: { ...options.env, REWARDSMITH_TEST_ASKS: asks },
    });
    browser = await launchChromium();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    /** @type {Promise<number>} */
    const exit = new Promise((resolve) => {
      // VS Code's own hooks: called with 0 when `run` resolved, 1 when it rejected or did not load.
      void page.exposeFunction("codeAutomationExit", (/** @type {number} */ code) => resolve(code));
    });
    await page.exposeFunction(
      "codeAutomationLog",
      (/** @type {string} */ type, /** @type {unknown[]} */ args) => {
        const text = args.map(String).join(" ").split("\n").slice(0, 12).join("\n").slice(0, 2000);
        // Native parts of the server aren't built (its install scripts are off); it says so at length and goes on.
        if (!/spdlog|watchdog|Service ?Worker/.test(text)) said.push(`${type}: ${text}`);
      },
    );
    await page.goto(server.url(open), { waitUntil: "commit" });
    const answering = answer(asks, page, onAsk);
    const limit = new Promise((resolve) => {
      setTimeout(resolve, limitMs, undefined).unref();
    });
    const result = await Promise.race([exit, limit]);
    answering.stop();
    end = { code: typeof result === "number" ? result : null, timedOut: result === undefined };
    if (end.code !== 0) await page.screenshot({ path: path.join(out, "shots", `failed-${name}.png`) });
  } finally {
    await browser?.close();
    await server?.stop();
    await keepLogs(profile, name);
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  return { ...end, tail: said.slice(-20).join("\n"), left: await leftOver(work) };
}

/** What the extension host and our channel logged, as an artefact. @param {string} folder @param {string} name */
async function keepLogs(folder, name) {
  const target = path.join(out, "reports", `vscode-${name}.log`);
  await rm(target, { force: true });
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  for (const file of files.filter((one) => /(rewardsmith|exthost)[^/]*\.log$/i.test(one))) {
    const text = await readFile(path.join(folder, file), "utf8").catch(() => "");
    await appendFile(target, `==== ${file}\n${text}\n`);
  }
}

/** @param {import("../vscode.mjs").BrowserVSCode} vscode @param {string} vsix @param {string} profile */
export async function installVsix(vscode, vsix, profile) {
  const { run } = await import("./run.mjs");
  const result = await run(
    vscode.node,
    [
      path.join(vscode.code, "out/server-main.js"),
      ...["--server-data-dir", path.join(profile, "data"), "--user-data-dir", path.join(profile, "user")],
      ...["--extensions-dir", path.join(profile, "extensions"), "--accept-server-license-terms"],
      ...["--install-extension", vsix],
    ],
    { output: "quiet", limitMs: 60_000 },
  );
  if (result.code !== 0) throw new Error(`Installing ${vsix} failed:\n${result.tail}`);
}

/**
 * What a module in the host asks of the page: a file `<n>.json` in the asks folder, answered by `<n>.done`.
 * @param {string} folder @param {import("playwright-core").Page} page @param {HostRun["onAsk"]} onAsk
 */
function answer(folder, page, onAsk) {
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      for (const name of (await readdir(folder)).filter((file) => file.endsWith(".json"))) {
        const file = path.join(folder, name);
        /** @type {import("../../test/vscode/ask").Ask} */
        const ask = JSON.parse(await readFile(file, "utf8"));
        await rm(file);
        const reply = await onAsk(ask, page).then(
          (value) => ({ value: value ?? null }),
          (/** @type {Error} */ error) => ({ problem: error.message }),
        );
        const done = file.replace(/json$/, "done");
        await appendFile(`${done}.part`, JSON.stringify(reply));
        await rename(`${done}.part`, done);
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  // The folder goes away with the run.
  void loop().catch(() => undefined);
  return { stop: () => void (stopped = true) };
}

/**
 * @param {import("../../test/vscode/ask").Ask} ask @param {import("playwright-core").Page} page @param {string} group
 * @returns {Promise<unknown>}
 */
async function carryOut(ask, page, group) {
  switch (ask.what) {
    case "trust":
      await ready(page);
      return grantTrust(page);
    case "screenshot":
      await page.screenshot({ path: path.join(out, "shots", `${group}-${ask.name}.png`) });
      return;
    case "decoration":
      return decoration(page, new RegExp(ask.pattern, "u"));
    case "row":
      return chooseRow(page, ask.text);
    case "button":
      return pressButton(page, ask.text);
    case "notifications":
      return notifications(page);
    case "type":
      return page.keyboard.type(ask.text, { delay: 30 });
    case "press":
      return page.keyboard.press(ask.key);
    default:
      throw new Error(`nobody here can ${JSON.stringify(ask)}`);
  }
}

/**
 * Processes that still have the run's own folder in their command line, working folder or environment (Linux).
 * They are given two seconds to end.
 * @param {string} marker @returns {Promise<string[]>}
 */
export async function leftOver(marker) {
  if (process.platform !== "linux") return [];
  for (let left = 20; ; left--) {
    const found = [];
    for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      if (Number(pid) === process.pid) continue;
      const read = (/** @type {string} */ name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
      const command = await read("cmdline");
      if (command.includes(marker) || (await read("environ")).includes(marker))
        found.push(`${pid} ${command.replaceAll("\0", " ").trim().slice(0, 200)}`);
    }
    if (found.length === 0 || left === 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
