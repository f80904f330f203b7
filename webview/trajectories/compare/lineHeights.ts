import type { Cell } from "./model";

const HEAD = 20;
const LINE = 18;
const PADDING = 4;
const LEAST = 44;
/** Pixels of a character: text on average, code all alike; and characters that a line's end stays empty. */
const CHARACTER = 7;
const CODE = 7.6;
const RAGGED = 3;
/** Lines of a message that are shown before its line is unfolded, and after. */
export const SHORT_LINES = 8;
export const LONG_LINES = 40;
/** UTF-16 units that are drawn, as many as fit: what is drawn is laid out, seen or not. */
export const SHORT_TEXT = 1200;
/** Of the bar that unfolds a line, and of what says that they part here. */
export const FOOT = 18;
export const BAND = 20;

export interface LineHeight {
  readonly height: number;
  /** Something in it isn't seen whole. */
  readonly more: boolean;
}

/**
 * Height of a line of messages in pixels: as tall as its longest message, within limits. Worked out from lengths, not
 * measured, so that it is the same whichever columns are on screen.
 */
export function lineHeight(cells: readonly (Cell | null)[], width: number, unfolded: boolean): LineHeight {
  const room = width - 18;
  const most = unfolded ? LONG_LINES : SHORT_LINES;
  const needed = cells.reduce((tallest, cell) => Math.max(tallest, cell ? linesOf(cell, room) : 0), 0);
  const cut = cells.some((cell) => cell !== null && cell.characters > cell.text.length + callLength(cell));
  const lines = Math.min(needed, most);
  const empty = cells.every((cell) => cell === null || isBare(cell));
  const more = needed > most || (cut && needed >= most);
  const messages = Math.max(empty ? HEAD + PADDING : LEAST, HEAD + lines * LINE + PADDING);
  return { height: messages + (more || unfolded ? FOOT : 0), more };
}

function isBare({ text, calls, error }: Cell): boolean {
  return text === "" && calls.length === 0 && error === null;
}

function callLength({ calls }: Cell): number {
  return calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
}

function linesOf(cell: Cell, room: number): number {
  const code = cell.calls.reduce(
    (sum, call) => sum + wrapped(`${call.name}(${call.arguments})`, room / CODE),
    0,
  );
  const error = cell.error === null || cell.text.includes(cell.error) ? "" : cell.error;
  return code + wrapped(error, room / CHARACTER) + wrapped(cell.text, room / CHARACTER);
}

/** Lines that a text takes at so many characters a line; no more than matter are counted. */
function wrapped(text: string, perLine: number): number {
  if (text === "") return 0;
  let lines = 0;
  for (const line of text.split("\n", LONG_LINES + 1)) {
    lines += Math.max(
      1,
      Math.ceil(line.length / (line.length <= perLine ? perLine : Math.max(8, perLine - RAGGED))),
    );
    if (lines > LONG_LINES) break;
  }
  return lines;
}
