#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { RewardsmithError, toRewardsmithError } from "../base/errors";
import { type Arguments, readArguments, splitRest } from "./arguments";
import { EXIT, type Exit, errorDocument, exitFor } from "./exit";
import { HELP } from "./help";
import type { Session } from "./session";
import { type Terminal, paint, processTerminal } from "./terminal";

/** This bundle lies in `dist/node`. */
const HOME = import.meta.dirname;

async function main(argv: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<Exit> {
  // Known before the arguments are: their own faults are told in the form that was asked for.
  const json = splitRest(argv).own.includes("--json");
  try {
    const args = readArguments(argv);
    if (args.version) terminal.out(`${await version()}\n`);
    else if (args.help || args.command === null) terminal.out(HELP[args.command ?? ""] ?? "");
    else return await run(args, await openSession(terminal, signal));
    return args.help || args.version ? EXIT.fine : EXIT.usage;
  } catch (error) {
    const known = signal.aborted
      ? new RewardsmithError("Cancelled", "interrupted")
      : toRewardsmithError(error);
    const exit = exitFor(known.code);
    if (json) terminal.out(errorDocument(known));
    terminal.err(`${paint(terminal, "bad", "rewardsmith")}: ${known.message}\n`);
    const { stderr } = known.detail;
    if (typeof stderr === "string" && stderr !== "") terminal.err(`${stderr.trimEnd()}\n`);
    if (exit === EXIT.product && known.code === "Internal") terminal.err(`${stackOf(known)}\n`);
    if (exit === EXIT.usage)
      terminal.err(paint(terminal, "quiet", "rewardsmith --help says what can be asked for.\n"));
    return exit;
  }
}

async function run(args: Arguments, session: Session): Promise<Exit> {
  switch (args.command) {
    case "score":
      return (await import("./commands/score")).score(args, session);
    case "check":
      return (await import("./commands/score")).check(args, session);
    case "read":
      return (await import("./commands/read")).read(args, session);
    case "run":
      return (await import("./commands/run")).run(args, session, join(HOME, "supervisor.js"));
    default:
      return (await import("./commands/init")).init(args, session);
  }
}

async function openSession(terminal: Terminal, signal: AbortSignal): Promise<Session> {
  const [{ nodeFileStore: files }, { sha256: hasher }, { Projects }] = await Promise.all([
    import("../runtime/fileStore"),
    import("../runtime/hasher"),
    import("../services/project"),
  ]);
  const projects = new Projects(files);
  const cwd = process.cwd();
  return {
    terminal,
    cwd,
    version: await version(),
    files,
    hasher,
    projects,
    signal,
    async score(request) {
      const { scoreHere } = await import("./compose");
      const say = (text: string): void => terminal.err(`${text}\n`);
      const log = { debug: () => undefined, info: () => undefined, warn: say, error: say };
      return scoreHere(request, {
        log,
        version: await version(),
        programUrl: import.meta.url,
        cwd,
        signal,
      });
    },
  };
}

async function version(): Promise<string> {
  const text = await readFile(join(HOME, "..", "..", "package.json"), "utf8");
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown";
}

function stackOf(error: RewardsmithError): string {
  return (error.cause instanceof Error ? error.cause.stack : undefined) ?? error.stack ?? error.message;
}

const controller = new AbortController();
process.once("SIGINT", () => controller.abort());
process.once("SIGTERM", () => controller.abort());
process.exitCode = await main(process.argv.slice(2), processTerminal(), controller.signal);
