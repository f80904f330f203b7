import type { Json } from "../../../../schema/json";

/** A TOML 1.0 basic string; half a surrogate pair, which TOML can't hold, becomes U+FFFD. */
export function tomlString(text: string): string {
  const inside = text.replace(/["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    if (char === '"' || char === "\\") return `\\${char}`;
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) return "\\uFFFD";
    if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
  return `"${inside}"`;
}

const key = (name: string): string => (/^[\w-]+$/.test(name) ? name : tomlString(name));

/** A value on one line. A null in a list has no form in TOML and is left out, as keys without a value are. */
function inline(value: Json): string {
  if (typeof value === "string") return tomlString(value);
  if (Array.isArray(value))
    return `[${value
      .filter((one) => one !== null)
      .map(inline)
      .join(", ")}]`;
  if (value !== null && typeof value === "object") {
    const items = entries(value).map(([name, one]) => `${key(name)} = ${inline(one)}`);
    return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
  }
  // `1e21` is a float in TOML as it is in JSON.
  return String(value);
}

function entries(value: Readonly<Record<string, Json>>): [string, Json][] {
  return Object.entries(value).filter(([, one]) => one !== null);
}

function isTable(value: Json): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A mapping as a TOML document: plain values first, then a table for each mapping in it. */
export function tomlText(value: Readonly<Record<string, Json>>, path: readonly string[] = []): string {
  const all = entries(value);
  const plain = all
    .filter(([, one]) => !isTable(one))
    .map(([name, one]) => `${key(name)} = ${inline(one)}\n`);
  const tables = all.flatMap(([name, one]) => (isTable(one) ? [tomlText(one, [...path, name])] : []));
  const head =
    path.length > 0 && (plain.length > 0 || tables.length === 0) ? `[${path.map(key).join(".")}]\n` : "";
  const own = head + plain.join("");
  return [...(own === "" ? [] : [own]), ...tables].join("\n");
}
