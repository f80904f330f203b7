import { extensions, type Uri } from "vscode";
import * as z from "zod";
import type { IDisposable } from "../base/lifecycle";

const PYTHON_EXTENSION = "ms-python.python";

/** The little of the Python extension's public API that is used; anything else there is not looked at. */
const Callable = z.custom<(...args: unknown[]) => unknown>((value) => typeof value === "function");
const PythonApi = z.object({
  environments: z.object({
    getActiveEnvironmentPath: Callable,
    onDidChangeActiveEnvironmentPath: Callable.optional(),
    resolveEnvironment: Callable.optional(),
    getEnvironmentVariables: Callable.optional(),
  }),
});
type PythonApi = z.infer<typeof PythonApi>;
const EnvironmentPath = z.object({ path: z.string().min(1) });
const Resolved = z.object({ executable: z.object({ uri: z.object({ fsPath: z.string().min(1) }) }) });
const Variables = z.record(z.string(), z.string().optional());

export interface PythonChoice {
  readonly python: string | null;
  /** What the Python extension's env file adds to our own environment. */
  readonly env: Record<string, string>;
}

async function api(): Promise<PythonApi | null> {
  const extension = extensions.getExtension<unknown>(PYTHON_EXTENSION);
  if (!extension) return null;
  const exported: unknown = extension.isActive ? extension.exports : await extension.activate();
  const parsed = PythonApi.safeParse(exported);
  return parsed.success ? parsed.data : null;
}

/** The interpreter chosen in the Python extension, where that is installed. Never fails. */
export async function pythonFromExtension(resource: Uri | undefined): Promise<PythonChoice> {
  try {
    const python = await api();
    if (!python) return { python: null, env: {} };
    const active: unknown = python.environments.getActiveEnvironmentPath(resource);
    const path = EnvironmentPath.safeParse(active);
    const resolved = Resolved.safeParse(await python.environments.resolveEnvironment?.(active));
    const variables = Variables.safeParse(python.environments.getEnvironmentVariables?.(resource));
    const env: Record<string, string> = {};
    if (variables.success)
      for (const [name, value] of Object.entries(variables.data))
        if (value !== undefined && process.env[name] !== value) env[name] = value;
    return {
      python: resolved.success ? resolved.data.executable.uri.fsPath : path.success ? path.data.path : null,
      env,
    };
  } catch {
    // The other extension's trouble is shown by that extension; we go on with PATH.
    return { python: null, env: {} };
  }
}

export function hasPythonExtension(): boolean {
  return extensions.getExtension(PYTHON_EXTENSION) !== undefined;
}

const DisposableShape = z.object({ dispose: Callable });

export async function onDidChangePython(listener: () => void): Promise<IDisposable | null> {
  try {
    const python = await api();
    const made = DisposableShape.safeParse(python?.environments.onDidChangeActiveEnvironmentPath?.(listener));
    return made.success ? { dispose: () => made.data.dispose() } : null;
  } catch {
    return null;
  }
}
