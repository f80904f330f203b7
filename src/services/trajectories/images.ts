/**
 * The kind of a picture by its first bytes, where it is one that a page may show: SVG can hold scripts and is never one
 * of them, whatever the file says it is.
 */
export function safeImage(base64: string): string | null {
  const head = base64.slice(0, 24);
  if (head.startsWith("iVBORw0KGgo")) return "image/png";
  if (head.startsWith("/9j/")) return "image/jpeg";
  if (head.startsWith("R0lGOD")) return "image/gif";
  if (head.startsWith("UklGR") && base64.slice(8, 20).includes("XRUJQ")) return "image/webp";
  return null;
}

/** Bytes that base64 text stands for. */
export function imageBytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
