import type { Json } from "../../../../schema/json";

/** Characters that must not stand in a source line as they are: controls, line ends, marks of direction, halves of pairs. */
const HIDDEN = /["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** A Python string literal for any text, on one line. */
export function pyString(text: string): string {
  const inside = text.replace(HIDDEN, (char) => {
    const short = SHORT[char];
    if (short !== undefined) return short;
    const code = char.codePointAt(0) ?? 0;
    if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
    return code > 0xff
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : `\\x${code.toString(16).padStart(2, "0")}`;
  });
  return `"${inside}"`;
}

/** A Python literal for a JSON value, on one line. */
export function pyLiteral(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return plainNumber(value);
  if (typeof value === "string") return pyString(value);
  if (Array.isArray(value)) return `[${value.map(pyLiteral).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => `${pyString(key)}: ${pyLiteral(one)}`)
    .join(", ")}}`;
}

/** A value as the right side of an assignment: one line where it is short, else an item a line. */
export function pyBlock(value: Json): string {
  const line = pyLiteral(value);
  if (line.length <= 88 || value === null || typeof value !== "object") return line;
  if (Array.isArray(value)) return `[\n${value.map((one) => `    ${pyLiteral(one)},\n`).join("")}]`;
  const items = Object.entries(value).map(([key, one]) => `    ${pyString(key)}: ${pyLiteral(one)},\n`);
  return `{\n${items.join("")}}`;
}

/** `1e-6` reads better than `0.000001`; both are the same number in Python and JSON. */
export function plainNumber(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential() : String(value);
}
