import { describe, expect, it } from "vitest";
import type { ViewScores } from "../../../src/protocol/lab.contract";
import type { FileScores } from "../../../src/schema/live";
import { emptyReason, groupText, progress, statusOf } from "../../../webview/lab/headStatus";
import { speechOf } from "../../../webview/shared/speech";

const speech = speechOf({}, "en");
const SCORES: FileScores = {
  path: "/w/reward.py",
  seq: 1,
  docVersion: 1,
  status: "fresh",
  blocked: null,
  error: null,
  set: { set: "s", files: ["/w/outputs.jsonl"], rows: 200, groups: 25, shape: "text", hash: "h" },
  pinned: null,
  functions: [],
  findings: [],
  versionHash: null,
  timing: { queuedMs: 1, passMs: 41, totalMs: 50, mode: "fork" },
};
const view = (scores: Partial<FileScores> | null, more: Partial<ViewScores> = {}): ViewScores => ({
  scores: scores === null ? null : { ...SCORES, ...scores },
  problem: null,
  chosen: true,
  trusted: true,
  columns: [],
  ...more,
});
const error = {
  code: "SyntaxError",
  message: "invalid syntax",
  path: "/w/reward.py",
  line: 15,
  column: 4,
  name: null,
};

describe("what the Lab waits for", () => {
  it("is said in place of an empty table, with the one command that helps", () => {
    expect(emptyReason(view(null, { trusted: false }), speech)?.help?.command).toBe("manageTrust");
    expect(emptyReason(view(null, { chosen: false }), speech)?.help?.command).toBe("pickSamples");
    expect(emptyReason(view(null, { problem: "gone" }), speech)?.text).toBe("gone");
    expect(emptyReason(view({ blocked: "no-python" }), speech)?.help?.command).toBe("selectPython");
    expect(emptyReason(view({ blocked: "gone", set: null }), speech)?.help?.command).toBe("pickSamples");
  });

  it("leaves the table where there is something to see", () => {
    expect(emptyReason(view({}), speech)).toBeNull();
    expect(emptyReason(view({ blocked: "paused" }), speech)).toBeNull();
    expect(emptyReason(view({ error }), speech)).toBeNull();
    expect(emptyReason(view(null), speech)).toBeNull();
  });
});

describe("the head's state", () => {
  it("names the line that the text fails at", () => {
    const own = statusOf(view({ status: "old", error }), speech);
    expect(own).toMatchObject({
      kind: "old",
      text: "old: syntax error line 15",
      place: { line: 15, file: null },
    });
    const other = statusOf(view({ status: "old", error: { ...error, path: "/w/util.py" } }), speech);
    expect(other.place).toEqual({ line: 15, file: "/w/util.py" });
  });

  it("says how far a pass is, and offers to cancel it", () => {
    const functions = [
      { n: 120, of: 200 },
      { n: 80, of: 200 },
    ];
    expect(progress(functions)).toEqual({ n: 80, of: 200 });
    expect(statusOf(view({ status: "running" }), speech)).toMatchObject({
      kind: "running",
      help: { command: "cancel" },
    });
    // A pass that runs over a broken text is still a pass.
    expect(statusOf(view({ status: "running", error }), speech).kind).toBe("running");
  });

  it("is up to date with the pass's time, or waits with its way on", () => {
    expect(statusOf(view({}), speech).text).toBe("up to date · 41 ms");
    expect(statusOf(view({ blocked: "paused" }), speech)).toMatchObject({
      kind: "blocked",
      text: "paused",
      help: { command: "resumeLive" },
    });
    expect(statusOf(view({ blocked: "manual" }), speech).help?.command).toBe("score");
  });

  it("names the size of groups only where they all have one", () => {
    expect(groupText(200, 25, speech)).toBe("group 8");
    expect(groupText(201, 25, speech)).toBe("25 groups");
    expect(groupText(7, 1, speech)).toBe("group 7");
  });
});
