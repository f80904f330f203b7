// Bundles: the extension host's entry (one file, `vscode` external) and the Node programs
// (engine and command line, ESM with splitting so that heavy parsers load when first needed).
import { build } from "esbuild";
import path from "node:path";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";

const production = process.argv.includes("--production");
await rm("dist", { recursive: true, force: true });

const common = {
  bundle: true,
  format: "esm",
  platform: "node",
  minify: production,
  sourcemap: production ? false : "linked",
  metafile: true,
  // jsonc-parser's `main` is UMD, whose own require() a bundler can't follow.
  mainFields: ["module", "main"],
  logLevel: "warning",
  // Bundled CommonJS packages may call require(); ESM has none of its own.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
};

/** No program writes a JSON Schema of what it parses: scripts/schema.mjs does, from the sources. */
const noJsonSchema = {
  name: "no-json-schema",
  /** @param {import("esbuild").PluginBuild} build */
  setup(build) {
    const filter = /[/\\]zod[/\\]v4[/\\]core[/\\](to-json-schema|json-schema-processors)\.js$/;
    build.onLoad({ filter }, () => ({
      contents: `module.exports = new Proxy({}, {
        get: (_, name) => name === "__esModule" || (() => { throw new Error("No JSON Schema here: " + String(name)); }),
      });`,
    }));
  },
};

const node = await build({
  ...common,
  entryPoints: {
    engine: "src/engine/main.ts",
    cli: "src/cli/main.ts",
    trajectoryThread: "src/runtime/trajectories/thread.ts",
    // Outlives the editor: a training run's supervisor.
    supervisor: "src/runtime/runs/supervisor.ts",
  },
  outdir: "dist/node",
  chunkNames: "chunks/[name]-[hash]",
  splitting: true,
  target: "node20",
});

// Web pages: ESM with splitting (Monaco is a lazy chunk); fonts are files beside them.
const page = {
  bundle: true,
  platform: "browser",
  target: "es2023",
  minify: production,
  sourcemap: production ? false : "linked",
  metafile: true,
  logLevel: "warning",
  legalComments: "none",
};
/** Monaco brings an icon font of its own: the page's, which has the same glyphs and more, serves both. */
const oneIconFont = {
  name: "one-icon-font",
  /** @param {import("esbuild").PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /codicon\.ttf/ }, () => ({
      path: path.resolve("node_modules/@vscode/codicons/dist/codicon.ttf"),
    }));
  },
};
const webview = await build({
  ...page,
  format: "esm",
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".ttf": "file" },
  assetNames: "[name]",
  chunkNames: "chunks/[name]-[hash]",
  entryPoints: { lab: "webview/lab/main.tsx", trajectories: "webview/trajectories/main.tsx" },
  outdir: "dist/webview",
  plugins: [oneIconFont, noJsonSchema],
});
// lab.css has the styles of what loads later as well; copies of them beside the chunks are loaded by nobody.
for (const file of await readdir("dist/webview/chunks"))
  if (/\.css(\.map)?$/u.test(file)) await rm(path.join("dist/webview/chunks", file));
// Monaco's worker: one file, fetched by the page and started from its bytes.
await build({
  ...page,
  format: "iife",
  entryPoints: { "editor.worker": "node_modules/monaco-editor/esm/vs/editor/editor.worker.js" },
  outdir: "dist/webview",
});

/** Files below dist/webview that a program imports, and those behind them; `lazily`: what it loads by `import()`. */
const loadedBy = (/** @type {string} */ entry, lazily = false, known = new Set()) => {
  for (const { path: file, kind } of webview.metafile.outputs[`dist/webview/${entry}`]?.imports ?? []) {
    const name = file.replace(/^dist\/webview\//u, "");
    // Charts are drawn by one tab alone.
    if (known.has(name) || (kind === "dynamic-import" && (!lazily || /uPlot/u.test(name)))) continue;
    known.add(name);
    loadedBy(name, lazily, known);
  }
  return known;
};
const host = await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  target: "node22",
  external: ["vscode"],
  plugins: [noJsonSchema],
  // The page's HTML names what is needed first, so that it loads side by side, not one after the other.
  define: {
    LAB_PRELOADS: JSON.stringify({ panel: [...loadedBy("lab.js")], editor: [...loadedBy("lab.js", true)] }),
  },
});

await mkdir("dist/meta", { recursive: true });
await writeFile("dist/meta/host.json", JSON.stringify(host.metafile));
await writeFile("dist/meta/node.json", JSON.stringify(node.metafile));
await writeFile("dist/meta/webview.json", JSON.stringify(webview.metafile));
await cp("python/rewardsmith_worker", "dist/python/rewardsmith_worker", {
  recursive: true,
  filter: (path) => !path.includes("__pycache__"),
});
