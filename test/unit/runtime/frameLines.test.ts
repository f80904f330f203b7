import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameLines } from "../../../src/runtime/worker/frameLines";

const TOKEN = "0123456789abcdef";

function read(chunks: readonly (string | Buffer)[]): { frames: string[]; garbage: number } {
  const frames: string[] = [];
  const lines = new FrameLines(TOKEN, (json) => frames.push(json));
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  return { frames, garbage: lines.garbageBytes };
}

const frame = (json: string): string => `\n${TOKEN} ${json}\n`;

describe("lines from the worker", () => {
  it("hands out frames and counts nothing else in a clean stream", () => {
    expect(read([frame('{"a":1}') + frame('{"b":2}')])).toEqual({
      frames: ['{"a":1}', '{"b":2}'],
      garbage: 0,
    });
  });

  it("finds a frame that comes right behind what user code wrote", () => {
    const { frames, garbage } = read([`half a line${frame('{"a":1}')}another line\n${frame('{"b":2}')}`]);
    expect(frames).toEqual(['{"a":1}', '{"b":2}']);
    expect(garbage).toBe("half a line".length + "another line".length);
  });

  it("takes no line for a frame that has another token, a part of it, or the token further in", () => {
    const { frames, garbage } = read([
      `fedcba9876543210 {"a":1}\n${TOKEN.slice(0, 8)} {"a":1}\n x${TOKEN} {"a":1}\n${TOKEN}{"a":1}\n${TOKEN}\n${TOKEN} \n`,
    ]);
    expect(frames).toEqual([]);
    expect(garbage).toBeGreaterThan(60);
  });

  it("doesn't keep an endless line of garbage", () => {
    const lines = new FrameLines(TOKEN, () => expect.fail("no frame was sent"));
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 200; n++) lines.push(Buffer.alloc(1 << 20, 0x78));
    expect(lines.garbageBytes).toBe(200 << 20);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 << 20);
  });

  it("keeps characters whole that a chunk cut in two", () => {
    const bytes = Buffer.from(frame('{"text":"東京 😀"}'));
    const single = [...bytes].map((byte) => Buffer.of(byte));
    expect(read(single)).toEqual({ frames: ['{"text":"東京 😀"}'], garbage: 0 });
  });

  it("gives the same frames however the stream is cut", () => {
    const piece = fc.oneof(
      fc.constant(frame('{"t":"unit"}')),
      fc.constant(frame('{"t":"é"}')),
      fc.string({ unit: fc.constantFrom("\n", "x", "\0", "0", "1", TOKEN, " ") }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat(40), { maxLength: 30 }),
        (pieces, sizes) => {
          const bytes = Buffer.from(pieces.join(""));
          const chunks: Buffer[] = [];
          let at = 0;
          for (const size of sizes) {
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          chunks.push(bytes.subarray(at));
          expect(read(chunks)).toEqual(read([bytes]));
        },
      ),
    );
  });
});
