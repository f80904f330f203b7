import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Emitter } from "../../../src/base/event";
import { WatchedChannel } from "../../../webview/shared/answers";

const QUIET = 10_000;
const req = (id: number) => ({ c: "lab", v: 1, k: "req", id, m: "x", p: {} });
const res = (id: number) => ({ c: "lab", v: 1, k: "res", id, r: null });

/** A channel whose other side is the test; `probes` counts what was asked of it besides. */
function watched() {
  const from = new Emitter<unknown>();
  const posted: unknown[] = [];
  const channel = new WatchedChannel(
    {
      post: (message) => posted.push(message),
      onMessage: from.event,
      onClose: () => ({ dispose: () => undefined }),
    },
    QUIET,
  );
  let probes = 0;
  channel.probe = () => {
    probes++;
    channel.post(req(1000 + probes));
  };
  return { channel, posted, hear: (message: unknown) => from.fire(message), probes: () => probes };
}

describe("a channel that notices when nobody answers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("asks nothing while nothing is open, however long", () => {
    const { channel, posted, hear, probes } = watched();
    vi.advanceTimersByTime(10 * QUIET);
    channel.post(req(1));
    hear(res(1));
    vi.advanceTimersByTime(10 * QUIET);
    expect([channel.gone.value, probes(), posted.length]).toEqual([false, 0, 1]);
  });

  it("a question that takes long is no sign: what is answered at once is asked, and was", () => {
    const { channel, hear, probes } = watched();
    channel.post(req(1));
    for (let i = 1; i <= 5; i++) {
      vi.advanceTimersByTime(QUIET + 1);
      expect(probes()).toBe(i);
      hear(res(1000 + i));
    }
    hear(res(1));
    vi.advanceTimersByTime(10 * QUIET);
    expect([channel.gone.value, probes()]).toEqual([false, 5]);
  });

  it("any message starts the wait anew; an event is one", () => {
    const { channel, hear, probes } = watched();
    channel.post(req(1));
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(QUIET - 1);
      hear({ c: "labData", v: 1, k: "evt", m: "changed", p: {} });
    }
    expect(probes()).toBe(0);
  });

  it("nothing after both waits: gone, said once, until something comes", () => {
    const { channel, hear, probes } = watched();
    const said: boolean[] = [];
    channel.gone.subscribe((gone) => said.push(gone));
    channel.post(req(1));
    vi.advanceTimersByTime(QUIET + 1);
    channel.post(req(2));
    vi.advanceTimersByTime(QUIET + 1);
    expect(channel.gone.value).toBe(true);
    channel.post(req(3));
    vi.advanceTimersByTime(10 * QUIET);
    expect(probes()).toBe(1);
    hear(res(3));
    expect(said).toEqual([false, true, false]);
  });

  it("a question that was given up is waited for by nobody", () => {
    const { channel, probes } = watched();
    channel.post(req(1));
    channel.post({ c: "lab", v: 1, k: "cancel", id: 1 });
    vi.advanceTimersByTime(10 * QUIET);
    expect([channel.gone.value, probes()]).toEqual([false, 0]);
  });
});
