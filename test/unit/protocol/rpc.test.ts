import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { RewardsmithError } from "../../../src/base/errors";
import { Emitter } from "../../../src/base/event";
import { type Channel, contract, createClient, createServer, method } from "../../../src/protocol/rpc";

const spec = contract(
  "test",
  1,
  {
    double: method(z.strictObject({ value: z.number() }), z.object({ value: z.number() })),
    wait: method(z.object({}), z.null()),
    fail: method(z.object({ how: z.enum(["typed", "untyped"]) }), z.null()),
    lie: method(z.object({}), z.object({ value: z.number() })),
  },
  { tick: z.object({ n: z.number() }) },
);

/** Two ends of a bus that carries JSON text, as every real transport of ours does. */
function pair(): { a: Channel; b: Channel; close(): void; toA: Emitter<unknown> } {
  const toA = new Emitter<unknown>();
  const toB = new Emitter<unknown>();
  const closed = new Emitter<void>();
  const send = (target: Emitter<unknown>) => (message: unknown) => {
    const text = JSON.stringify(message);
    queueMicrotask(() => target.fire(JSON.parse(text)));
  };
  return {
    a: { post: send(toB), onMessage: toA.event, onClose: closed.event },
    b: { post: send(toA), onMessage: toB.event, onClose: closed.event },
    close: () => closed.fire(),
    toA,
  };
}

function setUp() {
  const reports: string[] = [];
  const bus = pair();
  const ticks: number[] = [];
  const aborted: string[] = [];
  const server = createServer(
    spec,
    bus.b,
    {
      double: ({ value }) => Promise.resolve({ value: value * 2 }),
      wait: (_params, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted.push("wait");
            resolve(null);
          });
        }),
      fail: ({ how }) =>
        Promise.reject(
          how === "typed" ? new RewardsmithError("NoSamples", "none", { path: "a" }) : new Error("oops"),
        ),
      lie: () => Promise.resolve({ value: "not a number" } as unknown as { value: number }),
    },
    (text) => reports.push(text),
  );
  const end = createClient(spec, bus.a, { tick: ({ n }) => ticks.push(n) }, (text) => reports.push(text));
  return { bus, server, ...end, reports, ticks, aborted };
}

afterEach(() => vi.useRealTimers());

describe("rpc", () => {
  it("answers, each call with its own result", async () => {
    const { client } = setUp();
    const [a, b] = await Promise.all([client.double({ value: 2 }), client.double({ value: 5 })]);
    expect([a.value, b.value]).toEqual([4, 10]);
  });

  it("refuses a request that doesn't fit, without calling the handler", async () => {
    const { client } = setUp();
    await expect(client.double({ value: "2" } as unknown as { value: number })).rejects.toMatchObject({
      code: "ProtocolMismatch",
    });
  });

  it("refuses a result that doesn't fit", async () => {
    await expect(setUp().client.lie({})).rejects.toMatchObject({ code: "ProtocolMismatch" });
  });

  it("carries typed errors whole, and turns others into Internal with the stack in the log only", async () => {
    const { client, reports } = setUp();
    await expect(client.fail({ how: "typed" })).rejects.toMatchObject({
      code: "NoSamples",
      detail: { path: "a" },
    });
    await expect(client.fail({ how: "untyped" })).rejects.toMatchObject({
      code: "Internal",
      message: "oops",
    });
    expect(reports.join()).toContain("oops");
  });

  it("ends a call on cancel and tells the handler", async () => {
    const { client, aborted } = setUp();
    const controller = new AbortController();
    const call = client.wait({}, { signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "Cancelled" });
    await vi.waitFor(() => expect(aborted).toEqual(["wait"]));
  });

  it("ends a call on timeout", async () => {
    await expect(setUp().client.wait({}, { timeoutMs: 5 })).rejects.toMatchObject({ code: "TimedOut" });
  });

  it("ends every pending call when the other side goes, and refuses later ones", async () => {
    const { client, bus } = setUp();
    const call = client.wait({});
    bus.close();
    await expect(call).rejects.toMatchObject({ code: "Disposed" });
    await expect(client.double({ value: 1 })).rejects.toMatchObject({ code: "Disposed" });
  });

  it("drops garbage and other contracts' messages, and goes on", async () => {
    const { client, bus, reports } = setUp();
    bus.toA.fire("garbage");
    bus.toA.fire({ c: "someone-else", v: 1, k: "evt", m: "tick", p: { n: 1 } });
    bus.toA.fire({ c: "test", v: 1, k: "evt", m: "tick", p: { n: "x" } });
    expect((await client.double({ value: 3 })).value).toBe(6);
    expect(reports).toHaveLength(2);
  });

  it("delivers events in order", async () => {
    const { server, ticks } = setUp();
    server.emit("tick", { n: 1 });
    server.emit("tick", { n: 2 });
    await vi.waitFor(() => expect(ticks).toEqual([1, 2]));
  });
});
