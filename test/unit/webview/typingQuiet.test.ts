import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Emitter } from "../../../src/base/event";
import { labDataContract } from "../../../src/protocol/labData.contract";
import { Lab } from "../../../webview/lab/lab";
import { tableModel } from "../../../webview/lab/table/model";

interface Sent {
  readonly k: string;
  readonly m?: string;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("the table asks for nothing while somebody types and scores stream, then once for the newest", () => {
  const sent: Sent[] = [];
  const messages = new Emitter<unknown>();
  const lab = new Lab({
    channel: {
      post: (message) => sent.push(message as Sent),
      onMessage: messages.event,
      onClose: () => ({ dispose: () => undefined }),
    },
    kept: () => undefined,
    keep: () => undefined,
  });
  const { name, version } = labDataContract;
  const stream = (seq: number): void =>
    messages.fire({ c: name, v: version, k: "evt", m: "changed", p: { seq, what: "scores" } });
  const questions = (): (string | undefined)[] =>
    sent.splice(0).flatMap(({ k, m }) => (k === "req" ? [m] : []));

  tableModel(lab).show(0, 20);
  stream(1);
  const first = questions();
  expect(first, "rows are asked for").toContain("page");

  for (let key = 0; key < 8; key++) {
    lab.pace.typed();
    stream(2 + key);
    vi.advanceTimersByTime(60);
  }
  expect(questions()).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(lab.seq.value).toBe(9);
});
