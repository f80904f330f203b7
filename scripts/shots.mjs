// @ts-check
// `npm run shots`: takes the README's pictures from the product itself and writes them to media/readme. They come
// from nowhere else.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build, ensureInstalled } from "./lib/install.mjs";
import { root } from "./lib/paths.mjs";
import { withoutFilters } from "./lib/png.mjs";
import { startServer } from "./lib/server.mjs";
import { ensureVSCode } from "./vscode.mjs";

await ensureInstalled();
await build(["--production"]);
const { launchChromium } = await import("./lib/chromium.mjs");
const { ready } = await import("./lib/page.mjs");
const { THEMES, prepare, prepareLab, prepareTrajectories, shoot, shootHover, useTheme } =
  await import("./lib/shots.mjs");

const vscode = await ensureVSCode();
const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-shots-"));
const folder = path.join(work, "math");
await cp(path.join(root, "examples/math"), folder, { recursive: true });
const desk = path.join(work, "help-desk");
await cp(path.join(root, "examples/help-desk"), desk, { recursive: true });
const server = await startServer({
  vscode,
  profile: path.join(work, "profile"),
  driver: true,
  settings: { "window.commandCenter": false, "editor.minimap.enabled": false },
  link: { "rewardsmith.rewardsmith-0.1.0": root },
});
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 760 }, deviceScaleFactor: 2 });
  await page.goto(server.url({ folder }), { waitUntil: "commit" });
  await ready(page);
  await prepare(page);
  await useTheme(page, THEMES.dark);
  const target = path.join(root, "media/readme");
  await shoot(page, target, "editor");
  await shootHover(page, target, "hover");
  await prepareLab(page);
  await shoot(page, target, "lab");
  await page.goto(server.url({ folder: desk }), { waitUntil: "commit" });
  await ready(page);
  await prepareTrajectories(page);
  await shoot(page, target, "trajectories");
  for (const name of ["editor", "hover", "lab", "trajectories"]) {
    const file = path.join(target, `${name}.png`);
    await writeFile(file, withoutFilters(await readFile(file)));
  }
  console.log("media/readme: editor.png, hover.png, lab.png, trajectories.png");
} finally {
  await browser.close();
  await server.stop();
  await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
