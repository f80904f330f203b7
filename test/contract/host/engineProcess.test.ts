import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EngineProcess, type EngineState } from "../../../src/host/process/engineProcess";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";

/** Speaks just enough of the wire to start, to die on request, and to ignore a polite end. */
const PROGRAM = `
process.on("message", (m) => {
  if (m.k !== "req") return;
  const answer = (r) => process.send({ c: m.c, v: m.v, k: "res", id: m.id, r });
  if (m.m === "initialize") answer({ pid: process.pid, node: process.versions.node });
  else if (m.m === "diagnostics") { process.stderr.write("out of luck\\n"); setTimeout(() => process.exit(3), 50); }
  else if (m.m === "filesChanged") answer(null);
});
if (process.env.STUBBORN) process.on("disconnect", () => setInterval(() => {}, 1000));
else process.on("disconnect", () => process.exit(0));
`;

let folder: string;
let engine: EngineProcess;
let states: EngineState[];
const log: string[] = [];
const note = (text: string): void => void log.push(text);

function start(program = PROGRAM): void {
  const file = path.join(folder, "engine.cjs");
  writeFileSync(file, program);
  const setup = { version: "0", trusted: true, folders: [], storage: folder, settings: DEFAULT_SETTINGS };
  engine = new EngineProcess(file, () => setup, { debug: note, info: note, warn: note, error: note });
  states = [];
  engine.onDidChangeState((state) => states.push(state));
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const pid = (): number => (engine.state.at === "ready" ? engine.state.pid : -1);
async function until(probe: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 15_000;
  while (!probe()) {
    if (Date.now() > end) throw new Error(`waited for ${what}; state ${JSON.stringify(engine.state)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "rewardsmith-host-"));
  log.length = 0;
});
afterEach(async () => {
  delete process.env["STUBBORN"];
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the engine's process", () => {
  test("starts once, however many ask, and not before", async () => {
    start();
    expect(engine.running).toBeUndefined();
    let starts = 0;
    engine.onDidStart(() => starts++);
    await Promise.all([engine.client(), engine.client(), engine.client()]);
    expect(starts).toBe(1);
    expect(alive(pid())).toBe(true);
  });

  test("that dies under a call: the call ends, the reason is told, another one takes over", async () => {
    start();
    const client = await engine.client();
    const first = pid();
    await expect(client.diagnostics({})).rejects.toMatchObject({ code: "Disposed" });
    await until(() => states.some((state) => state.at === "failed"), "the failure");
    expect(states.find((state) => state.at === "failed")).toMatchObject({
      message: expect.stringMatching(/3.*out of luck/u) as string,
      retrying: true,
    });
    await until(() => engine.state.at === "ready" && pid() !== first, "another process");
    expect(alive(first)).toBe(false);
    await expect((await engine.client()).filesChanged({ paths: [] })).resolves.toBeNull();
  });

  test("that never gets up is not tried for ever, until the user asks", async () => {
    start('process.stderr.write("no such luck\\n"); process.exit(1);');
    await expect(engine.client()).rejects.toMatchObject({ code: "Disposed" });
    await until(() => engine.state.at === "failed" && !engine.state.retrying, "giving up");
    expect(states.filter((state) => state.at === "starting").length).toBe(6);
    writeFileSync(path.join(folder, "engine.cjs"), PROGRAM);
    await engine.restart();
    expect(engine.state.at).toBe("ready");
  }, 40_000);

  test("is gone when stop resolves, also where it doesn't end by itself", async () => {
    process.env["STUBBORN"] = "1";
    start();
    await engine.client();
    const own = pid();
    await engine.stop();
    expect(alive(own)).toBe(false);
    expect(engine.state.at).toBe("stopped");
    await expect(engine.client()).rejects.toMatchObject({ code: "Disposed" });
  });
});
