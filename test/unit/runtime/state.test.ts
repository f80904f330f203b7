import { describe, expect, it } from "vitest";
import { step, type Failure, type WorkerEvent, type WorkerState } from "../../../src/runtime/worker/state";

const failure: Failure = { code: "PythonFailed", message: "it broke", detail: { stderr: "tail" } };

const states: Record<WorkerState["kind"], WorkerState> = {
  idle: { kind: "idle" },
  starting: { kind: "starting" },
  ready: { kind: "ready" },
  busy: { kind: "busy", job: 7 },
  stopping: { kind: "stopping" },
  failed: { kind: "failed", failure },
};

const events: Record<string, WorkerEvent> = {
  wanted: { kind: "wanted" },
  started: { kind: "started" },
  startFailed: { kind: "startFailed", failure },
  jobTaken: { kind: "jobTaken", job: 7 },
  jobEnded: { kind: "jobEnded", job: 7 },
  otherJobEnded: { kind: "jobEnded", job: 6 },
  lost: { kind: "lost", failure },
  stop: { kind: "stop" },
  stopped: { kind: "stopped" },
};

/** state, event → next state, what is to be done. Whatever isn't here changes nothing. */
const table: [WorkerState["kind"], string, WorkerState["kind"], string[]][] = [
  ["idle", "wanted", "starting", ["start"]],
  ["failed", "wanted", "starting", ["start"]],
  ["ready", "wanted", "ready", ["admit"]],
  ["busy", "wanted", "busy", ["admit"]],
  ["stopping", "wanted", "stopping", ["refuse"]],
  ["starting", "started", "ready", ["admit"]],
  ["starting", "startFailed", "failed", ["refuse"]],
  ["starting", "lost", "failed", ["refuse"]],
  ["ready", "jobTaken", "busy", ["run"]],
  ["busy", "jobEnded", "ready", ["renew"]],
  ["ready", "lost", "failed", ["report"]],
  ["busy", "lost", "failed", ["report"]],
  ["idle", "stop", "stopping", ["end"]],
  ["starting", "stop", "stopping", ["refuse", "end"]],
  ["ready", "stop", "stopping", ["end"]],
  ["busy", "stop", "stopping", ["end"]],
  ["failed", "stop", "stopping", ["end"]],
  ["stopping", "stopped", "idle", []],
];

describe("the worker's states", () => {
  const expected = new Map(table.map(([from, event, to, effects]) => [`${from} ${event}`, { to, effects }]));
  const every = Object.keys(states).flatMap((from) =>
    Object.keys(events).map((event) => [from, event] as const),
  );

  it.each(every)("%s, %s", (from, event) => {
    const before = states[from as WorkerState["kind"]];
    const { state, effects } = step(before, events[event]!);
    const row = expected.get(`${from} ${event}`);
    if (!row) {
      expect(state).toBe(before);
      expect(effects).toEqual([]);
      return;
    }
    expect(state.kind).toBe(row.to);
    expect(effects.map(({ kind }) => kind)).toEqual(row.effects);
  });

  it("passes on why it failed", () => {
    expect(step(states.starting, events["startFailed"]!)).toEqual({
      state: { kind: "failed", failure },
      effects: [{ kind: "refuse", failure }],
    });
    expect(step(states.busy, events["lost"]!).effects).toEqual([{ kind: "report", failure }]);
  });

  it("goes the whole way round", () => {
    let state: WorkerState = states.idle;
    const seen = [state.kind];
    for (const event of ["wanted", "started", "jobTaken", "jobEnded", "stop", "stopped", "wanted"]) {
      state = step(state, events[event]!).state;
      seen.push(state.kind);
    }
    expect(seen).toEqual(["idle", "starting", "ready", "busy", "ready", "stopping", "idle", "starting"]);
  });
});
