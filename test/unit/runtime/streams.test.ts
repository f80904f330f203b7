import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { LineWriter } from "../../../src/runtime/worker/lineWriter";
import { OutputTail } from "../../../src/runtime/worker/outputTail";

/** A pipe whose other side reads only when told to. */
function slowPipe(): { stream: Writable; read: () => void; text: () => string } {
  let waiting: (() => void) | null = null;
  let text = "";
  const stream = new Writable({
    highWaterMark: 16,
    write(chunk: Buffer, _, done) {
      text += chunk.toString("utf8");
      waiting = done;
    },
  });
  return {
    stream,
    text: () => text,
    read: () => {
      const done = waiting;
      waiting = null;
      done?.();
    },
  };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("lines to the worker", () => {
  it("are made only as fast as they are read, and arrive in order", async () => {
    const pipe = slowPipe();
    const writer = new LineWriter(pipe.stream);
    let made = 0;
    function* lines(): Generator<string> {
      for (; made < 50; made++) yield `line ${made} with some text`;
    }
    let done = false;
    const first = writer.write(lines()).then(() => (done = true));
    const second = writer.write(["the last one"]);
    await tick();
    expect(made).toBeLessThan(5);
    expect(done).toBe(false);
    for (let n = 0; n < 200; n++) {
      pipe.read();
      await tick();
    }
    await Promise.all([first, second]);
    const received = pipe.text().split("\n");
    expect(received).toHaveLength(52);
    expect(received[0]).toBe("line 0 with some text");
    expect(received[50]).toBe("the last one");
  });

  it("let nobody wait for a pipe that closed", async () => {
    const pipe = slowPipe();
    const writer = new LineWriter(pipe.stream);
    const waiting = writer.write(["a long line that fills the pipe", "another"]);
    pipe.stream.destroy(new Error("EPIPE"));
    await waiting;
    await writer.write(["never"]);
    expect(pipe.text()).not.toContain("never");
  });
});

describe("the tail of an output", () => {
  it("keeps the end of an endless stream in bounded memory and counts all of it", () => {
    const tail = new OutputTail(1000);
    for (let n = 0; n < 5000; n++) tail.push(Buffer.from(`${n}`.padStart(9) + "\n"));
    expect(tail.total).toBe(50_000);
    const text = tail.text();
    expect(text).toHaveLength(1000);
    expect(text.endsWith("     4999\n")).toBe(true);
  });

  it("gives what came after a place", () => {
    const tail = new OutputTail(1000);
    tail.push(Buffer.from("of the first unit"));
    const place = tail.total;
    expect(tail.text(place)).toBe("");
    tail.push(Buffer.from("of the "));
    tail.push(Buffer.from("second"));
    expect(tail.text(place)).toBe("of the second");
    expect(tail.text()).toBe("of the first unitof the second");
  });
});
