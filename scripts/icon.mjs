// Draws media/icon.png (128 × 128): bars that grow and a star, on a dark ground. No image library needed.
import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const SIZE = 128;
const SAMPLES = 4;
const GROUND = [31, 36, 48];
const BARS = [108, 182, 255];
const STAR = [255, 204, 77];

const bars = [
  { x: 22, top: 80 },
  { x: 44, top: 62 },
  { x: 66, top: 70 },
  { x: 88, top: 48 },
];
const star = Array.from({ length: 10 }, (_, i) => {
  const radius = i % 2 === 0 ? 17 : 7;
  const angle = -Math.PI / 2 + (i * Math.PI) / 5;
  return [97 + radius * Math.cos(angle), 27 + radius * Math.sin(angle)];
});

function inside(polygon, x, y) {
  let within = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) within = !within;
  }
  return within;
}

function colour(x, y) {
  const r = 24;
  const dx = Math.max(r - x, 0, x - (SIZE - r));
  const dy = Math.max(r - y, 0, y - (SIZE - r));
  if (Math.hypot(dx, dy) > r) return null;
  if (inside(star, x, y)) return STAR;
  if (bars.some((bar) => x >= bar.x && x < bar.x + 16 && y >= bar.top && y < 104)) return BARS;
  if (y >= 108 && y < 112 && x >= 18 && x < 110) return BARS;
  return GROUND;
}

const rows = Buffer.alloc(SIZE * (SIZE * 4 + 1));
for (let y = 0; y < SIZE; y++)
  for (let x = 0; x < SIZE; x++) {
    const sum = [0, 0, 0, 0];
    for (let sy = 0; sy < SAMPLES; sy++)
      for (let sx = 0; sx < SAMPLES; sx++) {
        const c = colour(x + (sx + 0.5) / SAMPLES, y + (sy + 0.5) / SAMPLES);
        if (c) {
          for (let k = 0; k < 3; k++) sum[k] += c[k];
          sum[3]++;
        }
      }
    const at = y * (SIZE * 4 + 1) + 1 + x * 4;
    for (let k = 0; k < 3; k++) rows[at + k] = sum[3] === 0 ? 0 : Math.round(sum[k] / sum[3]);
    rows[at + 3] = Math.round((sum[3] / (SAMPLES * SAMPLES)) * 255);
  }

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 6, 0, 0, 0], 8);
writeFileSync(
  new URL("../media/icon.png", import.meta.url),
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]),
);
