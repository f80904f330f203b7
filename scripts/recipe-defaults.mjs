// @ts-check
// Writes the defaults of trainers' own configurations that the recipes compare with, read from the frameworks
// themselves: `node scripts/recipe-defaults.mjs`. Needs the TRL environment (scripts/frameworks.mjs) and PyPI.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ensureEnvironment, FRAMEWORK_ENV } from "./frameworks.mjs";
import { cacheDir, root } from "./lib/paths.mjs";
import { findPython } from "./lib/python.mjs";

const exec = promisify(execFile);

/** The last release of each minor version that the recipe speaks of. */
export const TRL_VERSIONS = [
  "1.0.0",
  "1.1.0",
  "1.2.0",
  "1.3.0",
  "1.4.0",
  "1.5.1",
  "1.6.0",
  "1.7.1",
  "1.8.0",
  "1.9.2",
  "1.10.0",
  "1.11.0",
  "1.12.0",
  "1.13.0",
  "1.14.2",
  "1.15.0",
  "1.16.0",
];

/** Fields of GRPOConfig with their defaults, as the class itself says: before `__post_init__` fills any in. */
const READ = `
import dataclasses, enum, json
from trl.trainer.grpo_config import GRPOConfig
import transformers, trl

def plain(value):
    if isinstance(value, enum.Enum):
        return value.value
    json.dumps(value, allow_nan=False)
    return value

keys = {}
for field in dataclasses.fields(GRPOConfig):
    if field.default is not dataclasses.MISSING:
        keys[field.name] = plain(field.default)
    elif field.default_factory is not dataclasses.MISSING:
        keys[field.name] = plain(field.default_factory())
found = {"trl": trl.__version__, "transformers": transformers.__version__, "keys": keys}
print("@@" + json.dumps(found))
`;

/**
 * Folder for PYTHONPATH in which this release of TRL lies, without what it depends on: that comes from the environment.
 * @param {string} version
 */
export async function trlFolder(version) {
  const folder = path.join(cacheDir(), "frameworks", "trl-releases", version);
  if (existsSync(path.join(folder, "trl", "__init__.py"))) return folder;
  const python = await findPython();
  if (!python) throw new Error("No Python here to install TRL with.");
  await rm(folder, { recursive: true, force: true });
  const args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
  await exec(python.path, [...args, "--target", folder, `trl==${version}`], { timeout: 300_000 });
  return folder;
}

/** What reads the configurations of verl, NeMo RL and prime-rl as they do themselves; light, no GPU packages. */
const CONFIG_PACKAGES = [
  "hydra-core==1.3.8",
  "pyyaml",
  "pydantic",
  "prime-pydantic-config>=0.4.3",
  "renderers>=0.1.9",
  "tomli",
  "tomli-w",
  "verifiers==0.4.0",
];
const VERL = "0.9.1";

/**
 * An interpreter with those packages, and the folder of verl's own; made where it isn't there yet.
 * @param {string} base interpreter, Python 3.12 for prime-rl
 */
export async function configEnvironment(base) {
  const lines = [...CONFIG_PACKAGES, VERL].join("\n");
  const hash = createHash("sha256").update(lines).digest("hex").slice(0, 12);
  const venv = path.join(cacheDir(), "frameworks", `configs-${hash}`);
  const python = path.join(
    venv,
    ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]),
  );
  const verl = path.join(venv, "verl-wheel");
  const complete = path.join(venv, "complete");
  if (!existsSync(complete)) {
    await rm(venv, { recursive: true, force: true });
    await exec(base, ["-m", "venv", venv], { timeout: 300_000 });
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    await exec(python, [...pip, ...CONFIG_PACKAGES], { timeout: 600_000 });
    await exec(python, [...pip, "--no-deps", "--target", verl, `verl==${VERL}`], { timeout: 300_000 });
    await writeFile(complete, lines);
  }
  return { python, verl };
}

/** @param {string} python @param {string} version */
async function read(python, version) {
  const env = { ...process.env, ...FRAMEWORK_ENV, PYTHONPATH: await trlFolder(version) };
  const { stdout } = await exec(python, ["-W", "ignore", "-c", READ], { env, timeout: 300_000 });
  const found = JSON.parse(stdout.slice(stdout.indexOf("@@") + 2));
  if (found.trl !== version) throw new Error(`asked for TRL ${version}, got ${String(found.trl)}`);
  return found;
}

async function main() {
  const environment = await ensureEnvironment("trl", console.log);
  if ("skip" in environment) throw new Error(`${environment.skip} (${environment.install})`);
  /** @type {Record<string, unknown[][]>} key → [version since, default], or [version since] where it is gone */
  const keys = {};
  let transformers = "";
  for (const version of TRL_VERSIONS) {
    const found = await read(environment.python, version);
    transformers = found.transformers;
    for (const [key, value] of Object.entries(found.keys)) {
      const history = (keys[key] ??= []);
      const last = history.at(-1);
      if (!last || last.length === 1 || JSON.stringify(last[1]) !== JSON.stringify(value))
        history.push([version, value]);
    }
    for (const [key, history] of Object.entries(keys)) {
      if (!(key in found.keys) && history.at(-1)?.length === 2) history.push([version]);
    }
    console.log(`TRL ${version}: ${String(Object.keys(found.keys).length)} keys`);
  }
  const sorted = Object.fromEntries(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : 1)));
  const lines = Object.entries(sorted).map(([k, v]) => `    ${JSON.stringify(k)}: ${JSON.stringify(v)}`);
  const head = JSON.stringify({
    framework: "trl",
    with: `transformers ${transformers}`,
    versions: TRL_VERSIONS,
  });
  const file = path.join(root, "src/core/runs/recipes/defaults/trl.json");
  await writeFile(file, `${head.slice(0, -1)},"keys":{\n${lines.join(",\n")}\n}}\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
