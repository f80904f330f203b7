import { describe, expect, test } from "vitest";
import { bringsDebugger, debugConfiguration } from "../../../src/host/model/debugConfiguration";

describe("what a debugger is given", () => {
  const program = {
    python: "C:\\py\\python.exe",
    module: "C:\\ext\\python\\rewardsmith_worker\\debug.py",
    args: ["C:\\store\\a b.json"],
    cwd: "C:\\work",
    env: { MODE: "x" },
  };

  test("one process, one program, arguments as a list that no shell reads", () => {
    const configuration = debugConfiguration(program, "correctness, row 17");
    expect(configuration).toMatchObject({
      type: "debugpy",
      request: "launch",
      name: "correctness, row 17",
      python: program.python,
      program: program.module,
      args: ["C:\\store\\a b.json"],
      console: "integratedTerminal",
      subProcess: false,
      justMyCode: true,
    });
    expect(configuration["rules"]).toEqual([{ path: "C:/ext/python/rewardsmith_worker/**", include: false }]);
    expect(configuration["env"]).not.toBe(program.env);
  });

  test("a debugger is found by the type that it brings, whatever else a manifest holds", () => {
    const manifest = (type: unknown) => ({ contributes: { debuggers: [{ type }] } });
    expect(bringsDebugger([null, 3, {}, { contributes: { debuggers: {} } }, manifest("node")])).toBe(false);
    expect(bringsDebugger([manifest(["debugpy"])])).toBe(false);
    expect(bringsDebugger([manifest("node"), manifest("debugpy")])).toBe(true);
  });
});
