import { type ChildProcess, spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { FRAMEWORK_ENV } from "../../scripts/frameworks.mjs";
import type { RecipeOutput } from "../../src/core/runs/recipe";

const MATH = path.join(import.meta.dirname, "../../examples/math");

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly text: string;
  readonly ms: number;
}

/** A project with the maths example in it, and runs below it as the product lays them out. */
export class Project {
  readonly folder: string;
  readonly #children = new Set<ChildProcess>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<Project> {
    const folder = await mkdtemp(path.join(tmpdir(), "rewardsmith recipes ü-"));
    for (const name of ["reward.py", "numbers_util.py", "outputs.jsonl", "make_tiny_model.py"])
      await copyFile(path.join(MATH, name), path.join(folder, name));
    return new Project(folder);
  }

  async remove(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }

  runFolder(id: string): string {
    return path.join(this.folder, ".rewardsmith/runs", id);
  }

  /** Files of a recipe and the reward's snapshot, nothing else. */
  async write(id: string, output: RecipeOutput, reward?: string): Promise<string> {
    const run = this.runFolder(id);
    for (const { path: name, text } of output.files) {
      const file = path.join(run, "job", name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    await mkdir(path.join(run, "reward"), { recursive: true });
    for (const name of ["reward.py", "numbers_util.py"])
      await copyFile(path.join(this.folder, name), path.join(run, "reward", name));
    if (reward !== undefined) await writeFile(path.join(run, "reward/reward.py"), reward);
    return run;
  }

  /** The recipe's own command, as the supervisor starts it: no shell, a process group of its own. */
  start(
    id: string,
    output: RecipeOutput,
  ): { child: ChildProcess; ended: Promise<Ended>; text: () => string } {
    const { command } = output;
    if (!command) throw new Error("this recipe starts nothing");
    return this.spawn(command.program, command.args, path.join(this.runFolder(id), command.cwd), command.env);
  }

  spawn(program: string, args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
    const from = Date.now();
    const child = spawn(program, args, {
      cwd,
      // The recipe must find out by itself that nothing is to be fetched.
      env: { ...process.env, CUDA_VISIBLE_DEVICES: FRAMEWORK_ENV.CUDA_VISIBLE_DEVICES, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const ended = new Promise<Ended>((resolve) => {
      child.once("close", (code, signal) => {
        this.#children.delete(child);
        resolve({ code, signal, text, ms: Date.now() - from });
      });
    });
    return { child, ended, text: () => text };
  }
}

export interface Row {
  readonly step: number;
  readonly values: Readonly<Record<string, unknown>>;
}

export async function metricRows(run: string): Promise<Row[]> {
  const text = await readFile(path.join(run, "out/metrics.jsonl"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Row);
}

/** Waits until something is so; fails with what was printed. */
export async function until(so: () => Promise<boolean>, ms: number, text: () => string): Promise<void> {
  const limit = Date.now() + ms;
  while (!(await so())) {
    if (Date.now() > limit) throw new Error(`not so within ${ms} ms:\n${text().slice(-4000)}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
