import { crc32, deflateSync, inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { withoutFilters } from "../../../scripts/lib/png.mjs";

const WIDTH = 64;
const LINE = WIDTH * 3 + 1;
/** A flat picture with a few letters' edges, one line a filter, by PNG's own definition (forwards). */
const pixel = (x: number, y: number): number => (x < 0 || y < 0 ? 0 : ((x >> 4) * 40 + (y % 5) * 3) & 255);

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
function picture(height: number): Buffer {
  const header = Buffer.from([0, 0, 0, WIDTH, 0, 0, 0, height, 8, 2, 0, 0, 0]);
  const raw = Buffer.alloc(LINE * height);
  for (let y = 0; y < height; y++) {
    raw[y * LINE] = y % 5;
    for (let at = 0; at < WIDTH * 3; at++) {
      const x = Math.floor(at / 3);
      const [a, b, c] = [pixel(x - 1, y), pixel(x, y - 1), x === 0 ? 0 : pixel(x - 1, y - 1)];
      const p = a + b - c;
      const nearest = [a, b, c].reduce((best, one) => (Math.abs(p - one) < Math.abs(p - best) ? one : best));
      const by = [0, a, b, (a + b) >> 1, nearest][y % 5] ?? 0;
      raw[y * LINE + 1 + at] = (pixel(x, y) - by) & 255;
    }
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  // Packed badly, so that the other is smaller.
  const data = deflateSync(raw, { level: 0 });
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

it("a picture without filters has the same pixels, in fewer bytes", () => {
  const height = 20;
  const given = picture(height);
  const light = withoutFilters(given);
  expect(light.length).toBeLessThan(given.length);
  const at = light.indexOf("IDAT");
  const pixels = inflateSync(light.subarray(at + 4, at + 4 + light.readUInt32BE(at - 4)));
  for (let y = 0; y < height; y++) {
    expect(pixels[y * LINE]).toBe(0);
    for (let x = 0; x < WIDTH; x++) expect(pixels[y * LINE + 1 + 3 * x]).toBe(pixel(x, y));
  }
  expect(withoutFilters(light)).toEqual(light);
});
