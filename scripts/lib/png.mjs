// @ts-check
// Screens are flat: a PNG of one is smaller without the filters that Chromium chooses for photographs. Nothing is lost.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = 8;

/**
 * The same picture with every line unfiltered and packed as well as zlib can; the given bytes where that isn't smaller.
 * For 8 bits a channel, RGB or RGBA, not interlaced: what Chromium writes.
 * @param {Buffer} png @returns {Buffer}
 */
export function withoutFilters(png) {
  const data = [];
  /** @type {Buffer} */
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString("latin1", at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (type === "IHDR") header = content;
    if (type === "IDAT") data.push(content);
  }
  const [bits, color, , , interlaced] = header.subarray(8);
  if (bits !== 8 || (color !== 2 && color !== 6) || interlaced !== 0) return png;
  const step = color === 6 ? 4 : 3;
  const line = header.readUInt32BE(0) * step + 1;
  const pixels = inflateSync(Buffer.concat(data));
  for (let start = 0; start < pixels.length; start += line) {
    const filter = pixels[start] ?? 0;
    pixels[start] = 0;
    for (let x = 1; x < line; x++) {
      const i = start + x;
      const left = x > step ? (pixels[i - step] ?? 0) : 0;
      const up = start > 0 ? (pixels[i - line] ?? 0) : 0;
      const corner = x > step && start > 0 ? (pixels[i - line - step] ?? 0) : 0;
      pixels[i] = ((pixels[i] ?? 0) + predicted(filter, left, up, corner)) & 255;
    }
  }
  const packed = Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return packed.length < png.length ? packed : png;
}

/** PNG's five filters. @param {number} filter @param {number} left @param {number} up @param {number} corner */
function predicted(filter, left, up, corner) {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const byLeft = Math.abs(up - corner);
  const byUp = Math.abs(left - corner);
  const byCorner = Math.abs(left + up - 2 * corner);
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
}

/** @param {string} type @param {Buffer} content */
function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, check]);
}
