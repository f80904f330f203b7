// Writes the JSON Schemas that are derived from src/schema and src/protocol.
// `node scripts/schema.mjs` writes them; `--check` fails where the committed files differ.
import { build } from "esbuild";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const entry = `
export { Frame, ToWorker } from "./src/protocol/worker.contract";
export { WORKER_PROTOCOL } from "./src/schema/worker";
export { REPORT_SCHEMA, ScoreReport } from "./src/schema/report";
export { READ_SCHEMA, ReadReport, TrajectoryReport } from "./src/schema/readReport";
export {
  RUN_REPORT_SCHEMA,
  RunDeleteReport,
  RunListReport,
  RunLogReport,
  RunShowReport,
} from "./src/schema/runReport";
export { Project } from "./src/schema/project";
export { toJSONSchema } from "zod";
`;

async function load() {
  const folder = await mkdtemp(join(tmpdir(), "rewardsmith-schema-"));
  const outfile = join(folder, "schema.mjs");
  try {
    await build({
      stdin: { contents: entry, resolveDir: root, loader: "ts" },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const z = await load();

/** The schema of one form, without its own dialect line. */
function form(schema, io) {
  const whole = z.toJSONSchema(schema, { io });
  delete whole.$schema;
  return whole;
}

const dialect = "https://json-schema.org/draft/2020-12/schema";
const files = {
  "docs/schema/worker.schema.json": {
    $schema: dialect,
    title: `Rewardsmith: engine and Python worker, protocol ${z.WORKER_PROTOCOL}`,
    description: "`request`: lines on the worker's standard input. `frame`: lines that it answers with.",
    $defs: { request: form(z.ToWorker, "input"), frame: form(z.Frame, "input") },
  },
  "docs/schema/score.schema.json": {
    $schema: dialect,
    title: `rewardsmith score --json, form ${z.REPORT_SCHEMA}`,
    ...form(z.ScoreReport, "output"),
  },
  "docs/schema/read.schema.json": {
    $schema: dialect,
    title: `rewardsmith read --json, form ${z.READ_SCHEMA}`,
    anyOf: [form(z.ReadReport, "output"), form(z.TrajectoryReport, "output")],
  },
  "docs/schema/run.schema.json": {
    $schema: dialect,
    title: `rewardsmith run … --json, form ${z.RUN_REPORT_SCHEMA}`,
    description: "`list`, `show` (also start, resume, stop), `logs` and `delete`.",
    $defs: {
      list: form(z.RunListReport, "output"),
      show: form(z.RunShowReport, "output"),
      logs: form(z.RunLogReport, "output"),
      delete: form(z.RunDeleteReport, "output"),
    },
  },
  // VS Code's JSON language service reads draft-07 best, and knows the two `allow` keywords.
  "media/schema/rewardsmith.schema.json": {
    ...z.toJSONSchema(z.Project, { io: "input", target: "draft-7" }),
    title: "rewardsmith.json",
    allowComments: true,
    allowTrailingCommas: true,
  },
};

const check = process.argv.includes("--check");
let stale = false;
for (const [name, schema] of Object.entries(files)) {
  const path = join(root, name);
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (check) {
    const old = await readFile(path, "utf8").catch(() => null);
    if (old === text) continue;
    stale = true;
    console.error(`${name} ${old === null ? "is missing" : "is out of date"}: run node scripts/schema.mjs`);
  } else {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
process.exitCode = stale ? 1 : 0;
