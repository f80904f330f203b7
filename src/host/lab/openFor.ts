import { Uri, commands } from "vscode";
import { isNotebookPath } from "../../core/python/cells";
import { boundTarget } from "../commands/command";
import type { Host } from "../host";
import { LAB_EDITOR } from "../ids";
import type { LabView } from "./labView";

/** The Lab of the reward that a command is meant for, opened where none is; null where it has no samples yet. */
export async function labFor(host: Host, argument: unknown): Promise<LabView | null> {
  const target = await boundTarget(host, argument);
  if (!target) return null;
  const known = host.labs.of(target.path);
  if (known) return known;
  if (isNotebookPath(target.path)) return host.labs.openBeside(target.path);
  await commands.executeCommand("vscode.openWith", Uri.file(target.path), LAB_EDITOR);
  return host.labs.of(target.path);
}
