import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/lib/paths.mjs";
import { pack, packedFiles } from "../../scripts/package.mjs";

/** What esbuild says of a bundle: every input and what it imports. */
interface Metafile {
  readonly inputs: Readonly<
    Record<
      string,
      {
        readonly bytes: number;
        readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
      }
    >
  >;
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly bytes: number;
        readonly imports: readonly { readonly path: string; readonly kind: string }[];
      }
    >
  >;
}
const metafile = async (name: string): Promise<Metafile> =>
  JSON.parse(await readFile(path.join(root, "dist/meta", `${name}.json`), "utf8")) as Metafile;

let packed: { file: string; bytes: number };
beforeAll(async () => {
  packed = await pack();
}, 120_000);

describe("the package", () => {
  it("holds these files and no others", async () => {
    // Chunk names carry a hash of their content, and Python modules come and go: their folders stand for them.
    const files = (await packedFiles()).map((file) =>
      file
        .replace(/^dist\/node\/chunks\/.*\.js$/, "dist/node/chunks/*.js")
        .replace(/^dist\/webview\/chunks\/.*\.js$/, "dist/webview/chunks/*.js")
        .replace(/^(dist\/python\/.*\/).*\.py$/, "$1*.py"),
    );
    expect([...new Set(files)].sort()).toMatchInlineSnapshot(`
      [
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "dist/extension.js",
        "dist/node/chunks/*.js",
        "dist/node/cli.js",
        "dist/node/engine.js",
        "dist/node/supervisor.js",
        "dist/node/trajectoryThread.js",
        "dist/python/rewardsmith_worker/*.py",
        "dist/webview/chunks/*.js",
        "dist/webview/codicon.ttf",
        "dist/webview/editor.worker.js",
        "dist/webview/lab.css",
        "dist/webview/lab.js",
        "dist/webview/trajectories.css",
        "dist/webview/trajectories.js",
        "l10n/bundle.l10n.json",
        "media/gutter/hit-dark.svg",
        "media/gutter/hit-light.svg",
        "media/gutter/never-dark.svg",
        "media/gutter/never-light.svg",
        "media/icon.png",
        "media/icon.svg",
        "media/schema/rewardsmith.schema.json",
        "media/walkthrough/keep.svg",
        "media/walkthrough/lab.svg",
        "media/walkthrough/open.svg",
        "media/walkthrough/pin.svg",
        "media/walkthrough/samples.svg",
        "media/walkthrough/type.svg",
        "package.json",
        "package.nls.json",
      ]
    `);
  }, 60_000);

  it("holds every picture, icon and schema that the product uses", async () => {
    const files = await packedFiles();
    const media = (await readdir(path.join(root, "media"), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
      // The README's pictures are shown from the repository.
      .filter((file) => !file.startsWith("media/readme/"));
    expect(media.filter((file) => !files.includes(file))).toEqual([]);
  }, 60_000);

  it("is at most 6 MB, its host bundle at most 400 kB", async () => {
    const host = await stat(path.join(root, "dist/extension.js"));
    expect(packed.bytes).toBeLessThanOrEqual(6_000_000);
    expect(host.size).toBeLessThanOrEqual(400_000);
  });

  it("holds no source map, and no path of the machine that built it", async () => {
    for (const file of [
      "dist/extension.js",
      "dist/node/engine.js",
      "dist/node/cli.js",
      "dist/node/supervisor.js",
    ]) {
      const text = await readFile(path.join(root, file), "utf8");
      expect(text, file).not.toContain("sourceMappingURL");
      expect(text, file).not.toContain(root);
    }
  });
});

describe("what each bundle may hold", () => {
  it("the host has no parser, engine, runtime or service in it", async () => {
    const inputs = Object.keys((await metafile("host")).inputs);
    expect(inputs).toContain("src/extension.ts");
    const rooms = new Set(inputs.flatMap((file) => /^src\/(\w+)\//.exec(file)?.[1] ?? []));
    for (const room of ["formats", "services", "runtime", "engine", "cli"])
      expect([...rooms]).not.toContain(room);
    expect(inputs.filter((file) => /hyparquet|playwright|mocha/.test(file))).toEqual([]);
  });

  it("the engine and the command line don't import vscode", async () => {
    const { inputs } = await metafile("node");
    const vscode = Object.entries(inputs).filter(([, { imports }]) =>
      imports.some((i) => i.path === "vscode"),
    );
    expect(vscode.map(([file]) => file)).toEqual([]);
    expect(Object.keys(inputs).filter((file) => file.startsWith("src/host/"))).toEqual([]);
  });

  it("a page has no vscode, no Node, and none of the rooms behind the protocol", async () => {
    const { inputs } = await metafile("webview");
    expect(Object.keys(inputs)).toContain("webview/lab/main.tsx");
    const rooms = new Set(Object.keys(inputs).flatMap((file) => /^src\/(\w+)\//.exec(file)?.[1] ?? []));
    for (const room of ["formats", "services", "runtime", "engine", "cli", "host"])
      expect([...rooms]).not.toContain(room);
    const external = Object.entries(inputs).flatMap(([file, { imports }]) =>
      imports.filter((one) => /^(vscode|node:.*)$/u.test(one.path)).map(() => file),
    );
    expect(external).toEqual([]);
  });

  it("Monaco is in no other bundle, and not in what a page loads first", async () => {
    for (const name of ["host", "node"])
      expect(Object.keys((await metafile(name)).inputs).filter((file) => /monaco/.test(file))).toEqual([]);
    const { outputs } = await metafile("webview");
    const bundled = outputs as Record<string, { inputs?: Record<string, unknown> }>;
    const entries = Object.keys(outputs).filter((file) => /\/(lab|trajectories)\.js$/u.test(file));
    expect(entries).toHaveLength(2);
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { path: next, kind } of outputs[file]?.imports ?? [])
        if (kind === "import-statement" && outputs[next]) visit(next);
    };
    for (const entry of entries) visit(entry);
    const first = [...seen].flatMap((file) => Object.keys(bundled[file]?.inputs ?? {}));
    expect(first.filter((input) => /monaco-editor/.test(input))).toEqual([]);
  });

  it("the command line starts without the Parquet and CSV readers: they load when first needed", async () => {
    const { outputs } = await metafile("node");
    const cli = Object.keys(outputs).find((file) => file.endsWith("/cli.js"));
    const atStart = new Set<string>();
    const visit = (file: string): void => {
      if (atStart.has(file)) return;
      atStart.add(file);
      for (const { path: next, kind } of outputs[file]?.imports ?? [])
        if (kind === "import-statement" && outputs[next]) visit(next);
    };
    visit(cli!);
    const bundled = outputs as Record<string, { inputs?: Record<string, unknown> }>;
    const heavy = [...atStart].flatMap((file) =>
      Object.keys(bundled[file]?.inputs ?? {}).filter((input) => /hyparquet|src\/formats\/csv/.test(input)),
    );
    expect(heavy).toEqual([]);
  });
});
