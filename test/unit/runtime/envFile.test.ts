import { describe, expect, it } from "vitest";
import { mergeEnv, parseEnvFile } from "../../../src/runtime/envFile";
import { workerEnvironment } from "../../../src/runtime/worker/pythonWorker";

describe("an env file", () => {
  it("is read as the Python extension reads it", () => {
    const text = [
      "\uFEFF# a comment",
      "PLAIN = value with spaces   ",
      "export EXPORTED=1",
      "SINGLE='quoted # not a comment'",
      'DOUBLE="two\\nlines"',
      "EMPTY=",
      "not an assignment",
      "1BAD=x",
      "BASE=/data",
      "JOINED=${BASE}/in:${NOWHERE}:\\${BASE}",
      "EQUALS=a=b=c",
      "UNBALANCED='x",
      "PLAIN=the last one wins",
    ].join("\r\n");
    expect(parseEnvFile(text)).toEqual({
      PLAIN: "the last one wins",
      EXPORTED: "1",
      SINGLE: "quoted # not a comment",
      DOUBLE: "two\nlines",
      EMPTY: "",
      BASE: "/data",
      JOINED: "/data/in::${BASE}",
      EQUALS: "a=b=c",
      UNBALANCED: "'x",
    });
  });

  it("wins over the process's variables, but its search paths only go first", () => {
    const own = { A: "own", PATH: "/bin", PYTHONPATH: "/own", GONE: undefined };
    expect(mergeEnv(own, { A: "file", PYTHONPATH: "/file", PATH: "/opt/bin" }, ":")).toEqual({
      A: "file",
      PATH: "/opt/bin:/bin",
      PYTHONPATH: "/file:/own",
    });
    expect(mergeEnv({}, { PYTHONPATH: "C:\\a" }, ";")).toEqual({ PYTHONPATH: "C:\\a" });
    expect(mergeEnv({ PYTHONPATH: "/own" }, { PYTHONPATH: "" }, ":")).toEqual({ PYTHONPATH: "/own" });
  });

  it("reaches reward code without what is meant for VS Code's own programs", () => {
    const env = workerEnvironment(
      { HOME: "/h", ELECTRON_RUN_AS_NODE: "1", VSCODE_IPC_HOOK: "x", REWARDSMITH_TOKEN: "old" },
      { OPENAI_BASE_URL: "http://localhost" },
    );
    expect(env).toEqual({ HOME: "/h", OPENAI_BASE_URL: "http://localhost", PYTHONHASHSEED: "0" });
    expect(workerEnvironment({ PYTHONHASHSEED: "42" }, {})["PYTHONHASHSEED"]).toBe("42");
  });
});
