import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeInterpreter } from "../../../src/runtime/interpreters";
import { MODES, folder, job, marked, python, run, samples, start, until, write } from "./harness";

/** Case L01: a virtual environment (its `python` is a link) that holds packages of its own. */
function environment(packages: Record<string, string>): { path: string; site: string; make: () => void } {
  const place = join(folder(), ".venv");
  const path = join(place, "bin", "python");
  const make = (): void => {
    execFileSync(python, ["-m", "venv", "--without-pip", place]);
    const lib = join(place, "lib");
    const site = join(lib, readdirSync(lib)[0]!, "site-packages");
    for (const [name, source] of Object.entries(packages)) write(join(site, name, "__init__.py"), source);
  };
  make();
  return { path, site: place, make };
}

const USES_PACKAGE =
  "import tinypack\ndef reward(completions, **kwargs):\n    return [float(tinypack.SCORE)] * len(completions)\n";

describe.runIf(process.platform !== "win32").each(MODES)("environments, in %s mode", (mode) => {
  it("L01: uses the environment's packages, says when it has gone, and works when it is back", async () => {
    const { path, site, make } = environment({ tinypack: "SCORE = 42\n" });
    expect(readlinkSync(path)).not.toBe("");
    const { worker, root } = start(mode, { python: path });
    const reward = write(join(root, "reward.py"), USES_PACKAGE);
    await samples(worker, ["a"]);

    const ready = await worker.ready();
    expect(ready.python.executable).toBe(path);
    expect(ready.python.prefix).toBe(site);
    expect(ready.python.prefix).not.toBe(ready.python.basePrefix);
    const first = await run(worker, job(reward, ["reward"], [[0]]));
    expect(first.values).toEqual([42]);
    expect(first.loaded?.thirdParty).toContain("tinypack");

    rmSync(site, { recursive: true });
    await expect(worker.ready()).rejects.toMatchObject({ code: "PythonMissing", detail: { path } });
    await expect(run(worker, job(reward, ["reward"], [[0]]))).rejects.toMatchObject({
      code: "PythonMissing",
      detail: { path },
    });
    expect(worker.mode).toBe("none");

    make();
    expect((await run(worker, job(reward, ["reward"], [[0]]))).values).toEqual([42]);
  });

  it("names the missing package", async () => {
    const { worker, root } = start(mode);
    const reward = write(join(root, "reward.py"), USES_PACKAGE);
    await samples(worker, ["a"]);
    const { end, frames } = await run(worker, job(reward, ["reward"], [[0]]));
    expect(end.reason).toBe("load-failed");
    expect(frames[0]).toMatchObject({ t: "loadFailed", kind: "import", module: "tinypack" });
  });

  it("loads ahead what a pass imported, in the background, so that later passes are quick", async () => {
    const { path } = environment({ slowpack: "import time\ntime.sleep(0.7)\n" });
    const { worker, root } = start(mode, { python: path });
    const reward = write(
      join(root, "reward.py"),
      "import slowpack\ndef reward(completions, **kwargs):\n    return [1.0]\n",
    );
    await samples(worker, ["a"]);
    const first = await run(worker, job(reward, ["reward"], [[0]]));
    expect(first.loaded?.ms).toBeGreaterThan(700);
    // Not in the way of the next pass, which imports it itself.
    const second = await run(worker, job(reward, ["reward"], [[0]]));
    expect(second.end.reason).toBe("done");
    await until("it is loaded ahead", () => worker.describe().preload.includes("slowpack"));
    await until(
      "the old processes are gone",
      () => marked(worker.marker).length <= (mode === "fork" ? 1 : 2),
    );
    const third = await run(worker, job(reward, ["reward"], [[0]]));
    expect(third.values).toEqual([1]);
    expect(third.loaded?.ms).toBeLessThan(400);
  });

  it("goes on without loading ahead what breaks a fresh process", async () => {
    const { path } = environment({
      badpack: "import os, sys\nif not os.environ.get('REWARDSMITH_JOB'):\n    os._exit(9)\n",
    });
    const { worker, root, log } = start(mode, { python: path });
    const reward = write(
      join(root, "reward.py"),
      "import badpack\ndef reward(completions, **kwargs):\n    return [1.0]\n",
    );
    await samples(worker, ["a"]);
    expect((await run(worker, job(reward, ["reward"], [[0]]))).values).toEqual([1]);
    await until("it was tried", () => log.some((line) => line.includes("badpack")));
    expect((await run(worker, job(reward, ["reward"], [[0]]))).values).toEqual([1]);
    expect(worker.describe().preload).toEqual([]);
  });

  it("starts workers and one guardian, and no other program", async () => {
    const log = join(folder(), "calls");
    const bin = join(folder(), "python");
    write(bin, `#!/bin/sh\necho "$*" >> '${log}'\nexec '${python}' "$@"\n`);
    execFileSync("chmod", ["+x", bin]);
    const { worker, root } = start(mode, { python: bin });
    const reward = write(join(root, "reward.py"), "def reward(completions, **kwargs):\n    return [1.0]\n");
    await samples(worker, ["a"]);
    for (let n = 0; n < 3; n++)
      expect((await run(worker, job(reward, ["reward"], [[0]]))).end.reason).toBe("done");
    worker.dispose();
    await worker.stopped;
    const calls = readFileSync(log, "utf8").trim().split("\n");
    const workers = calls.filter((call) => call.endsWith("rewardsmith_worker"));
    expect(calls.filter((call) => call.includes("guardian.py"))).toHaveLength(1);
    expect(workers.length).toBe(calls.length - 1);
    if (mode === "fork") expect(workers).toHaveLength(1);
    else expect(workers.length).toBeLessThanOrEqual(5);
  });

  it("fails with the end of what Python wrote where it ends before it is ready", async () => {
    const bin = join(folder(), "python");
    write(bin, "#!/bin/sh\necho 'no module named encodings' >&2\nexit 3\n");
    execFileSync("chmod", ["+x", bin]);
    const { worker } = start(mode, { python: bin });
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(worker.ready()).rejects.toMatchObject({
        code: "PythonFailed",
        detail: { path: bin, stderr: expect.stringContaining("no module named encodings") as string },
      });
  });

  it("fails where Python doesn't answer", async () => {
    const bin = join(folder(), "python");
    write(bin, "#!/bin/sh\nexec sleep 600\n");
    execFileSync("chmod", ["+x", bin]);
    const { worker } = start(mode, { python: bin, startTimeoutMs: 500 });
    await expect(worker.ready()).rejects.toMatchObject({ code: "PythonFailed" });
  });

  it.each([
    ["isn't there", "/nowhere/bin/python", "PythonMissing"],
    ["isn't on PATH", "no-such-python-anywhere", "PythonMissing"],
    ["is no program", "/etc/passwd", "PythonFailed"],
  ])("fails where the interpreter %s", async (_, path, code) => {
    const { worker } = start(mode, { python: path });
    await expect(worker.ready()).rejects.toMatchObject({ code, detail: { path } });
    await expect(worker.run(job("/r.py", ["f"], [[0]]), () => undefined)).rejects.toMatchObject({ code });
  });

  const versions = join(homedir(), ".pyenv", "versions");
  const old = existsSync(versions)
    ? readdirSync(versions).filter(
        (name) => /^(2\.|3\.[0-8]\.)/.test(name) && existsSync(join(versions, name, "bin", "python")),
      )
    : [];
  it.runIf(old.length > 0).each(old)("refuses Python %s and names its version", async (version) => {
    const { worker } = start(mode, { python: join(versions, version, "bin", "python") });
    await expect(worker.ready()).rejects.toMatchObject({ code: "PythonTooOld", detail: { version } });
  });
});

describe("auto mode", () => {
  it.runIf(process.platform === "linux")(
    "forks, and changes to spare processes when a module starts threads",
    async () => {
      const threads =
        "import threading, time\nthreading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n";
      const { path } = environment({ threadpack: threads });
      const { worker, root } = start("auto", { python: path });
      const reward = write(
        join(root, "reward.py"),
        "import threadpack\ndef reward(completions, **kwargs):\n    return [1.0]\n",
      );
      await samples(worker, ["a"]);
      expect((await run(worker, job(reward, ["reward"], [[0]]))).values).toEqual([1]);
      expect(worker.mode).toBe("fork");
      await until("spare processes take over", () => worker.mode === "spare");
      expect((await run(worker, job(reward, ["reward"], [[0]]))).values).toEqual([1]);
    },
  );

  it("describes interpreters by one call", async () => {
    const { path, site } = environment({});
    mkdirSync(site, { recursive: true });
    const found = await describeInterpreter(path);
    expect(found.prefix).toBe(site);
    expect(found.basePrefix).not.toBe(site);
    await expect(describeInterpreter(join(site, "gone"))).rejects.toMatchObject({ code: "PythonMissing" });
  });
});
