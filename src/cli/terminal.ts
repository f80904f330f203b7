/** Where a command writes; the process's own streams, or strings in tests. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Colours are wanted: a terminal, and the user didn't say otherwise. */
  readonly colour: boolean;
  /** Columns of the terminal; a wide page where output goes elsewhere. */
  readonly width: number;
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
    // `rewardsmith read … | head`: the reader has what it wanted.
    if (error.code !== "EPIPE") throw error;
  };
  stdout.on("error", ignoreClosedPipe);
  stderr.on("error", ignoreClosedPipe);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    colour: stdout.isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    width: stdout.isTTY ? stdout.columns : 120,
  };
}

export type Tone = "strong" | "good" | "bad" | "warn" | "quiet";
const CODES: Readonly<Record<Tone, readonly [number, number]>> = {
  strong: [1, 22],
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  quiet: [2, 22],
};

export function paint(terminal: Pick<Terminal, "colour">, tone: Tone, text: string): string {
  if (!terminal.colour || text === "") return text;
  const [on, off] = CODES[tone];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
