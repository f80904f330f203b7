import { spawn } from "node:child_process";

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** More output than this ends the command. */
  readonly maxBytes?: number;
}

export interface CommandResult {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  /** Its first bytes. */
  readonly stderr: string;
}

export type RunCommand = (
  file: string,
  args: readonly string[],
  options?: CommandOptions,
) => Promise<CommandResult>;

/**
 * Runs a program to its end, without a shell: arguments arrive as they are. Rejects where it can't be started, takes
 * longer than `timeoutMs` (10 s) or says more than `maxBytes` (4 MiB).
 */
export const runCommand: RunCommand = (file, args, options = {}) =>
  new Promise((resolve, reject) => {
    const { timeoutMs = 10_000, maxBytes = 4 * 1024 * 1024 } = options;
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      shell: false,
      windowsHide: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    const giveUp = (why: string): void => {
      child.kill("SIGKILL");
      reject(new Error(`${file} ${why}`));
    };
    const timer = setTimeout(() => giveUp(`took longer than ${timeoutMs} ms`), timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) giveUp(`said more than ${maxBytes} bytes`);
      else stdout.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < 4000) stderr += text;
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(stdout), stderr });
    });
  });
