/** Values as JSON would hold them: safe integers as numbers, times as ISO text, bytes as hexadecimal text. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === undefined || value === null) return null;
  if (typeof value !== "object") return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return hexadecimal(value);
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value) && "length" in value) return Array.from(Object.values(value), plain);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

export function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
