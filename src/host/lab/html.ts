import { randomBytes } from "node:crypto";
import { type Uri, Uri as UriClass, type Webview } from "vscode";

/** Files of the page's programs by what is open, from the bundler: a `define` of esbuild.mjs. */
declare const LAB_PRELOADS: Readonly<Record<"panel" | "editor", readonly string[]>>;

/** Folders that a webview may load from: its own program, nothing else. */
export function webviewRoots(extension: Uri): Uri[] {
  return [UriClass.joinPath(extension, "dist", "webview")];
}

/**
 * The page of a webview. No data is in it: everything comes by messages. Styles may be inline (Monaco makes them),
 * scripts carry a nonce or come from our folder (lazy chunks), workers are made from bytes that we fetched.
 */
export function webviewHtml(
  webview: Webview,
  extension: Uri,
  program: "lab" | "trajectories",
  mode: "editor" | "panel" | "viewer" | "compare",
  language: string,
): string {
  const nonce = randomBytes(16).toString("base64");
  const at = (file: string): string =>
    webview.asWebviewUri(UriClass.joinPath(extension, "dist", "webview", file)).toString();
  const own = webview.cspSource;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${own}`,
    `style-src ${own} 'unsafe-inline'`,
    `font-src ${own} data:`,
    `img-src ${own} data:`,
    `connect-src ${own}`,
    "worker-src blob:",
  ].join("; ");
  const preloads = (mode === "panel" || mode === "editor" ? LAB_PRELOADS[mode] : []).map(
    (file) => `<link rel="modulepreload" href="${at(file)}">`,
  );
  return `<!DOCTYPE html>
<html lang="${language.replace(/[^\w-]/gu, "")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${at(`${program}.css`)}">
<link rel="modulepreload" href="${at(`${program}.js`)}">
${preloads.join("\n")}
</head>
<body>
<div id="root" data-mode="${mode}"></div>
<script type="module" nonce="${nonce}" src="${at(`${program}.js`)}"></script>
</body>
</html>`;
}
