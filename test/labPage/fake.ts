/**
 * A stand-in for VS Code around the Lab's page: a fake host and a fake engine behind the real contracts, with made-up
 * rows. For looking at the page, for axe and for measuring it without an editor; what the numbers mean is tested
 * elsewhere.
 */
import { Emitter } from "../../src/base/event";
import { labContract, type LabContract, type ViewScores } from "../../src/protocol/lab.contract";
import { labDataContract, type LabDataContract } from "../../src/protocol/labData.contract";
import { type Channel, createServer } from "../../src/protocol/rpc";
import type { LabGroup, LabPage, LabRow } from "../../src/schema/lab";
import type { SampleLabel } from "../../src/schema/label";
import type { FunctionScores } from "../../src/schema/live";
import type { ScoreState } from "../../src/schema/score";
import { FakeDocument, SOURCE } from "./fakeDocument";

const params = new URLSearchParams(location.search);
const rows = Number(params.get("rows") ?? 20_000);
const delay = Number(params.get("delay") ?? 0);
const mode = params.get("mode") === "panel" ? "panel" : "editor";
const empty = params.get("state");

const GROUP = 8;
const STATES: readonly ScoreState[] = [
  "raised",
  "not-applicable",
  "timed-out",
  "non-finite",
  "invalid-return",
  "held",
];
const random = (seed: number): number => {
  const x = Math.sin(seed * 12.9898 + 78.233) * 43758.5453;
  return x - Math.floor(x);
};

interface Sample {
  readonly row: number;
  readonly correct: number | null;
  readonly format: number;
  readonly state: ScoreState;
  readonly ms: number;
  readonly text: string;
}
const samples: Sample[] = Array.from({ length: rows }, (_, row) => {
  const state = random(row) < 0.03 ? STATES[row % STATES.length]! : "scored";
  const tied = Math.floor(row / GROUP) % 7 === 0;
  const right = tied ? 1 : random(row + 0.5) < 0.62 ? 1 : 0;
  return {
    row,
    correct: state === "scored" ? right : null,
    format: tied ? 1 : random(row + 0.25) < 0.8 ? 1 : 0,
    state,
    ms: 0.05 + random(row + 0.75) / 5,
    text: `The answer is ${right ? 4 : 5}. ${"We add the two numbers and look at the result once more. ".repeat(row % 5)}`,
  };
});
let weights: Record<string, number> = { correctness: 1, format: 0.3 };
const labels = new Map<number, SampleLabel>(
  samples
    .filter(({ row }) => row % 53 === 0)
    .map(({ row }) => [
      row,
      { value: row % 2 ? "bad" : "good", source: "sidecar", stream: row % 3 ? "random" : "hunting", by: "" },
    ]),
);
const totalOf = (s: Sample): number | null =>
  s.correct === null
    ? null
    : s.correct * (weights["correctness"] ?? 1) + s.format * (weights["format"] ?? 0.3);

function advantages(group: number): (number | null)[] {
  const totals = samples.slice(group * GROUP, group * GROUP + GROUP).map(totalOf);
  const known = totals.filter((t) => t !== null);
  const mean = known.reduce((a, b) => a + b, 0) / known.length;
  const std = Math.sqrt(known.reduce((a, b) => a + (b - mean) ** 2, 0) / Math.max(1, known.length - 1));
  return totals.map((t) => (t === null ? null : (t - mean) / (std + 1e-4)));
}

function labRow(s: Sample): LabRow {
  const group = Math.floor(s.row / GROUP);
  const advantage = advantages(group)[s.row % GROUP] ?? null;
  return {
    row: s.row,
    id: `s${s.row}`,
    group: `p${String(group).padStart(2, "0")}`,
    groupAt: group,
    state: s.state,
    cells: [
      { state: s.state, value: s.correct, recovered: false, ...(s.row % 41 === 0 ? { before: 0 } : {}) },
      { state: "scored", value: s.format, recovered: false },
    ],
    total: totalOf(s),
    advantage,
    ifFixed: advantage,
    label: labels.get(s.row) ?? null,
    change:
      s.row % 41 === 0
        ? { direction: s.row % 2 ? -1 : 1, by: s.row % 2 ? -1 : 1, state: false, rank: true, sign: false }
        : null,
    ms: s.ms,
    length: s.text.length,
    text: s.text.slice(0, 200),
    reason: s.state === "raised" ? { code: "exception", type: "ValueError", line: 19 } : null,
  };
}

const FUNCTIONS = (): LabPage["functions"] => [
  { name: "correctness", contract: "trl", weight: weights["correctness"] ?? 1, line: 11 },
  { name: "format", contract: "trl", weight: weights["format"] ?? 0.3, line: 22 },
];

function order(filter: string, sort: readonly { key: string; descending: boolean }[]): Sample[] {
  const wanted = /state:(\S+)/u.exec(filter)?.[1];
  const word = filter.replace(/\S+:\S+/gu, "").trim();
  const found = samples.filter(
    (s) =>
      (wanted === undefined || wanted.split(",").includes(s.state)) && (word === "" || s.text.includes(word)),
  );
  const [first] = sort;
  if (first) {
    const value = (s: Sample): number | null =>
      first.key === "total"
        ? totalOf(s)
        : first.key === "ms"
          ? s.ms
          : first.key === "length"
            ? s.text.length
            : s.row;
    found.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return x === y ? a.row - b.row : x === null ? 1 : -1;
      return (x - y) * (first.descending ? -1 : 1) || a.row - b.row;
    });
  }
  return found;
}

let seq = 1;
const head = () => ({ seq, docVersion: documentHalf.version, status: "fresh" as const });
const wait = <T>(value: T): Promise<T> =>
  new Promise((resolve) => (delay > 0 ? setTimeout(() => resolve(value), delay) : resolve(value)));

/** The host is gone: nothing comes any more. */
let muted = false;
Object.assign(window, { mute: (on: boolean) => (muted = on) });

const fromPage = new Emitter<unknown>();
const channel: Channel = {
  post: (message) => {
    if (muted) return;
    const copy = structuredClone(message);
    setTimeout(() => window.postMessage(copy, "*"), delay);
  },
  onMessage: fromPage.event,
  onClose: () => ({ dispose: () => undefined }),
};

const histogramOf = (values: (number | null)[]) => {
  const counts = Array.from({ length: 10 }, () => 0);
  let n = 0;
  for (const v of values)
    if (v !== null) {
      n++;
      counts[Math.min(9, Math.floor((v / 1.3) * 10))]!++;
    }
  return { edges: Array.from({ length: 11 }, (_, i) => (i * 1.3) / 10), counts, n };
};

const members = (group: number) => {
  const a = advantages(group);
  return samples
    .slice(group * GROUP, group * GROUP + GROUP)
    .map((s, i) => ({ row: s.row, total: totalOf(s), advantage: a[i] ?? null, state: s.state }));
};

function groupOf(index: number): LabGroup {
  const all = members(index);
  const known = all.flatMap((m) => (m.total === null ? [] : [m.total]));
  const mean = known.reduce((x, y) => x + y, 0) / known.length;
  const std = Math.sqrt(known.reduce((x, y) => x + (y - mean) ** 2, 0) / Math.max(1, known.length - 1));
  const tied = std < 1e-6;
  return {
    index,
    id: `p${String(index).padStart(2, "0")}`,
    size: all.length,
    n: all.length,
    mean,
    std,
    tied,
    filtered: false,
    noGradient: tied,
    cause: tied ? "all-right" : null,
    members: all,
    separatedBy: tied
      ? []
      : [
          { function: "correctness", share: 0.8 },
          { function: "format", share: 0.2 },
        ],
    crumb: index % 9 === 3 ? { function: "correctness", spread: 0.01, advantage: 2.4 } : null,
    prompt: `What is ${index} + ${index % 5}?`,
  };
}

const counts = () => {
  const all = [...labels.values()];
  const of = (stream: string): number => all.filter((label) => label.stream === stream).length;
  return {
    file: "outputs.labels.jsonl",
    labelled: all.length,
    random: of("random"),
    hunting: of("hunting"),
    chosen: of("chosen"),
    good: all.filter(({ value }) => value === "good").length,
    bad: all.filter(({ value }) => value === "bad").length,
    numbers: 0,
    pairs: 0,
    data: 0,
    looked: 12,
    lookedOf: 50,
    problems: 0,
  };
};

const detailFunctions = (s: Sample) => [
  {
    name: "correctness",
    line: 11,
    weight: weights["correctness"] ?? 1,
    state: s.state,
    value: s.correct,
    recovered: false,
    reason:
      s.state === "raised"
        ? {
            code: "exception" as const,
            type: "ValueError",
            text: "ValueError: could not convert string to float: 'four'",
            line: 19,
            traceback:
              "Traceback (most recent call last):\n  File \"reward.py\", line 19, in correctness\n    scores.append(float(found[0] == gold))\nValueError: could not convert string to float: 'four'\n",
          }
        : null,
    output: s.row % 4 === 0 ? `checking row ${s.row}\n` : null,
    ms: s.ms,
    fate: null,
  },
  {
    name: "format",
    line: 22,
    weight: weights["format"] ?? 0.3,
    state: "scored" as const,
    value: s.format,
    recovered: false,
    reason: null,
    output: null,
    ms: 0.02,
    fate: null,
  },
];

const data = createServer<LabDataContract["methods"], LabDataContract["events"]>(
  labDataContract,
  channel,
  {
    page: ({ query, from, count }) => {
      if (query.weights) weights = { ...weights, ...query.weights };
      const all = order(query.filter, query.sort);
      return wait({
        ...head(),
        functions: FUNCTIONS(),
        rows,
        scored: rows,
        matched: all.length,
        from,
        page: all.slice(from, from + count).map(labRow),
        filterError: query.filter.includes("??")
          ? { message: "unknown-field", code: "unknown-field", subject: "??", near: null, from: 0, to: 2 }
          : null,
        columns: ["answer", "level"],
      });
    },
    find: ({ query, row }) => {
      const at = order(query.filter, query.sort).findIndex((s) => s.row === row);
      return wait({ at: at === -1 ? null : at });
    },
    copy: () => wait({ text: "| # | total |\n| --- | --- |\n| 1 | 1.0 |\n", rows: 1 }),
    groups: ({ from, count, weights: asked }) => {
      if (asked) weights = { ...weights, ...asked };
      const total = Math.ceil(rows / GROUP);
      return wait({
        ...head(),
        functions: FUNCTIONS(),
        total,
        counts: {
          n: total,
          tied: Math.ceil(total / 7),
          filtered: 0,
          noGradient: Math.ceil(total / 7),
          crumbs: Math.floor(total / 9),
        },
        range: [0, 1.3] as [number, number],
        formula: "(r − mean) / (std + 1e-4), TRL 1.16.0",
        hypothetical: false,
        from,
        groups: Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, i) =>
          groupOf(from + i),
        ),
      });
    },
    detail: ({ row }) => {
      const s = samples[row]!;
      const r = labRow(s);
      return wait({
        ...head(),
        row,
        id: r.id,
        group: r.group,
        groupAt: r.groupAt,
        file: "outputs.jsonl",
        line: row + 1,
        prompt: `What is ${r.groupAt} + ${r.groupAt % 5}?`,
        completion:
          row % 6 === 5
            ? [
                {
                  role: "assistant",
                  content: s.text,
                  tool_calls: [{ function: { name: "add", arguments: '{"a":2,"b":2}' } }],
                },
              ]
            : s.text,
        columns: { answer: "4", level: row % 3, meta: { source: "generated", n: [1, 2, 3] } },
        cut: false,
        label: r.label,
        functions: detailFunctions(s),
        total: r.total,
        advantage: r.advantage,
        ifFixed: r.ifFixed,
        members: members(r.groupAt),
      });
    },
    visible: () => wait(null),
    pictures: ({ points }) =>
      wait({
        ...head(),
        histograms: [
          {
            function: "correctness",
            ...histogramOf(samples.map((s) => s.correct)),
            estimate: {
              mean: 0.62,
              halfWidth: 0.07,
              n: rows,
              unit: "group" as const,
              clusters: rows / GROUP,
            },
          },
          {
            function: "format",
            ...histogramOf(samples.map((s) => s.format)),
            estimate: { mean: 0.8, halfWidth: 0.03, n: rows, unit: "group" as const, clusters: rows / GROUP },
          },
          {
            function: null,
            ...histogramOf(samples.map(totalOf)),
            estimate: {
              mean: 0.86,
              halfWidth: 0.07,
              n: rows,
              unit: "group" as const,
              clusters: rows / GROUP,
            },
          },
        ],
        length: {
          points: samples
            .slice(0, Math.min(points, 2000))
            .map((s) => ({ row: s.row, length: s.text.length - 120, total: (totalOf(s) ?? 0) - 0.8 })),
          of: rows,
          r: 0.12,
          slope: 0.03,
          groups: rows / GROUP,
          unit: "characters" as const,
        },
      }),
    flips: ({ from, count }) => {
      const flipped = samples.filter((s) => s.row % 41 === 0);
      return wait({
        ...head(),
        baseline: { kind: "saved" as const, hash: "abc" },
        total: flipped.length,
        from,
        flips: flipped.slice(from, from + count).map((s) => ({
          row: s.row,
          group: labRow(s).group,
          function: "correctness",
          before: { state: "scored" as const, value: s.row % 2 ? 1 : 0, rank: 3 },
          now: { state: s.state, value: s.correct, rank: 1 },
          direction: s.row % 2 ? -1 : 1,
          rank: true,
          sign: s.row % 3 === 0,
          text: s.text.slice(0, 200),
        })),
        summary: [
          {
            function: "correctness",
            compared: rows,
            up: 2,
            down: 1,
            rank: 3,
            sign: 1,
            tau: 0.91,
            tauGroups: 20,
          },
        ],
      });
    },
    hunks: () =>
      wait({
        hunks: [
          {
            id: 0,
            before: { from: 4, to: 5 },
            now: { from: 4, to: 5 },
            removed: ['NUMBER = re.compile(r"\\d")'],
            added: ['NUMBER = re.compile(r"\\d+")'],
          },
          {
            id: 1,
            before: { from: 19, to: 20 },
            now: { from: 19, to: 21 },
            removed: ["        scores.append(0.0)"],
            added: ["        scores.append(None)", "        continue"],
          },
        ],
        causes: samples
          .filter((s) => s.row % 41 === 0)
          .slice(0, 30)
          .map((s) => ({ row: s.row, function: "correctness", hunks: s.row % 3 === 0 ? [] : [s.row % 2] })),
        failed: [],
        otherFiles: [],
      }),
    way: ({ row, completion }) => {
      const s = samples[row]!;
      const text = typeof completion === "string" ? completion : s.text;
      const at = /\d+/u.exec(text);
      const span: [number, number] = at ? [at.index, at.index + at[0].length] : [0, 0];
      return wait({
        function: "correctness",
        state: s.state,
        value: s.correct,
        reason: null,
        output: null,
        steps: [
          { line: 13, values: { scores: "[]" } },
          { line: 14, values: { text: JSON.stringify(text.slice(0, 30)), gold: "'4'" } },
          {
            line: 15,
            values: {
              found: at ? `<re.Match object; span=(${span[0]}, ${span[1]}), match='${at[0]}'>` : "None",
            },
          },
          { line: 16, values: {} },
          { line: 19, values: { scores: s.correct ? "[1.0]" : "[0.0]" } },
          { line: 20, values: { return: s.correct ? "[1.0]" : "[0.0]" } },
        ],
        cut: false,
        observations: [
          {
            kind: "match" as const,
            step: 2,
            line: 15,
            method: "search",
            pattern: "\\d+",
            flags: "",
            text,
            cut: false,
            spans: at ? [span] : [],
            groups: [],
            place: { part: "completion" as const, name: "", from: 0, to: text.length },
            reached: at ? null : { pattern: 0, text: [0, 0] as [number, number] },
            wouldMatch: [],
          },
          {
            kind: "compare" as const,
            step: 4,
            line: 19,
            op: "==",
            left: JSON.stringify(at?.[0] ?? ""),
            right: '"4"',
            result: at?.[0] === "4",
            leftPlace: at ? { part: "completion" as const, name: "", from: span[0], to: span[1] } : null,
            rightPlace: { part: "column" as const, name: "answer", from: 0, to: 1 },
          },
        ],
        off: null,
        differs: false,
      });
    },
    attempt: ({ row, completion }) => {
      const right = JSON.stringify(completion).includes("4");
      const functions = detailFunctions({ ...samples[row]!, state: "scored", correct: right ? 1 : 0 });
      return wait({ functions, total: right ? 1.3 : 0.3, advantage: right ? 0.9 : -1.2, error: null });
    },
    label: ({ acts }) => {
      for (const act of acts) {
        if (act.kind === "verdict")
          labels.set(act.row, { value: act.value, source: "sidecar", stream: act.stream, by: "" });
        if (act.kind === "clear") labels.delete(act.row);
      }
      data.emit("changed", { seq: ++seq, what: "labels" });
      return wait(counts());
    },
    labels: () => wait(counts()),
    review: ({ stream, limit }) =>
      wait({
        stream: stream === "inspect" ? "random" : stream,
        items: samples.slice(3, 3 + Math.min(limit, 40)).map((s) => ({
          row: s.row,
          reason:
            stream !== "hunting"
              ? ("random" as const)
              : s.row % 2
                ? ("disagrees" as const)
                : ("tied" as const),
        })),
        left: 40,
      }),
  },
  (problem) => console.error(problem),
);

const functionScores = (name: string, line: number, mean: number): FunctionScores => ({
  name,
  line,
  contract: "trl",
  reasons: [],
  status: "fresh",
  n: rows,
  of: rows,
  states: {
    scored: samples.filter((s) => s.state === "scored").length,
    raised: samples.filter((s) => s.state === "raised").length,
  },
  recovered: 0,
  estimate: { mean, halfWidth: 0.07, n: rows, unit: "group", clusters: rows / GROUP },
  flips: { up: 2, down: 1, rows: [0, 41, 82] },
  baseline: { kind: "saved", hash: "abc" },
  groups: { n: rows / GROUP, tied: Math.floor(rows / GROUP / 7), noGradient: 0 },
  ms: 41,
  histogram: { edges: [0, 0.5, 1], counts: [60, 140] },
  best: [],
  worst: [],
  raised: [
    {
      line: 19,
      type: "ValueError",
      message: "could not convert string to float: 'four'",
      count: 4,
      rows: [1, 2],
    },
  ],
  held: [],
  previews: null,
});

const scores = (): ViewScores => ({
  scores:
    empty === "empty" || empty === "untrusted"
      ? null
      : {
          path: "/reward.py",
          seq,
          docVersion: documentHalf.version,
          status: empty === "running" ? "running" : "fresh",
          blocked: null,
          error:
            empty === "error"
              ? {
                  code: "SyntaxError",
                  message: "invalid syntax",
                  path: "/reward.py",
                  line: 15,
                  column: 4,
                  name: null,
                }
              : null,
          set: {
            set: "s",
            files: ["/work/outputs.jsonl"],
            rows,
            groups: rows / GROUP,
            shape: "text",
            hash: "h",
          },
          pinned: 17,
          functions: [functionScores("correctness", 11, 0.62), functionScores("format", 22, 0.8)],
          findings: [
            {
              code: "dot-not-all",
              severity: "error",
              message: "The dot in SHAPE doesn't match line breaks, so 2 of 3 good samples get 0.",
              function: "format",
              rows: [1, 2],
              range: null,
              cure: null,
            },
            {
              code: "not-repeatable",
              severity: "warning",
              message: "A second call gives something else for 3 samples.",
              function: "correctness",
              rows: [0, 1, 2],
              range: null,
              cure: null,
            },
          ],
          versionHash: "v",
          timing: { queuedMs: 1, passMs: 41, totalMs: 52, mode: "fork" },
        },
  problem: empty === "problem" ? "outputs.jsonl: there is no such file. Choose samples again." : null,
  chosen: empty !== "empty",
  trusted: empty !== "untrusted",
  columns: [],
});

const documentHalf = new FakeDocument(SOURCE, (event) => host.emit("document", event));
const drawing = () => ({
  version: documentHalf.version,
  numbers: [
    {
      line: 11,
      text: "● 0.62 ±0.07 · 3 flips ↑2 ↓1 · 4 raised · 2/25 tied · 41 ms",
      old: false,
      function: "correctness",
      failed: false,
      health: "warning" as const,
    },
    {
      line: 22,
      text: "● 0.80 ±0.03 · 41 ms",
      old: false,
      function: "format",
      failed: false,
      health: "good" as const,
    },
  ],
  previews: [
    { line: 14, text: "found = <4>", old: false },
    { line: 16, text: "×37 → 0.0", old: false },
  ],
  hit: [12, 13, 14, 15, 16, 18, 19],
  never: [17],
});

const acts: unknown[] = [];
const host = createServer<LabContract["methods"], LabContract["events"]>(
  labContract,
  channel,
  {
    hello: ({ restored }) =>
      wait({
        mode,
        token: "t",
        name: "reward.py",
        language: "en",
        bundle: {},
        state: restored,
        document: mode === "editor" ? documentHalf.whole() : null,
        scores: scores(),
        drawing: drawing(),
        markers: [],
        options: {
          fontFamily: "monospace",
          fontSize: 14,
          tabSize: 4,
          insertSpaces: true,
          wordWrap: false,
          readOnly: false,
        },
      } as const),
    saveState: () => wait(null),
    ping: () => wait(null),
    run: (ask) => (acts.push(["run", ask]), wait(null)),
    reveal: (ask) => (acts.push(["reveal", ask]), wait(null)),
    pin: (ask) => (acts.push(["pin", ask]), wait(null)),
    revealSample: (ask) => (acts.push(["revealSample", ask]), wait(null)),
    debugSample: (ask) => (acts.push(["debugSample", ask]), wait(null)),
    keepSample: (ask) => (acts.push(["keepSample", ask]), wait({ kept: true })),
    diffTexts: (ask) => (acts.push(["diffTexts", ask]), wait(null)),
    copy: (ask) => (acts.push(["copy", ask]), wait(null)),
    edit: ({ base, changes }) => {
      const answer = documentHalf.edit(base, changes);
      if (answer.accepted) host.emit("drawing", drawing());
      return wait(answer);
    },
    undo: ({ redo }) => (acts.push(["undo", redo]), wait(null)),
    text: () => wait(documentHalf.whole()),
    save: () => wait(null),
    complete: () => wait({ items: [], incomplete: false }),
    hover: () => wait({ contents: [], range: null }),
    signature: () => wait(null),
    definition: () => wait({ range: null }),
  },
  (problem) => console.error(problem),
);

let kept: unknown = JSON.parse(sessionStorage.getItem("kept") ?? "null");
const api = {
  postMessage: (message: unknown) => {
    const copy = structuredClone(message);
    setTimeout(() => fromPage.fire(copy), delay);
  },
  getState: () => kept,
  setState: (state: unknown) => {
    kept = state;
    sessionStorage.setItem("kept", JSON.stringify(state));
  },
};
Object.assign(window, {
  acquireVsCodeApi: () => api,
  /** For tests: what was asked of the host, and ways to make things happen. */
  fake: {
    acts,
    document: documentHalf,
    /** New scores, as if a pass had ended. */
    stream: () => {
      seq += 1;
      data.emit("changed", { seq, what: "scores" });
      host.emit("scores", scores());
      host.emit("drawing", drawing());
    },
    act: (act: never, row: number | null) => host.emit("act", { act, row }),
  },
});
