/** One sample's call as a program, as the engine's `debugJob` gives it. */
export interface DebugProgram {
  readonly python: string;
  readonly module: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Of the debugger that runs it. */
export const DEBUG_TYPE = "debugpy";
/** The extension that brings it. */
export const DEBUG_EXTENSION = "ms-python.debugpy";

/** What `debug.startDebugging` is given: exactly one process, in a terminal so that `input()` works. */
export function debugConfiguration(program: DebugProgram, name: string): Record<string, unknown> & Head {
  return {
    type: DEBUG_TYPE,
    request: "launch",
    name,
    python: program.python,
    program: program.module,
    args: [...program.args],
    cwd: program.cwd,
    env: { ...program.env },
    console: "integratedTerminal",
    justMyCode: true,
    subProcess: false,
    // Stepping out of the reward ends; it doesn't lead into our program.
    rules: [{ path: `${folderOf(program.module)}/**`, include: false }],
  };
}

interface Head {
  readonly type: string;
  readonly request: string;
  readonly name: string;
}

/** Whether one of these manifests brings a debugger of our type. Manifests are others' JSON: anything may stand there. */
export function bringsDebugger(manifests: readonly unknown[]): boolean {
  return manifests.some((manifest) => {
    const debuggers = member(member(manifest, "contributes"), "debuggers");
    return Array.isArray(debuggers) && debuggers.some((one) => member(one, "type") === DEBUG_TYPE);
  });
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}

function folderOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/u, "").replaceAll("\\", "/");
}
