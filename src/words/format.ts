import { type TaggedNumber } from "../schema/number";

/** `vscode.l10n.t`, handed in so that words can be made (and tested) without VS Code. */
export type Translate = (message: string, ...args: (string | number | boolean)[]) => string;

/** How to speak to the user: translation and the editor's language for numbers. */
export interface Speech {
  readonly t: Translate;
  readonly language: string;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Making one takes longer than using it hundreds of times, and a table asks for thousands. */
function numberFormat(language: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, known);
  return known;
}

/** Three significant digits, no trailing zeros; whole numbers keep all digits. Non-finite in Python's words. */
export function formatNumber(value: TaggedNumber | null, language: string): string {
  if (value === null) return "–";
  if (typeof value !== "number") return value.nonFinite;
  const size = Math.abs(value);
  const options: Intl.NumberFormatOptions =
    size !== 0 && (size < 1e-3 || size >= 1e7)
      ? { notation: "scientific", maximumSignificantDigits: 3 }
      : size >= 100
        ? { maximumFractionDigits: Number.isInteger(value) ? 0 : 1 }
        : { maximumSignificantDigits: 3 };
  return numberFormat(language, options).format(value === 0 ? 0 : value);
}

/** A single sample's score: as a number, but whole ones look like the floats that rewards are (`1.0`). */
export function formatScore(value: TaggedNumber | null, language: string): string {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 1000
    ? numberFormat(language, { minimumFractionDigits: 1 }).format(value === 0 ? 0 : value)
    : formatNumber(value, language);
}

/**
 * Mean and half width with two decimals below 10 (`0.51 ±0.27`), more where the half width is below a hundredth, fewer
 * for large numbers. No interval: three significant digits.
 */
export function formatMean(mean: TaggedNumber, halfWidth: number | null, language: string): string {
  if (typeof mean !== "number" || halfWidth === null || halfWidth <= 0) return formatScore(mean, language);
  // One digit of the interval, two where it begins with 1: rounding 0.14 to 0.1 would lose too much.
  const exponent = Math.floor(Math.log10(halfWidth));
  const digits = halfWidth / 10 ** exponent < 2 ? 2 : 1;
  const supported = Math.min(6, Math.max(0, digits - 1 - exponent));
  const decimals = halfWidth >= 0.01 && halfWidth < 10 && Math.abs(mean) < 10 ? 2 : supported;
  const format = numberFormat(language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const rounded = Number(mean.toFixed(decimals));
  return `${format.format(rounded === 0 ? 0 : rounded)} ±${format.format(halfWidth)}`;
}

export function formatCount(value: number, language: string): string {
  return numberFormat(language).format(value);
}

/** Milliseconds up to a second, then seconds. */
export function formatDuration(ms: number, speech: Speech): string {
  if (ms < 1000)
    return speech.t(
      "{0} ms",
      new Intl.NumberFormat(speech.language, { maximumFractionDigits: 0 }).format(ms),
    );
  return speech.t(
    "{0} s",
    new Intl.NumberFormat(speech.language, { maximumFractionDigits: 1 }).format(ms / 1000),
  );
}

/** One line of at most `max` characters; control characters and line ends become visible or spaces. */
export function oneLine(text: string, max: number): string {
  const flat = text
    .replace(/\s+/gu, " ")
    .replace(/\p{Cc}/gu, "·")
    .trim();
  return flat.length <= max ? flat : `${flat.slice(0, max - 1)}…`;
}
