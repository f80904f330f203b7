import { build } from "esbuild";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemPlatform } from "../../../src/runtime/processes/systemPlatform";
import { systemClock } from "../../../src/runtime/clock";
import { runProcesses } from "../../../src/runtime/runs/runProcesses";
import { nodeRunStore } from "../../../src/runtime/runs/runStore";
import { RunStatus } from "../../../src/schema/run";
import { RunShowReport } from "../../../src/schema/runReport";
import { RunService } from "../../../src/services/runs/runService";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const fixtures = join(root, "test", "fixtures", "run-jobs");
export const python = process.env["PYTHON"] ?? "python3";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The bundled command line and supervisor, and a project whose name is hard on shells. */
export class Bench {
  readonly home: string;
  readonly project: string;

  private constructor(home: string) {
    this.home = home;
    this.project = join(home, "my runs (v2) & co");
    mkdirSync(this.project);
  }

  static async open(): Promise<Bench> {
    const home = mkdtempSync(join(tmpdir(), "rewardsmith-runs-"));
    await build({
      absWorkingDir: root,
      entryPoints: { cli: "src/cli/main.ts", supervisor: "src/runtime/runs/supervisor.ts" },
      outdir: join(home, "dist", "node"),
      chunkNames: "chunks/[name]-[hash]",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      mainFields: ["module", "main"],
      banner: {
        js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
      },
      logLevel: "silent",
    });
    cpSync(join(root, "package.json"), join(home, "package.json"));
    return new Bench(home);
  }

  get program(): string {
    return join(this.home, "dist", "node", "supervisor.js");
  }

  get cli(): string {
    return join(this.home, "dist", "node", "cli.js");
  }

  service(project = this.project): RunService {
    return new RunService({
      store: nodeRunStore(project),
      processes: runProcesses({ platform: systemPlatform(), program: this.program }),
      clock: systemClock,
      now: () => Date.now(),
      by: "test",
    });
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = this.project): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [this.cli, "run", ...args], {
        cwd,
        env: { ...process.env, NO_COLOR: "1", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let out = "";
      let err = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, out, err }));
    });
  }

  /** Starts a command; its run as `run show --json` has it. */
  async start(command: readonly string[], args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const { code, out, err } = await this.run(["start", ...args, "--json", "--", ...command], env);
    if (code !== 0) throw new Error(`start ended with ${code}: ${err}${out}`);
    return RunShowReport.parse(JSON.parse(out));
  }

  async show(id: string, env: NodeJS.ProcessEnv = {}) {
    const { out, err } = await this.run(["show", id, "--json"], env);
    if (out === "") throw new Error(err);
    return RunShowReport.parse(JSON.parse(out));
  }

  folder(id: string): string {
    return join(this.project, ".rewardsmith", "runs", id);
  }

  /** As it stands on the disk: looking doesn't settle or adopt anything. */
  status(id: string): RunStatus {
    return RunStatus.parse(JSON.parse(readFileSync(join(this.folder(id), "status.json"), "utf8")));
  }

  log(id: string): string {
    const path = join(this.folder(id), "console.log");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  events(id: string): { kind: string; state?: string; text?: string }[] {
    return readFileSync(join(this.folder(id), "events.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { kind: string; state?: string; text?: string });
  }

  /** Ends what is left of this bench's runs, and says how many processes that were. */
  async close(): Promise<void> {
    for (const pid of processesWith(this.home)) process.kill(pid, "SIGKILL");
    await until(() => processesWith(this.home).length === 0, 5000, "processes to end");
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Processes whose arguments, folder or environment hold a text (ourselves not). */
export function processesWith(text: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    const of = (file: string): string => {
      try {
        return readFileSync(`/proc/${name}/${file}`, "utf8");
      } catch {
        return "";
      }
    };
    if (/^\d+ \(.*\) Z/s.test(of("stat"))) return [];
    return of("cmdline").includes(text) || of("environ").includes(text) ? [Number(name)] : [];
  });
}

export function alive(pid: number): boolean {
  const found = spawnSync("ps", ["-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return found !== "" && !found.startsWith("Z");
}

export async function until(
  holds: () => boolean | Promise<boolean>,
  ms: number,
  what: string,
): Promise<void> {
  const end = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
