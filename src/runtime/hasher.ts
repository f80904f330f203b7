import { createHash } from "node:crypto";
import type { Hasher } from "../core/ports";

/** Matches half of a surrogate pair; UTF-8 can't hold one and would turn every such half into the same mark. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const UTF16 = 0x80;

/** SHA-256 over the parts, each preceded by its length in bytes (8 bytes, big-endian). Text counts as UTF-8. */
export const sha256: Hasher = {
  hash(parts) {
    const hash = createHash("sha256");
    const head = Buffer.alloc(8);
    for (const part of parts) {
      const odd = typeof part === "string" && LONE_SURROGATE.test(part);
      const bytes = typeof part === "string" ? Buffer.from(part, odd ? "utf16le" : "utf8") : part;
      head.writeBigUInt64BE(BigInt(bytes.byteLength));
      if (odd) head[0] = UTF16;
      hash.update(head).update(bytes);
    }
    return hash.digest("hex");
  },
};
