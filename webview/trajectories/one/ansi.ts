/* eslint-disable no-control-regex -- escapes are what is looked for */
/** Text of a terminal in one look: classes of `ansi-…`, or a sign for an escape that isn't a colour. */
export type AnsiPart =
  | { readonly kind: "text"; readonly text: string; readonly classes: readonly string[] }
  | { readonly kind: "escape"; readonly text: string };

interface Look {
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  strike: boolean;
  fg: string | null;
  bg: string | null;
}

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const PLAIN: Look = {
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
  strike: false,
  fg: null,
  bg: null,
};
/** ECMA-48: CSI sequences, OSC strings up to BEL or ST, and two-byte escapes. */
const ESCAPE =
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|[@-Z\\^_a-z0-9=>()])/gu;

/** A text that has colours of a terminal. */
export function isAnsi(text: string): boolean {
  return text.includes("\u001b[");
}

/**
 * Splits what a terminal was sent. Colours and weights (SGR, ECMA-48 §8.3.117) become classes; whatever else moves a
 * cursor, sets a title or makes a link is shown as a sign, never done. A carriage return before a line end is dropped.
 */
export function ansiParts(text: string): AnsiPart[] {
  const parts: AnsiPart[] = [];
  let look = PLAIN;
  let from = 0;
  const flush = (to: number): void => {
    const plain = text.slice(from, to).replace(/\r+\n/gu, "\n");
    if (plain !== "") parts.push({ kind: "text", text: plain, classes: classesOf(look) });
  };
  for (const match of text.matchAll(ESCAPE)) {
    flush(match.index);
    from = match.index + match[0].length;
    if (match[2] === "m" && /^[\d;:]*$/u.test(match[1] ?? "")) look = graphics(look, match[1] ?? "");
    else parts.push({ kind: "escape", text: match[0] });
  }
  flush(text.length);
  return parts;
}

/** A text without a terminal's colours, for one line of it. */
export function withoutColours(text: string): string {
  return isAnsi(text) ? text.replace(/\u001b\[[\d;:]*m/gu, "") : text;
}

function graphics(before: Look, codes: string): Look {
  const look = { ...before };
  const all = codes === "" ? [0] : codes.split(/[;:]/u).map(Number);
  for (let at = 0; at < all.length; at++) {
    const code = all[at] ?? 0;
    if (code === 38 || code === 48) {
      const mode = all[at + 1];
      const colour = mode === 5 ? indexed(all[at + 2] ?? 0) : null;
      if (code === 38) look.fg = colour;
      else look.bg = colour;
      at += mode === 5 ? 2 : mode === 2 ? 4 : 1;
    } else Object.assign(look, one(code));
  }
  return look;
}

function one(code: number): Partial<Look> {
  if (code >= 30 && code <= 37) return { fg: NAMES[code - 30] ?? null };
  if (code >= 40 && code <= 47) return { bg: NAMES[code - 40] ?? null };
  if (code >= 90 && code <= 97) return { fg: `bright-${NAMES[code - 90]}` };
  if (code >= 100 && code <= 107) return { bg: `bright-${NAMES[code - 100]}` };
  switch (code) {
    case 0:
      return PLAIN;
    case 1:
      return { bold: true };
    case 2:
      return { dim: true };
    case 3:
      return { italic: true };
    case 4:
      return { underline: true };
    case 7:
      return { inverse: true };
    case 9:
      return { strike: true };
    case 22:
      return { bold: false, dim: false };
    case 23:
      return { italic: false };
    case 24:
      return { underline: false };
    case 27:
      return { inverse: false };
    case 29:
      return { strike: false };
    case 39:
      return { fg: null };
    case 49:
      return { bg: null };
    default:
      return {};
  }
}

/** Of 256 colours the first sixteen have the theme's; the others are told apart by the nearest of those. */
function indexed(index: number): string | null {
  if (index < 8) return NAMES[index] ?? null;
  if (index < 16) return `bright-${NAMES[index - 8]}`;
  if (index >= 232) return index < 244 ? "bright-black" : "white";
  const cube = index - 16;
  const [r, g, b] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  const most = Math.max(r, g, b);
  if (most === 0) return "black";
  const on = (value: number): number => (value * 2 > most ? 1 : 0);
  return NAMES[on(r) + 2 * on(g) + 4 * on(b)] ?? null;
}

function classesOf(look: Look): string[] {
  const classes: string[] = [];
  if (look.bold) classes.push("ansi-bold");
  if (look.dim) classes.push("ansi-dim");
  if (look.italic) classes.push("ansi-italic");
  if (look.underline) classes.push("ansi-underline");
  if (look.strike) classes.push("ansi-strike");
  if (look.inverse) classes.push("ansi-inverse");
  if (look.fg !== null) classes.push(`ansi-fg-${look.fg}`);
  if (look.bg !== null) classes.push(`ansi-bg-${look.bg}`);
  return classes;
}
