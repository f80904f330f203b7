/** An open text literal that is compared with a name: `answer == "4` with the cursor behind it. */
export interface OpenComparison {
  /** What the name stands for: itself, or the list that a loop above takes it from. */
  readonly name: string;
  readonly quote: '"' | "'";
  /** What stands in the literal so far. */
  readonly typed: string;
}

const COMPARED =
  /(?:^|[^\w.])([A-Za-z_]\w*)\s*(?:==|!=|\bin\s*[[({](?:[^\])}"']|"[^"]*"|'[^']*')*)\s*(["'])((?:(?!\2)[^\\])*)$/u;

/** @param before text from some lines above up to the cursor */
export function openComparison(before: string): OpenComparison | null {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const found = COMPARED.exec(line);
  const [, name, quote, typed] = found ?? [];
  if (name === undefined || typed === undefined || (quote !== '"' && quote !== "'")) return null;
  return { name: sourceOf(name, before), quote, typed };
}

/** `for text, gold in zip(completions, answer)` makes `gold` one of `answer`; the nearest loop above counts. */
function sourceOf(name: string, before: string): string {
  const loops = [
    ...before.matchAll(/\bfor\s+([\w\s,()]+?)\s+in\s+(?:zip\s*\(([\w\s,]+)|(\w+)\s*(?::|\]|if\b))/gu),
  ];
  for (const [, targets = "", zipped, single] of loops.reverse()) {
    const at = names(targets).indexOf(name);
    if (at === -1) continue;
    const source = zipped === undefined ? (at === 0 ? single : undefined) : names(zipped)[at];
    return source ?? name;
  }
  return name;
}

const names = (text: string): string[] => text.match(/\w+/gu) ?? [];

/** A value as it stands between these quotes in Python; null: it has no short form there. */
export function literalOf(value: string, quote: '"' | "'"): string | null {
  // eslint-disable-next-line no-control-regex -- a value with control characters is no text to type
  if (value.length > 200 || /[\u0000-\u001f\u007f]/u.test(value)) return null;
  return value.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
}
