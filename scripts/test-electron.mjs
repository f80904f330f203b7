// @ts-check
// `npm run test:electron`: the in-host suites in a desktop VS Code, the oldest supported and the newest. It downloads
// them; where it can't, that is said and counted as skipped. What needs a page of the browser VS Code is left out.
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { closingLine, exitCode, fromRows, judge, none, plus, skippedTier } from "./lib/count.mjs";
import { build, ensureInstalled } from "./lib/install.mjs";
import { out, root } from "./lib/paths.mjs";

await ensureInstalled();
await build();
const { downloadAndUnzipVSCode, runTests } = await import("@vscode/test-electron");
const { GROUPS, buildSuites } = await import("./lib/suites.mjs");

/** @type {{ engines: { vscode: string } }} */
const { engines } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
const oldest = engines.vscode.replace(/^\D*/, "");
const entry = await buildSuites();
const group = GROUPS.find(({ trust }) => !trust);
if (!group) throw new Error("no group of suites for a desktop VS Code");

let total = none();
for (const version of [oldest, "stable"]) {
  const counts = await inDesktop(version);
  console.log(
    `VS Code ${version}: ${closingLine(counts)}${counts.reason ? ` (skipped: ${counts.reason})` : ""}`,
  );
  for (const { name, text } of counts.failures) console.log(`  ✗ ${name}\n${text}`);
  total = plus(total, counts);
}
console.log(closingLine(total));
process.exit(total.skipped > 0 && total.failed === 0 ? 0 : exitCode(total));

/** @param {string} version */
async function inDesktop(version) {
  const work = await mkdtemp(path.join(tmpdir(), "rewardsmith-desktop-"));
  try {
    let executable;
    try {
      executable = await downloadAndUnzipVSCode({ version, cachePath: path.join(root, ".vscode-test") });
    } catch (error) {
      return skippedTier(
        `VS Code ${version} can't be downloaded here (${error instanceof Error ? error.message : error}); ` +
          "npm test runs the same suites in the browser VS Code",
      );
    }
    const report = path.join(out, "reports", `desktop-${version}.jsonl`);
    await mkdir(path.dirname(report), { recursive: true });
    await rm(report, { force: true });
    const folder = path.join(work, "math");
    await cp(path.join(root, group?.workspace ?? ""), folder, { recursive: true });
    const code = await runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: root,
      extensionTestsPath: entry,
      launchArgs: [
        folder,
        "--disable-extensions",
        "--disable-workspace-trust",
        `--user-data-dir=${path.join(work, "user")}`,
      ],
      extensionTestsEnv: {
        REWARDSMITH_TEST_REPORT: report,
        REWARDSMITH_TEST_SUITES: path.join(path.dirname(entry), "suites", group?.name ?? ""),
      },
    }).catch(() => 1);
    return judge(existsSync(report) ? fromRows(await readFile(report, "utf8")) : undefined, { code });
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
