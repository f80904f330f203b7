// @ts-check
// `npm start`: installs, builds and opens a folder with the extension, in the desktop VS Code where `code` is on
// PATH, else in a browser VS Code that runs until Ctrl-C.
//   --folder PATH   another folder than examples/math
//   --browser       the browser VS Code even where there is a desktop one
//   --no-open       only print the address
import { createHash, randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { onPath } from "./lib/chromium.mjs";
import { build, ensureInstalled } from "./lib/install.mjs";
import { cacheDir, root } from "./lib/paths.mjs";
import { run } from "./lib/run.mjs";
import { freePort, isFree, startServer } from "./lib/server.mjs";
import { ensureVSCode } from "./vscode.mjs";

/** The workbench keeps its state in the browser by address, so the port stays the same where it can. */
const PORT = 8467;

const args = process.argv.slice(2);
const named = args.includes("--folder") ? args[args.indexOf("--folder") + 1] : undefined;
const folder = path.resolve(
  process.env["INIT_CWD"] ?? process.cwd(),
  named ?? path.join(root, "examples/math"),
);
if (!existsSync(folder) || !statSync(folder).isDirectory()) {
  console.error(`There is no folder ${folder}. Give one by: npm start -- --folder PATH`);
  process.exit(2);
}
const reward = path.join(folder, "reward.py");
const file = existsSync(reward) ? reward : undefined;

await ensureInstalled();
await build();

const desktop = args.includes("--browser") ? undefined : onPath(["code"]);
if (desktop) {
  const target = [`--extensionDevelopmentPath=${root}`, folder, ...(file ? [file] : [])];
  const shell = process.platform === "win32";
  const { code } = shell
    ? await run(process.env["ComSpec"] ?? "cmd.exe", ["/d", "/c", desktop, ...target])
    : await run(desktop, target);
  if (code === 0) {
    console.log(`Opened ${folder} in your VS Code (${desktop}).`);
    process.exit(0);
  }
  console.error(`"code" ended with ${code}; opening the browser VS Code.`);
}

try {
  await startBrowser();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(3);
}

async function startBrowser() {
  const vscode = await ensureVSCode();
  /** @type {{ publisher: string, name: string, version: string }} */
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const server = await startServer({
    vscode,
    // One for each checkout: the extension of one must not appear in the window of another.
    profile: path.join(cacheDir(), `profile-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`),
    port: (await isFree(PORT)) ? PORT : await freePort(),
    token: randomBytes(16).toString("hex"),
    trust: true,
    // The browser VS Code would open a new folder restricted without a word.
    settings: { "security.workspace.trust.startupPrompt": "always" },
    link: { [`${publisher}.${name}-${version}`]: root },
  });
  const url = server.url({ folder, ...(file ? { file } : {}) });
  console.log(
    `\nOpened ${folder} in a browser VS Code ${vscode.version}:\n\n  ${url}\n\nTrust the folder when asked: nothing runs before. Ctrl-C ends it.`,
  );
  if (!args.includes("--no-open") && !process.env["CI"]) openInBrowser(url);

  let stopping = false;
  const stop = () => {
    stopping = true;
    void server.stop().then(() => process.exit(0));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  const code = await server.ended;
  if (!stopping) console.error(`The browser VS Code ended (${code ?? "signal"}). Its log: ${server.log}`);
}

/** Best effort: the address is printed anyway. @param {string} url */
function openInBrowser(url) {
  const [program, ...first] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["rundll32", "url.dll,FileProtocolHandler"]
        : process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"]
          ? ["xdg-open"]
          : [];
  if (!program) return;
  const opener = spawn(program, [...first, url], { stdio: "ignore", detached: true });
  opener.once("error", () => undefined);
  opener.unref();
}
