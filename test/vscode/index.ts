import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type MochaClass from "mocha";

/**
 * `extensionTestsPath`: VS Code calls `run` in the extension host; a rejection is a failing run. Each result goes
 * to the report at once, one JSON line a test, so that a host that dies leaves what it had. VS Code itself calls
 * a run of no tests a success: whoever reads the report counts them (scripts/lib/count.mjs).
 */
export async function run(): Promise<void> {
  const report = required("REWARDSMITH_TEST_REPORT");
  const folder = required("REWARDSMITH_TEST_SUITES");
  writeFileSync(report, "");
  const row = (value: object): void => appendFileSync(report, `${JSON.stringify(value)}\n`);

  // mocha 12 is an ES module: required from CommonJS it is a namespace.
  const loaded = createRequire(__filename)("mocha") as typeof MochaClass | { default: typeof MochaClass };
  const Mocha = "default" in loaded ? loaded.default : loaded;
  const mocha = new Mocha({
    ui: "tdd",
    timeout: 30_000,
    // As in vitest.config.ts: on a shared machine an editor may be late once.
    retries: process.env["CI"] ? 1 : 0,
    reporter: class extends Mocha.reporters.Base {
      constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
        super(runner, options);
        runner.on("pass", (test) => row({ name: test.fullTitle(), state: "passed", ms: test.duration }));
        runner.on("fail", (test, error: unknown) =>
          row({
            name: test.fullTitle(),
            state: "failed",
            text: error instanceof Error ? error.stack : String(error),
          }),
        );
        runner.on("pending", (test) => row({ name: test.fullTitle(), state: "skipped" }));
        runner.on("end", () => row({ end: true }));
      }
    },
  });
  const grep = process.env["REWARDSMITH_TEST_GREP"];
  if (grep) mocha.grep(new RegExp(grep, "u"));
  for (const name of readdirSync(folder).sort())
    if (name.endsWith(".test.cjs")) mocha.addFile(path.join(folder, name));
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} failed`);
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the suites by npm test`);
  return value;
}
