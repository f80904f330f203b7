import { createHash, hash as hashOnce } from "node:crypto";
import type { Hasher } from "../core/ports";

/** Matches half of a surrogate pair; UTF-8 can't hold one and would turn every such half into the same mark. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * SHA-256 over the parts, each preceded by its kind and length. A sample's identity is one such hash, so ten thousand
 * of them must cost little: texts are joined and hashed in one call.
 */
export const sha256: Hasher = {
  hash(parts) {
    let text = "";
    for (const part of parts) {
      if (typeof part !== "string") return hashMixed(parts);
      text += `${part.length}:${part}`;
    }
    // "t" and "u" keep a text and its other encoding apart.
    return LONE_SURROGATE.test(text)
      ? hashOnce("sha256", Buffer.from(`u${text}`, "utf16le"), "hex")
      : hashOnce("sha256", `t${text}`, "hex");
  },
};

function hashMixed(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    if (typeof part === "string") hash.update(`t${part.length}:`).update(Buffer.from(part, "utf16le"));
    else hash.update(`b${part.byteLength}:`).update(part);
  }
  return hash.digest("hex");
}
