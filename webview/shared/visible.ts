/** A run of text as it is, or one character that can't be seen (or reorders what can), `count` times in a row. */
export type VisiblePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "symbol"; readonly symbol: string; readonly name: string; readonly count: number };

/** ASCII's abbreviations of its control characters, 0 to 31. */
const CONTROLS =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(
    " ",
  );

/** Unicode's own abbreviations of characters without a picture. */
const NAMES: ReadonlyMap<number, readonly [symbol: string, name: string]> = new Map([
  [0x7f, ["DEL", "DELETE"]],
  [0xa0, ["NBSP", "NO-BREAK SPACE"]],
  [0xad, ["SHY", "SOFT HYPHEN"]],
  [0x61c, ["ALM", "ARABIC LETTER MARK"]],
  [0x180e, ["MVS", "MONGOLIAN VOWEL SEPARATOR"]],
  [0x200b, ["ZWSP", "ZERO WIDTH SPACE"]],
  [0x200c, ["ZWNJ", "ZERO WIDTH NON-JOINER"]],
  [0x200d, ["ZWJ", "ZERO WIDTH JOINER"]],
  [0x200e, ["LRM", "LEFT-TO-RIGHT MARK"]],
  [0x200f, ["RLM", "RIGHT-TO-LEFT MARK"]],
  [0x2028, ["LS", "LINE SEPARATOR"]],
  [0x2029, ["PS", "PARAGRAPH SEPARATOR"]],
  [0x202a, ["LRE", "LEFT-TO-RIGHT EMBEDDING"]],
  [0x202b, ["RLE", "RIGHT-TO-LEFT EMBEDDING"]],
  [0x202c, ["PDF", "POP DIRECTIONAL FORMATTING"]],
  [0x202d, ["LRO", "LEFT-TO-RIGHT OVERRIDE"]],
  [0x202e, ["RLO", "RIGHT-TO-LEFT OVERRIDE"]],
  [0x2060, ["WJ", "WORD JOINER"]],
  [0x2066, ["LRI", "LEFT-TO-RIGHT ISOLATE"]],
  [0x2067, ["RLI", "RIGHT-TO-LEFT ISOLATE"]],
  [0x2068, ["FSI", "FIRST STRONG ISOLATE"]],
  [0x2069, ["PDI", "POP DIRECTIONAL ISOLATE"]],
  [0xfeff, ["BOM", "ZERO WIDTH NO-BREAK SPACE"]],
]);

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u00a0\u2028\u2029]/u;
/** A joiner inside an emoji is a part of its picture. */
const IN_EMOJI = /\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?$/u;

/** Splits text so that control characters, direction overrides and zero-width characters can be shown as symbols. */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let plain = "";
  const flush = (): void => {
    if (plain !== "") parts.push({ kind: "text", text: plain });
    plain = "";
  };
  for (const character of text) {
    if (!isHidden(character) || (character === "\u200d" && IN_EMOJI.test(plain.slice(-8)))) {
      plain += character;
      continue;
    }
    flush();
    const [symbol, name] = nameOf(character.codePointAt(0) ?? 0);
    const last = parts.at(-1);
    if (last?.kind === "symbol" && last.symbol === symbol)
      parts[parts.length - 1] = { ...last, count: last.count + 1 };
    else parts.push({ kind: "symbol", symbol, name, count: 1 });
  }
  flush();
  return parts;
}

export function isHidden(character: string): boolean {
  return character !== "\n" && character !== "\t" && HIDDEN.test(character);
}

function nameOf(code: number): readonly [symbol: string, name: string] {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const known = NAMES.get(code);
  if (known) return [known[0], `${point} ${known[1]}`];
  const control = CONTROLS[code];
  if (control !== undefined) return [control, `${point} ${control}`];
  // Tags: letters that nobody sees and a model reads.
  if (code >= 0xe0020 && code < 0xe007f)
    return [`TAG ${String.fromCodePoint(code - 0xe0000)}`, `${point} TAG`];
  return [point, point];
}
