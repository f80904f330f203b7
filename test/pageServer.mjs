// @ts-check
// Serves a built page with a fake VS Code around it. Loopback only, on a free port.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const built = path.resolve(root, process.env["REWARDSMITH_WEBVIEW"] ?? "dist/webview");
const TYPES = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".ttf": "font/ttf",
  ".html": "text/html",
  ".map": "application/json",
};

/**
 * @typedef {object} Page
 * @property {string} name Of its script and style sheet: `lab` for lab.js and lab.css.
 * @property {string} fake Path of the module that stands in for VS Code.
 * @property {readonly [string, ...string[]]} modes The first where the address names none.
 */

/** @param {Page} page @returns {Promise<{ url: string, close(): Promise<void> }>} */
export async function servePage({ name, fake, modes }) {
  const bundle = await build({
    entryPoints: [fake],
    bundle: true,
    format: "iife",
    write: false,
    target: "es2023",
    logLevel: "warning",
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? "/", "http://localhost")).then(
      ({ body, type }) => {
        response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
        response.end(body);
      },
      () => {
        response.writeHead(404);
        response.end();
      },
    );
  });
  /** @param {URL} url @returns {Promise<{ body: string | Buffer, type: string }>} */
  async function answer(url) {
    if (url.pathname === "/") return { body: await html(name, modes, url.searchParams), type: "text/html" };
    if (url.pathname === "/favicon.ico") return { body: "", type: "image/x-icon" };
    if (url.pathname === "/fake.js") return { body: script, type: "text/javascript" };
    const file = path.normalize(path.join(built, url.pathname));
    if (!file.startsWith(built + path.sep)) throw new Error("outside");
    const type = TYPES[/** @type {keyof typeof TYPES} */ (path.extname(file))] ?? "application/octet-stream";
    return { body: await readFile(file), type };
  }
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param {string} name @param {readonly [string, ...string[]]} modes @param {URLSearchParams} asked */
async function html(name, modes, asked) {
  const theme = asked.get("theme") ?? "dark";
  const mode = modes.find((one) => one === asked.get("mode")) ?? modes[0];
  const known = ["dark", "light", "hc", "hc-light"].includes(theme) ? theme : "dark";
  const { body, kind, variables } = JSON.parse(
    await readFile(path.join(root, "test/labPage", `theme-${known}.json`), "utf8"),
  );
  const style = Object.entries(variables)
    .map(([variable, value]) => `${variable}: ${String(value)}`)
    .join("; ");
  // The policy of the real page, with this origin in place of VS Code's.
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; connect-src 'self'; worker-src blob:";
  return `<!DOCTYPE html>
<html lang="en" style="${style.replaceAll('"', "&quot;")}">
<head><meta charset="utf-8"><title>${name}</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${name}.css"></head>
<body class="${body}" data-vscode-theme-kind="${kind}">
<div id="root" data-mode="${mode}"></div>
<script src="fake.js"></script>
<script type="module" src="${name}.js"></script>
</body></html>`;
}

/** Serves the page until the process ends, where `module` is what was started. @param {string} module @param {() => Promise<{ url: string }>} serve */
export async function serveIfStarted(module, serve) {
  if (process.argv[1] === fileURLToPath(module)) console.log((await serve()).url);
}
