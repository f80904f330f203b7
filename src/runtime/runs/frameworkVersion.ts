import { runCommand, type RunCommand } from "../command";

/** A package's name and the name it is imported by often differ; both are asked for. Nothing of it is imported. */
const ASK = `
import sys
from importlib import metadata
name = sys.argv[1]
try:
    print(metadata.version(name))
except metadata.PackageNotFoundError:
    owners = getattr(metadata, "packages_distributions", dict)().get(name, [])
    print(metadata.version(owners[0]) if owners else "")
`;

/** Installed version of a module's package in an environment; null: not installed, or the interpreter can't be asked. */
export async function frameworkVersion(
  python: string,
  module: string,
  run: RunCommand = runCommand,
): Promise<string | null> {
  try {
    const { code, stdout } = await run(python, ["-I", "-c", ASK, module], { timeoutMs: 30_000 });
    const version = stdout.toString("utf8").trim().split("\n").at(-1) ?? "";
    return code === 0 && version !== "" ? version : null;
  } catch {
    return null;
  }
}
