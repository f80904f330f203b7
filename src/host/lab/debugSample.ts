import {
  ProcessExecution,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  TaskScope,
  Uri,
  commands,
  debug,
  extensions,
  tasks,
  window,
  workspace,
} from "vscode";
import { basename } from "node:path";
import type { LabHost } from "../host";
import { isPython } from "../documents";
import {
  DEBUG_EXTENSION,
  bringsDebugger,
  debugConfiguration,
  type DebugProgram,
} from "../model/debugConfiguration";

type DebugHost = Pick<LabHost, "engine" | "speech">;

/** One sample through one function under the Python debugger: stops at breakpoints in the user's own file. */
export async function debugSample(
  host: DebugHost,
  path: string,
  ask: { readonly row: number; readonly function: string },
): Promise<void> {
  const { t } = host.speech;
  if (!(await savedAll(host, path))) return;
  const program = await (await host.engine.client()).debugJob({ path, ...ask });
  const name = t("{0}, row {1}", ask.function, ask.row + 1);
  const known = extensions.all.map(({ packageJSON }): unknown => packageJSON);
  if (bringsDebugger(known)) {
    const folder = workspace.getWorkspaceFolder(Uri.file(path));
    await debug.startDebugging(folder, debugConfiguration(program, name));
    return;
  }
  const install = t("Show Extension");
  const run = t("Run in Terminal");
  const act = await window.showInformationMessage(
    t("To debug a sample, install the extension Python Debugger ({0}).", DEBUG_EXTENSION),
    install,
    run,
  );
  if (act === install) await commands.executeCommand("extension.open", DEBUG_EXTENSION);
  else if (act === run) await runInTerminal(program, name);
}

/** A debugger runs what is on disk. False: the user kept unsaved changes, or they could not be saved. */
async function savedAll({ speech: { t } }: DebugHost, path: string): Promise<boolean> {
  const dirty = workspace.textDocuments.filter(
    (document) =>
      document.isDirty &&
      document.uri.scheme === "file" &&
      (isPython(document) || document.uri.fsPath === path),
  );
  const [first] = dirty;
  if (!first) return true;
  const save = t("Save and Debug");
  const text =
    dirty.length === 1
      ? t("{0} has unsaved changes. The debugger runs the file on disk.", basename(first.uri.fsPath))
      : t("{0} Python files have unsaved changes. The debugger runs the files on disk.", dirty.length);
  if ((await window.showInformationMessage(text, { modal: true }, save)) !== save) return false;
  const saved = await Promise.all(dirty.map((document) => document.save()));
  return saved.every(Boolean);
}

/** As a task: no shell reads the command line, and the panel stays open when the program has ended. */
async function runInTerminal(program: DebugProgram, name: string): Promise<void> {
  const { python, module, args, cwd, env } = program;
  const task = new Task(
    { type: "process" },
    TaskScope.Workspace,
    name,
    "Rewardsmith",
    new ProcessExecution(python, [module, ...args], { cwd, env: { ...env } }),
    [],
  );
  task.presentationOptions = { reveal: TaskRevealKind.Always, panel: TaskPanelKind.Dedicated, clear: true };
  await tasks.executeTask(task);
}
