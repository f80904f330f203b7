/** One message as the alignment sees it. */
export interface Turn {
  /** Equal for messages that show the same. */
  readonly look: string;
  /** Equal for turns of the same kind (role and tools). */
  readonly kind: string;
  readonly role: string;
}

/** Positions of aligned messages: one entry a sequence, null where it has none on this line. */
export type AlignedLine = readonly (number | null)[];

interface Line {
  readonly cells: (number | null)[];
  readonly looks: Set<string>;
  readonly kinds: Set<string>;
  readonly roles: Set<string>;
}

/** Cells of the table of one alignment; beyond it what lies between equal looks is aligned in order. */
const MOST_CELLS = 4_000_000;
const SAME_LOOK = 6;
const SAME_KIND = 2;
const SAME_ROLE = 1;
const GAP = -1;

/** How many turns all sequences have in common from the start. */
export function sharedPrefix(sequences: readonly (readonly Turn[])[]): number {
  const [first, ...rest] = sequences;
  if (!first) return 0;
  let at = 0;
  while (at < first.length && rest.every((other) => other[at]?.look === first[at]?.look)) at++;
  return at;
}

/**
 * Lines of turns that belong together, for any number of sequences: each is aligned to the lines of those before it
 * (Needleman and Wunsch 1970, score 6 for the same look, 2 for the same kind, 1 for the same role, −1 for a gap; turns of
 * different roles never share a line).
 */
export function alignTurns(sequences: readonly (readonly Turn[])[]): AlignedLine[] {
  let lines: Line[] = [];
  sequences.forEach((turns, sequence) => {
    lines = merge(lines, turns, sequence);
  });
  return lines.map(({ cells }) => sequences.map((_, at) => cells[at] ?? null));
}

function merge(lines: readonly Line[], turns: readonly Turn[], sequence: number): Line[] {
  const pairs = lines.length * turns.length > MOST_CELLS ? inOrder(lines, turns) : best(lines, turns);
  const merged: Line[] = [];
  for (const [at, turn] of pairs) {
    const line = (at === null ? null : lines[at]) ?? {
      cells: [],
      looks: new Set<string>(),
      kinds: new Set<string>(),
      roles: new Set<string>(),
    };
    const here = turn === null ? null : turns[turn];
    if (here && turn !== null) {
      line.cells[sequence] = turn;
      line.looks.add(here.look);
      line.kinds.add(here.kind);
      line.roles.add(here.role);
    }
    merged.push(line);
  }
  return merged;
}

type Pair = readonly [line: number | null, turn: number | null];

function score(line: Line, turn: Turn): number {
  if (line.looks.has(turn.look)) return SAME_LOOK;
  if (line.kinds.has(turn.kind)) return SAME_KIND;
  return line.roles.has(turn.role) ? SAME_ROLE : Number.NEGATIVE_INFINITY;
}

function best(lines: readonly Line[], turns: readonly Turn[]): Pair[] {
  const width = turns.length + 1;
  const table = new Float64Array((lines.length + 1) * width);
  for (let j = 1; j < width; j++) table[j] = j * GAP;
  for (let i = 1; i <= lines.length; i++) {
    table[i * width] = i * GAP;
    const line = lines[i - 1];
    for (let j = 1; j < width; j++) {
      const turn = turns[j - 1];
      const both =
        line && turn ? (table[(i - 1) * width + j - 1] ?? 0) + score(line, turn) : Number.NEGATIVE_INFINITY;
      table[i * width + j] = Math.max(
        both,
        (table[(i - 1) * width + j] ?? 0) + GAP,
        (table[i * width + j - 1] ?? 0) + GAP,
      );
    }
  }
  const pairs: Pair[] = [];
  let i = lines.length;
  let j = turns.length;
  while (i > 0 || j > 0) {
    const line = lines[i - 1];
    const turn = turns[j - 1];
    const here = table[i * width + j] ?? 0;
    if (line && turn && here === (table[(i - 1) * width + j - 1] ?? 0) + score(line, turn))
      pairs.push([--i, --j]);
    else if (i > 0 && here === (table[(i - 1) * width + j] ?? 0) + GAP) pairs.push([--i, null]);
    else pairs.push([null, --j]);
  }
  return pairs.reverse();
}

/** For sequences too long for the table: each turn on the next line that has its role. */
function inOrder(lines: readonly Line[], turns: readonly Turn[]): Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  turns.forEach((turn, j) => {
    const line = lines[at];
    if (line && line.roles.has(turn.role)) {
      pairs.push([at, j]);
      at++;
      return;
    }
    pairs.push([null, j]);
  });
  for (; at < lines.length; at++) pairs.push([at, null]);
  return pairs;
}
