import { type ChildProcess, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ensureEnvironment } from "../../scripts/frameworks.mjs";
import { freePort } from "../../scripts/lib/server.mjs";
import { debugJob } from "../../src/engine/debugJob";
import { debugConfiguration } from "../../src/host/model/debugConfiguration";
import { lab, never } from "../contract/lab/bench";
import { DapClient } from "./dap";

/** Debug This Sample's program under the debugger that VS Code's Python extensions bring. */
const environment = await ensureEnvironment("debugpy");
if ("skip" in environment) it.skip(`debugpy isn't here: ${environment.skip} (${environment.install})`);

const REWARD = `import helper


def length_reward(completions, answer, **kwargs):
    scores = []
    for text, gold in zip(completions, answer):
        close = helper.near(text, gold)
        scores.append(1.0 if close else 0.25)
    return scores
`;
const HELPER = `def near(text, gold):
    wanted = str(gold)
    return wanted in text
`;
const SAMPLES = [
  { prompt: "2 + 2", completion: "It is 5.", answer: "4" },
  { prompt: "3 + 3", completion: "It is “6”, I’m sure 😀.", answer: "6" },
];
const BREAK = 7;

const children: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process whose output is kept; ended after the test whatever happens. */
function start(program: string, args: readonly string[], options: { cwd?: string; env?: object } = {}) {
  const child = spawn(program, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, text: () => ({ out, err }) };
}

/** Debuggers listen a moment after they start. */
async function attach(port: number): Promise<Socket> {
  for (let left = 200; ; left--) {
    const socket = connect(port, "127.0.0.1");
    const open = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    if (open) {
      sockets.push(socket);
      return socket;
    }
    if (left === 0) throw new Error(`nothing listens on ${port}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** A session, and its second sample's call as a program. */
async function prepare(python: string) {
  const bench = await lab(REWARD, SAMPLES, { settings: { python }, files: { "helper.py": HELPER } });
  const program = await debugJob(bench.session, bench.graph, { row: 1, function: "length_reward" }, never());
  return { bench, program };
}

/** From `initialize` on: what a client says before the program runs, whichever way it is started. */
async function configure(client: DapClient, how: "attach" | "launch", config: object, source: string) {
  await client.request("initialize", {
    clientID: "rewardsmith-test",
    adapterID: "debugpy",
    pathFormat: "path",
    linesStartAt1: true,
    columnsStartAt1: true,
    supportsRunInTerminalRequest: true,
  });
  const begun = client.request(how, config);
  await client.event("initialized");
  const { breakpoints } = (await client.request("setBreakpoints", {
    source: { path: source },
    breakpoints: [{ line: BREAK }],
  })) as { breakpoints: { verified: boolean; line: number }[] };
  expect(breakpoints).toMatchObject([{ verified: true, line: BREAK }]);
  await client.request("configurationDone");
  await begun;
}

interface Frame {
  readonly id: number;
  readonly name: string;
  readonly line: number;
  readonly source: { readonly path: string };
}
async function stack(client: DapClient, threadId: number): Promise<Frame[]> {
  const { stackFrames } = (await client.request("stackTrace", { threadId })) as { stackFrames: Frame[] };
  return stackFrames;
}
/** Locals of a frame, as the debugger shows them. */
async function locals(client: DapClient, frameId: number): Promise<Record<string, string>> {
  const { scopes } = (await client.request("scopes", { frameId })) as {
    scopes: { name: string; variablesReference: number }[];
  };
  const own = scopes.find(({ name }) => name === "Locals");
  const { variables } = (await client.request("variables", {
    variablesReference: own?.variablesReference,
  })) as { variables: { name: string; value: string }[] };
  return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
}
const stopped = async (client: DapClient): Promise<{ reason: string; threadId: number }> =>
  (await client.event("stopped")) as { reason: string; threadId: number };

/** Stops at the line with the second sample's values; a step in leads to the helper; then it runs to its end. */
async function walk(client: DapClient, folder: string, path: string): Promise<void> {
  const first = await stopped(client);
  expect(first.reason).toBe("breakpoint");
  const frames = await stack(client, first.threadId);
  expect(frames[0]).toMatchObject({ name: "length_reward", line: BREAK, source: { path } });
  expect(await locals(client, frames[0]!.id)).toMatchObject({
    completions: "['It is “6”, I’m sure 😀.']",
    answer: "['6']",
    text: "'It is “6”, I’m sure 😀.'",
    gold: "'6'",
    scores: "[]",
  });
  await client.request("stepIn", { threadId: first.threadId });
  const second = await stopped(client);
  expect((await stack(client, second.threadId))[0]).toMatchObject({
    name: "near",
    source: { path: `${folder}/helper.py` },
  });
  await client.request("continue", { threadId: second.threadId });
}

describe.skipIf("skip" in environment)("Debug This Sample under debugpy", () => {
  const python = "python" in environment ? environment.python : "";

  it("attached to: stops in the user's file with the sample's values, steps into a helper, ends", async () => {
    const { bench, program } = await prepare(python);
    const port = await freePort();
    const listen = ["-m", "debugpy", "--listen", `127.0.0.1:${port}`, "--wait-for-client"];
    const run = start(program.python, [...listen, program.module, ...program.args], program);
    const socket = await attach(port);
    const client = new DapClient(socket, socket);
    await configure(client, "attach", { justMyCode: true, subProcess: false }, bench.path);
    await walk(client, bench.folder, bench.path);
    await client.event("terminated");
    // The adapter holds the program's output open until its client is gone.
    socket.destroy();
    expect(await run.ended).toBe(0);
    expect(run.text().out).toContain("rewardsmith: length_reward, row 2: 1.0\n");
  });

  it("launched by the configuration that VS Code is given: in a terminal, one process, never in our program", async () => {
    const { bench, program } = await prepare(python);
    const adapter = start(python, ["-m", "debugpy.adapter"]);
    let debuggee: ReturnType<typeof start> | undefined;
    const terminals: string[] = [];
    const client = new DapClient(adapter.child.stdout, adapter.child.stdin, (command, given) => {
      const { kind, cwd, args, env } = given as {
        kind: string;
        cwd: string;
        args: string[];
        env: Record<string, string>;
      };
      terminals.push(`${command} ${kind}`);
      const [executable = "", ...rest] = args;
      debuggee = start(executable, rest, { cwd, env });
      return { processId: debuggee.child.pid };
    });
    const config = debugConfiguration(program, "length_reward, row 2");
    await configure(client, "launch", config, bench.path);
    expect(terminals).toEqual(["runInTerminal integrated"]);

    const { threadId } = await stopped(client);
    const [frame] = await stack(client, threadId);
    expect(frame).toMatchObject({ line: BREAK, source: { path: bench.path } });
    // Out of the reward is out of the program: no line of ours is shown.
    await client.request("stepOut", { threadId });
    expect(await debuggee?.ended).toBe(0);
    expect(debuggee?.text().out).toContain("rewardsmith: length_reward, row 2: 1.0\n");
  });
});
