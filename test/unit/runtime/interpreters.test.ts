import { describe, expect, it } from "vitest";
import { describeInterpreter, findInterpreters, isTooOld } from "../../../src/runtime/interpreters";
import type { RunCommand } from "../../../src/runtime/command";

const there =
  (...paths: string[]) =>
  (path: string): Promise<boolean> =>
    Promise.resolve(paths.includes(path));

describe("interpreters", () => {
  it("are tried in order: active environment, the folder's, PATH", async () => {
    const found = await findInterpreters({
      setting: null,
      env: { VIRTUAL_ENV: "/envs/a", PATH: "/usr/local/bin:relative:/usr/bin:" },
      folders: ["/w", "/v"],
      platform: "linux",
      isExecutable: there(
        "/envs/a/bin/python",
        "/w/venv/bin/python",
        "/v/.venv/bin/python",
        "/usr/bin/python3",
        "/usr/bin/python",
        "relative/python3",
      ),
    });
    expect(found).toEqual([
      { path: "/envs/a/bin/python", source: "VIRTUAL_ENV" },
      { path: "/w/venv/bin/python", source: "folder" },
      { path: "/v/.venv/bin/python", source: "folder" },
      { path: "/usr/bin/python3", source: "PATH" },
      { path: "/usr/bin/python", source: "PATH" },
    ]);
  });

  it("are named once even where two ways lead to them", async () => {
    const found = await findInterpreters({
      setting: null,
      env: { VIRTUAL_ENV: "/w/.venv", PATH: "/w/.venv/bin" },
      folders: ["/w"],
      platform: "darwin",
      isExecutable: there("/w/.venv/bin/python"),
    });
    expect(found).toEqual([{ path: "/w/.venv/bin/python", source: "VIRTUAL_ENV" }]);
  });

  it("are only the setting where there is one, though it may not be there", async () => {
    const search = {
      setting: "/gone/bin/python",
      env: { PATH: "/usr/bin" },
      folders: [],
      platform: "linux" as const,
    };
    expect(await findInterpreters({ ...search, isExecutable: there("/usr/bin/python3") })).toEqual([
      { path: "/gone/bin/python", source: "setting" },
    ]);
  });

  it("have other names on Windows, the launcher last", async () => {
    const found = await findInterpreters({
      setting: null,
      env: { Path: "C:\\Windows;C:\\Py 3" },
      folders: ["D:\\my runs (v2)"],
      platform: "win32",
      isExecutable: there(
        "C:\\Windows\\py.exe",
        "C:\\Py 3\\python.exe",
        "D:\\my runs (v2)\\.venv\\Scripts\\python.exe",
      ),
    });
    expect(found).toEqual([
      { path: "D:\\my runs (v2)\\.venv\\Scripts\\python.exe", source: "folder" },
      { path: "C:\\Py 3\\python.exe", source: "PATH" },
      { path: "C:\\Windows\\py.exe", source: "launcher" },
    ]);
  });

  it("are too old below 3.9", () => {
    expect(
      [
        [2, 7, 18],
        [3, 8, 18],
        [3, 9, 0],
        [3, 13, 0],
        [4, 0, 0],
      ].map(isTooOld),
    ).toEqual([true, true, false, false, false]);
  });

  const answering =
    (stdout: string, code = 0, stderr = ""): RunCommand =>
    () =>
      Promise.resolve({ code, stdout: Buffer.from(stdout), stderr });

  it("say what they are, whatever a site customisation prints before", async () => {
    const answer = '{"version":[3,12,1],"executable":"/v/bin/python","prefix":"/v","basePrefix":"/usr"}';
    expect(await describeInterpreter("/v/bin/python", answering(`hello\n${answer}\n`))).toEqual(
      JSON.parse(answer),
    );
  });

  it("that can't say what they are fail with what they wrote", async () => {
    await expect(describeInterpreter("/p", answering("", 1, "no module encodings"))).rejects.toMatchObject({
      code: "PythonFailed",
      detail: { path: "/p", stderr: "no module encodings" },
    });
  });
});
