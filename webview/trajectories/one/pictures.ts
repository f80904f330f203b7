/** Kinds of pictures that can't hold scripts. */
const SAFE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/u;

/** The `data:` address of a picture, where it is of a kind that may be shown. */
export function pictureAddress(mime: string | null, data: string | null): string | null {
  if (mime === null || data === null || !SAFE.has(mime) || !BASE64.test(data)) return null;
  return `data:${mime};base64,${data}`;
}
