/** Made-up trajectories, the same in every run: what a page has to cope with. Nothing here is of a real run. */
import type { Message, Part, Trajectory, TrajectoryRow } from "../../src/schema/trajectory";

export const GROUP = 8;
export const LONG = 1;
export const HUGE = 2;
export const BRANCHED = 3;
export const PICTURES = 4;

export const random = (seed: number): number => {
  const x = Math.sin(seed * 12.9898 + 78.233) * 43758.5453;
  return x - Math.floor(x);
};

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DwHwQYGBj+MzAwMAAAH/gE/NVfE6IAAAAASUVORK5CYII=";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>`;

export const HOSTILE = [
  `</script><script>window.hurt = 1; alert("script")</script><img src=x onerror="window.hurt = 1; alert('img')">`,
  `<a href="javascript:alert(1)" onclick="window.hurt = 1">press</a> [press](command:workbench.action.quit) [x](javascript:alert(1)) ![i](http://127.0.0.1:9/pixel.png)`,
  `\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b[2J\u001b[1;1H cleared? \u001b]8;;http://127.0.0.1:9/\u0007link\u001b]8;;\u0007`,
  `right \u202eto left\u202c, zero\u200bwidth, tag \u{e0041}\u{e0042}, NUL \u0000 BEL \u0007 end`,
  `data:text/html,<script>alert(3)</script> and ${SVG}`,
] as const;

const message = (part: Partial<Message> & Pick<Message, "role">, text?: string): Message => ({
  roleInFile: null,
  name: null,
  parts: text === undefined ? [] : [{ type: "text", text }],
  reasoning: null,
  calls: [],
  answersTo: null,
  callId: null,
  error: null,
  errorGuessed: false,
  reward: null,
  rewards: {},
  sampled: part.role === "assistant" ? true : null,
  tokens: null,
  at: null,
  ms: null,
  model: null,
  finish: null,
  extra: {},
  ...part,
});

const DIFF = `diff --git a/src/app.py b/src/app.py
index 83db48f..bf2a1c0 100644
--- a/src/app.py
+++ b/src/app.py
@@ -10,7 +10,7 @@ def total(rows):
     result = 0
     for row in rows:
-        result += row.price
+        result += row.price * row.count
     return result
`;
const TERMINAL =
  "\u001b[1mcollected 12 items\u001b[0m\n\ntest_app.py \u001b[32m.....\u001b[0m\u001b[31mF\u001b[0m\u001b[32m......\u001b[0m\n\n\u001b[31mFAILED\u001b[0m test_app.py::test_total - AssertionError\n\u001b[31m1 failed\u001b[0m, \u001b[32m11 passed\u001b[0m in 0.42s";
const MARKDOWN =
  "## Plan\n\n1. Look at `total` in **src/app.py**\n2. Run the tests\n\n| file | lines |\n| --- | --- |\n| app.py | 120 |\n\n```python\nprint(total(rows))\n```\n\n> The count is missing. See [the issue](https://example.com/issues/7).";

function tokensOf(index: number, at: number): Message["tokens"] {
  const count = 40 + Math.floor(random(index * 31 + at) * 200);
  return {
    count,
    ids: Array.from({ length: count }, (_, i) => 1000 + i * 7),
    mask: Array.from({ length: count }, (_, i) => i > 5),
    logprobs: Array.from({ length: count }, (_, i) => -3 * random(index + at * 7 + i) ** 3),
    advantages: null,
    versions: Array.from({ length: count }, (_, i) => 40 + (i > count / 2 ? 1 : 0)),
  };
}

function conversation(index: number, turns: number): Message[] {
  const all: Message[] = [
    message({ role: "system" }, "You are a careful assistant. Use the tools; answer in one sentence."),
    message(
      { role: "user" },
      `Book a table for ${2 + (Math.floor(index / GROUP) % 5)} in Oslo on the ${1 + (Math.floor(index / GROUP) % 27)}th, near the station, and say why.`,
    ),
  ];
  for (let turn = 0; turn < turns; turn++) {
    const seed = index * 100 + turn;
    const fails = random(seed + 0.3) < 0.18;
    const at = all.length;
    const kind = Math.floor(random(seed + 0.1) * 5);
    all.push(
      message(
        {
          role: "assistant",
          model: "policy-7b",
          ms: 400 + Math.floor(random(seed) * 3000),
          reasoning:
            turn % 2 === 0
              ? `The user wants a table. ${"I compare what I know with what was asked and look for the next step. ".repeat(1 + Math.floor(random(seed) * 8))}`
              : null,
          calls: [
            {
              id: `c${turn}`,
              name: ["find_restaurant", "read_file", "run_tests", "apply_patch", "search"][kind] ?? "search",
              arguments: fails
                ? null
                : {
                    city: "Oslo",
                    seats: 3,
                    near: { place: "station", metres: 500 },
                    tags: ["quiet", "fish"],
                  },
              raw: fails
                ? '{"city": "Oslo", "seats": '
                : '{"city": "Oslo", "seats": 3, "near": {"place": "station", "metres": 500}, "tags": ["quiet", "fish"]}',
              problem: fails ? "not-json" : null,
              answers: [at + 1],
            },
          ],
          reward: turn % 3 === 0 ? 0.1 : null,
          rewards: turn % 3 === 0 ? { tool: 0.1 } : {},
          tokens: tokensOf(index, turn),
          finish: "tool_calls",
          extra: { request: `r-${seed}` },
        },
        turn % 3 === 1 ? MARKDOWN : "I look that up.",
      ),
      message(
        {
          role: "tool",
          name: "tools",
          callId: `c${turn}`,
          answersTo: { message: at, call: 0 },
          error: fails ? 'unknown field "seats": the tool takes city and guests' : null,
          ms: 20 + Math.floor(random(seed) * 200),
        },
        fails
          ? ""
          : kind === 3
            ? DIFF
            : kind === 2
              ? TERMINAL
              : JSON.stringify(
                  {
                    results: Array.from({ length: 1 + (turn % 4) }, (_, i) => ({
                      name: `Place ${i}`,
                      seats: 4,
                    })),
                  },
                  null,
                  1,
                ),
      ),
    );
  }
  all.push(
    message(
      {
        role: "assistant",
        model: "policy-7b",
        finish: index % 5 === 0 ? "length" : "stop",
        reward: 0.2,
        tokens: tokensOf(index, 99),
      },
      `The table is booked at Place ${index % 7}: it is quiet and ${300 + (index % 200)} metres from the station.`,
    ),
  );
  return all;
}

function pictures(): Message[] {
  const part = (mime: string, data: string | null, address: string | null = null): Part => ({
    type: "image",
    mime,
    data,
    address,
  });
  return [
    message({
      role: "user",
      parts: [
        { type: "text", text: "What is in these?" },
        part("image/png", PNG),
        part("image/svg+xml", btoa(SVG)),
        part("image/png", null, "http://127.0.0.1:9/pixel.png"),
      ],
    }),
    message({ role: "assistant" }, "Four squares, a drawing, and one that I can't see."),
    message({
      role: "user",
      parts: [{ type: "other", kind: "input_audio", value: { format: "wav", data: "UklGRg==" } }],
    }),
  ];
}

function hostile(): Message[] {
  return [
    message({ role: "system", name: HOSTILE[0] }, HOSTILE[0]),
    message({ role: "user", name: HOSTILE[3] }, HOSTILE[1]),
    message(
      {
        role: "assistant",
        reasoning: HOSTILE[0],
        model: HOSTILE[0],
        calls: [
          {
            id: "x",
            name: HOSTILE[0],
            arguments: { [HOSTILE[0]]: HOSTILE[1], __proto__x: [HOSTILE[3]] },
            raw: HOSTILE[0],
            problem: null,
            answers: [3],
          },
        ],
        extra: { html: HOSTILE[0] },
      },
      HOSTILE[4],
    ),
    message({ role: "tool", answersTo: { message: 2, call: 0 }, error: HOSTILE[0] }, HOSTILE[2]),
    message({ role: "assistant" }, HOSTILE[3]),
    message({ role: "assistant" }, "w".repeat(1_048_576)),
    message({
      role: "user",
      parts: [
        { type: "image", mime: "image/svg+xml", data: btoa(SVG), address: null },
        { type: "image", mime: "image/png", data: btoa(SVG), address: null },
      ],
    }),
    message({ role: "event" }, "done"),
  ];
}

const OUTCOMES = [
  "finished",
  "finished",
  "finished",
  "length",
  "turns",
  "environment",
  "unknown",
  "time",
] as const;

export function trajectoryOf(index: number): Trajectory {
  const group = Math.floor(index / GROUP);
  const tied = group % 7 === 3;
  const tool = index % 23 === 0 ? null : tied ? 0.1 : Math.round(random(index + 0.5) * 4) / 10;
  const artifact = tied ? 0.2 : random(index) < 0.6 ? 0.2 : 0;
  const messages =
    index === 0
      ? hostile()
      : index === LONG
        ? conversation(index, 120)
        : index === HUGE
          ? conversation(index, 4999)
          : index === PICTURES
            ? pictures()
            : conversation(index, 1 + Math.floor(random(index) * 8));
  const outcome = OUTCOMES[Math.floor(random(index + 0.9) * OUTCOMES.length)] ?? "finished";
  return {
    id: `t${index}`,
    group: `q${group}`,
    step: Math.floor(group / 4),
    split: "train",
    task: null,
    branches: [
      { id: "main", name: null, from: null, messages },
      ...(index === BRANCHED
        ? [
            {
              id: "b1",
              name: "compaction",
              from: { branch: 0, message: 2 },
              messages: conversation(index + 500, 3).slice(2),
            },
          ]
        : []),
    ],
    tools: [
      {
        name: "find_restaurant",
        description: index === 0 ? HOSTILE[0] : "Finds restaurants of a city.",
        schema: {
          type: "object",
          properties: { city: { type: "string" }, guests: { type: "integer" } },
          required: ["city"],
        },
      },
    ],
    reward: tool === null ? (index % 2 ? null : { nonFinite: "nan" }) : tool + artifact,
    rewards: { tool, artifact },
    weights: {},
    metrics: { tool_calls: messages.length / 2, steps: 3 },
    advantage: tool === null ? null : random(index + 3) * 2 - 1,
    credit: "summed",
    outcome: { kind: outcome, inFile: index === 0 ? HOSTILE[0] : outcome === "length" ? "max_tokens" : null },
    errors:
      outcome === "environment"
        ? [
            {
              kind: "SandboxError",
              message: "the sandbox ended: out of memory",
              traceback:
                'Traceback (most recent call last):\n  File "env.py", line 12, in step\nSandboxError',
            },
          ]
        : [],
    excluded: index % 37 === 5 ? "masked" : null,
    model: "policy-7b",
    policy: { from: 40, to: 41 },
    usage: { input: 1200, output: 340 },
    cost: 0.0042,
    ms: 5300,
    reference: index === 0 ? HOSTILE[0] : { place: "Place 3" },
    snapshots: [
      { before: 2, label: null, state: { bookings: [], cash: 100 } },
      { before: 4, label: "after the call", state: { bookings: [{ place: "Place 3", seats: 3 }], cash: 80 } },
    ],
    columns: { data_source: "booking", index },
    continuedIn: null,
    form: null,
  };
}

export function rowOf(index: number, label: TrajectoryRow["label"]): TrajectoryRow {
  // A long conversation isn't made to count it.
  const size = index === HUGE ? 10_001 : index === LONG ? 243 : null;
  const made = trajectoryOf(index === HUGE ? HUGE + GROUP * 1000 : index);
  const messages = made.branches[0]?.messages ?? [];
  const first = messages.find(({ role }) => role === "user")?.parts[0];
  const own = index === HUGE ? trajectoryFacts(index) : made;
  return {
    index,
    file: 0,
    id: `t${index}`,
    group: `q${Math.floor(index / GROUP)}`,
    step: own.step,
    split: own.split,
    task: null,
    line: index + 1,
    title: first?.type === "text" ? first.text.replace(/\s+/gu, " ").slice(0, 200) : "",
    reward: own.reward,
    rewards: own.rewards,
    advantage: own.advantage,
    outcome: own.outcome.kind,
    flags: own.errors.length > 0 ? ["error"] : own.excluded === null ? [] : ["excluded"],
    turns: size === null ? messages.filter(({ role }) => role === "assistant").length : Math.floor(size / 2),
    messages: size ?? messages.length,
    calls: size === null ? messages.reduce((sum, { calls }) => sum + calls.length, 0) : Math.floor(size / 2),
    toolErrors: messages.filter(({ role, error }) => role === "tool" && error !== null).length,
    branches: index === BRANCHED ? 2 : 1,
    tokens: 900 + (index % 700),
    characters: 4000,
    ms: 5300,
    cost: 0.0042,
    label,
    now: index % 5 === 0 && own.reward !== null && typeof own.reward === "number" ? own.reward - 0.1 : null,
    nowState: null,
  };
}

function trajectoryFacts(index: number): Trajectory {
  const like = trajectoryOf(index + GROUP * 1000);
  return { ...like, step: Math.floor(Math.floor(index / GROUP) / 4) };
}
