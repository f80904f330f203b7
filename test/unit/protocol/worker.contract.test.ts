import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Frame, ToWorker } from "../../../src/protocol/worker.contract";

/** What a real worker was told and said (python/tests/golden.py writes it, its own tests compare with it). */
function golden(name: string): Record<string, unknown>[] {
  const path = new URL(`../../fixtures/worker/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>[];
}

const requests = golden("requests");
const frames = golden("frames");

it("reads every request of the golden session and keeps all of it", () => {
  for (const request of requests) expect(ToWorker.parse(request)).toEqual(request);
});

it("reads every frame of the golden session and keeps all of it: no field of the worker's is unknown here", () => {
  for (const frame of frames) expect(Frame.parse(frame)).toEqual(frame);
});

it("the session shows every kind of message", () => {
  const kinds = (messages: Record<string, unknown>[]) => [...new Set(messages.map((m) => m["t"]))].sort();
  expect(kinds(requests)).toEqual(ToWorker.options.map((option) => option.shape.t.value).sort());
  expect(kinds(frames)).toEqual(Frame.options.map((option) => option.shape.t.value).sort());
});

it("refuses a frame with a bare NaN, a state of its own making or a row number below zero", () => {
  const unit = frames.find((frame) => frame["t"] === "unit");
  expect(Frame.safeParse(unit).success).toBe(true);
  expect(Frame.safeParse({ ...unit, values: [Number.NaN] }).success).toBe(false);
  expect(Frame.safeParse({ ...unit, states: ["fine"] }).success).toBe(false);
  const run = requests.find((request) => request["t"] === "run") as { t: "run"; job: object };
  expect(ToWorker.safeParse({ t: "run", job: { ...run.job, batches: [[1]] } }).success).toBe(true);
  expect(ToWorker.safeParse({ t: "run", job: { ...run.job, batches: [[-1]] } }).success).toBe(false);
});
