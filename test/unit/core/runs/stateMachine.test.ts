import { describe, expect, it } from "vitest";
import {
  endOf,
  isLive,
  isOver,
  mayFollow,
  notStarted,
  type SeenEnd,
  unseenEnd,
} from "../../../../src/core/runs/stateMachine";
import { RUN_STATES } from "../../../../src/schema/run";

const seen = (change: Partial<SeenEnd>): SeenEnd => ({
  code: null,
  signal: null,
  asked: false,
  forced: false,
  memoryKill: false,
  tail: "",
  diskWasFull: false,
  ...change,
});

describe("transitions", () => {
  it("lead from nothing to an end, and from an end nowhere", () => {
    for (const from of RUN_STATES) {
      expect(isOver(from)).toBe(RUN_STATES.every((to) => !mayFollow(from, to)));
      expect(mayFollow(from, "created")).toBe(false);
      expect(isLive(from) && isOver(from)).toBe(false);
    }
    expect(RUN_STATES.filter(isOver)).toEqual(["finished", "failed", "killed", "stopped", "lost"]);
    expect(mayFollow("running", "starting")).toBe(false);
    expect(mayFollow("stopping", "running")).toBe(false);
  });
});

describe("what an end means", () => {
  it.each([
    ["code 0", { code: 0 }, "finished", null],
    ["a code", { code: 3, tail: "a\n  ValueError: x  \n\n" }, "failed", "exit-code"],
    ["a signal that nobody here sent", { signal: 9 }, "killed", "signal"],
    [
      "a signal, counted by the kernel as want of memory",
      { signal: 9, memoryKill: true },
      "killed",
      "out-of-memory",
    ],
    ["a child ended for want of memory", { code: 1, memoryKill: true }, "failed", "out-of-memory"],
    ["another signal in a group short of memory", { signal: 11, memoryKill: true }, "killed", "signal"],
    [
      "memory of the GPU",
      { code: 1, tail: "x\ntorch.OutOfMemoryError: CUDA out of memory.\n" },
      "failed",
      "out-of-memory",
    ],
    [
      "a full disk in the job's own words",
      { code: 1, tail: "OSError: [Errno 28] No space left on device\n" },
      "failed",
      "disk-full",
    ],
    ["a full disk that we saw", { code: 1, diskWasFull: true }, "failed", "disk-full"],
    ["a full disk that didn't matter", { code: 0, diskWasFull: true }, "finished", null],
    ["a shell's word for a missing program", { code: 127 }, "failed", "program-missing"],
    ["a shell's word for one that may not run", { code: 126 }, "failed", "cannot-start"],
    ["what was asked for", { signal: 2, asked: true }, "stopped", "stop-asked"],
    ["what was asked for, politely answered", { code: 0, asked: true }, "stopped", "stop-asked"],
    ["what was asked for, by force", { signal: 9, asked: true, forced: true }, "stopped", "stop-forced"],
  ] as const)("%s", (_, change, state, reason) => {
    const end = endOf(seen(change));
    expect([end.state, end.reason?.code ?? null]).toEqual([state, reason]);
    expect(end.exit).toEqual({ code: seen(change).code, signal: seen(change).signal });
  });

  it("keeps the line that says why", () => {
    expect(endOf(seen({ code: 3, tail: "a\n  ValueError: x  \n\n" })).reason?.text).toBe("ValueError: x");
    expect(endOf(seen({ code: 1, tail: "MemoryError\nlast" })).reason?.text).toBe("MemoryError");
    expect(endOf(seen({ code: 1, tail: "y".repeat(9000) })).reason?.text).toHaveLength(1000);
  });
});

describe("what wasn't seen", () => {
  it("is lost, never failed or finished", () => {
    expect(unseenEnd("a", "a")).toMatchObject({
      state: "lost",
      reason: { code: "supervisor-gone" },
      exit: null,
    });
    expect(unseenEnd("a", "b")).toMatchObject({ state: "lost", reason: { code: "machine-restarted" } });
    expect(unseenEnd("", "b")).toMatchObject({ state: "lost", reason: { code: "supervisor-gone" } });
  });

  it("a job that couldn't be started failed, with the system's reason", () => {
    expect(notStarted("ENOENT", "x").reason?.code).toBe("program-missing");
    expect(notStarted("EACCES", "x").reason?.code).toBe("cannot-start");
    expect(notStarted("ENOSPC", "x").reason?.code).toBe("disk-full");
    expect(notStarted(null, "z".repeat(5000)).reason?.text).toHaveLength(4000);
  });
});
