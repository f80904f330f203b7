import { SecretStream, bytesAsText, formsOf } from "../../core/runs/secrets";
import { errorText } from "../systemErrors";
import { AppendFile } from "./appendFile";

const RETRY_MS = 500;
const MOST_WAITING = 1024 * 1024;

export type LogProblem = "disk-full" | "not-written" | null;

/** `console.log`: what the job printed, secrets hidden before they reach the disk. A full disk never holds the job up. */
export class JobLog {
  readonly #file: AppendFile;
  readonly #secrets: SecretStream;
  readonly #onProblem: (problem: LogProblem, text: string) => void;
  #problem: LogProblem = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(
    path: string,
    secrets: readonly string[],
    onProblem: (problem: LogProblem, text: string) => void,
  ) {
    this.#file = new AppendFile(
      path,
      (bytes) => `\n[rewardsmith: ${bytes} bytes of output are missing here, the disk was full]\n`,
      MOST_WAITING,
    );
    this.#secrets = new SecretStream(formsOf(secrets).map(bytesAsText));
    this.#onProblem = onProblem;
  }

  async write(chunk: Buffer): Promise<void> {
    this.#file.add(Buffer.from(this.#secrets.push(chunk.toString("latin1")), "latin1"));
    await this.#flush();
  }

  /** Resolves when all is written, or there was no room for `patienceMs`. */
  async end(patienceMs: number): Promise<void> {
    this.#file.add(Buffer.from(this.#secrets.end(), "latin1"));
    const until = performance.now() + patienceMs;
    while (!(await this.#flush()) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    if (this.#retry) clearTimeout(this.#retry);
    await this.#file.close();
  }

  async #flush(): Promise<boolean> {
    let problem: LogProblem = null;
    let text = "";
    try {
      if (!(await this.#file.flush())) problem = "disk-full";
    } catch (error) {
      // A log that can't be written (no rights, the folder is gone) must not end the job.
      problem = "not-written";
      text = errorText(error);
    }
    if (problem !== this.#problem) {
      this.#problem = problem;
      this.#onProblem(problem, text);
    }
    if (problem !== null) this.#retry ??= setTimeout(() => this.#again(), RETRY_MS);
    return problem === null;
  }

  #again(): void {
    this.#retry = null;
    void this.#flush();
  }
}
