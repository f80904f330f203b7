import * as z from "zod";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Emitter } from "../../../src/base/event";
import { createClient, type Channel } from "../../../src/protocol/rpc";
import { trajectoryDataContract } from "../../../src/protocol/trajectoryData.contract";
import { EngineUnderTest, jsonl, workspace } from "../engine/engineProcess";

/** Rewards over files of frameworks, through the engine; the viewer shows what they give beside what the file says. */
const chat = (question: string, answer: string) => ({
  reward: answer.includes("4") ? 1 : 0,
  metrics: {},
  metadata: { answer: "4" },
  messages_and_choices: [
    { role: "user", content: question },
    { finish_reason: "stop", index: 0, message: { role: "assistant", content: answer } },
  ],
});
const gym = (answer: string, task: number, rollout: number) => ({
  responses_create_params: { input: [{ role: "user", content: "2+2?" }] },
  response: {
    object: "response",
    status: "completed",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] }],
  },
  reward: 0.25,
  expected_answer: "4",
  _ng_task_index: task,
  _ng_rollout_index: rollout,
});

/** 1 for "4", an exception for "oops", else 0: in the file all have other numbers or the same. */
const CHAT_REWARD = `def reward(completions, **kwargs):
    scores = []
    for messages in completions:
        text = messages[-1]["content"]
        if "oops" in text:
            raise ValueError("can't judge " + text)
        scores.append(1.0 if "4" in text else 0.5)
    return scores
`;
const VERL_REWARD = `def reward(completions, **kwargs):
    return [2.0 if "4" in text else 0.0 for text in completions]
`;

/** 1 for each value that is of the type that the file says. */
const TYPES_REWARD = `def reward(completions, level, count, **kwargs):
    return [
        float(isinstance(a, float)) + float(isinstance(b, int)) for a, b in zip(level, count)
    ]
`;

const { folder, path } = workspace({
  "types.py": TYPES_REWARD,
  "0002.jsonl": `${JSON.stringify({
    trajectories: [{ ...chat("2+2?", "4"), metadata: { level: "LEVEL", count: 2 } }],
    exceptions: [],
  }).replace('"LEVEL"', "1.0")}\n`,
  "chat.py": CHAT_REWARD,
  "gym.py": CHAT_REWARD,
  "verl.py": VERL_REWARD,
  "0001.jsonl": jsonl([
    { trajectories: [chat("2+2?", "It is 4."), chat("2+2?", "It is 5.")], exceptions: [] },
    { trajectories: [chat("1+3?", "oops"), chat("1+3?", "4, surely")], exceptions: [] },
  ]),
  "rollouts.jsonl": jsonl([gym("It is 4.", 0, 0), gym("oops", 0, 1), gym("Five", 1, 0)]),
  "7.jsonl": jsonl([
    { input: "2+2?", output: "4", score: 2, step: 7, gts: "4" },
    { input: "2+2?", output: "5", score: 1, step: 7, gts: "4" },
  ]),
});

let engine: EngineUnderTest;
const frames = new Emitter<{ view: string; message: unknown }>();
beforeAll(async () => {
  engine = await EngineUnderTest.start({ folder });
  engine.child.on("message", (message: unknown) => {
    const frame = Frame.safeParse(message);
    if (frame.success) frames.fire(frame.data.p);
  });
});
afterAll(() => engine.stop());

/** The event of the engine that carries a view's frames. */
const Frame = z.object({
  k: z.literal("evt"),
  m: z.literal("frame"),
  p: z.object({ view: z.string(), message: z.unknown() }),
});

/** A viewer's page, as the host would relay its frames. */
async function viewer(view: string, file: string) {
  const messages = new Emitter<unknown>();
  const heard = frames.event((frame) => {
    if (frame.view === view) messages.fire(frame.message);
  });
  const closed = new Emitter<void>();
  const channel: Channel = {
    post: (message) => void engine.client.frame({ view, message }),
    onMessage: messages.event,
    onClose: closed.event,
  };
  await engine.client.openView({ view, kind: "trajectories", path: file });
  const { client } = createClient(
    trajectoryDataContract,
    channel,
    { changed: () => undefined, progress: () => undefined },
    (problem) => {
      throw new Error(problem);
    },
  );
  return { client, close: () => heard.dispose() };
}

type Rows = Awaited<ReturnType<Awaited<ReturnType<typeof viewer>>["client"]["page"]>>["rows"];

async function scored(name: string, reward: string, file: string, filter = ""): Promise<Rows> {
  const { client, close } = await viewer(name, file);
  const page = () => client.page({ query: { filter, sort: "index", descending: false }, from: 0, count: 50 });
  await page();
  await engine.bind(reward, [file]);
  await engine.until("fresh", (scores) => scores.path === reward && scores.status === "fresh", 0);
  const end = Date.now() + 10_000;
  let { rows } = await page();
  while (Date.now() < end && !(rows.length > 0 && rows.every((row) => row.nowState !== null))) {
    await new Promise((done) => setTimeout(done, 50));
    ({ rows } = await page());
  }
  close();
  return rows;
}

const brief = (rows: Rows) => rows.map(({ index, reward, now, nowState }) => [index, reward, now, nowState]);

it("ART: two trajectories a line, each with its own score; an exception is no score", async () => {
  expect(brief(await scored("art", path("chat.py"), path("0001.jsonl")))).toEqual([
    [0, 1, 1, "scored"],
    [1, 0, 0.5, "scored"],
    [2, 0, null, "raised"],
    [3, 1, 1, "scored"],
  ]);
});

it("NeMo Gym: rows without a completion column", async () => {
  expect(brief(await scored("gym", path("gym.py"), path("rollouts.jsonl")))).toEqual([
    [0, 0.25, 1, "scored"],
    [1, 0.25, null, "raised"],
    [2, 0.25, 0.5, "scored"],
  ]);
});

it("numbers reach the reward as the file has them: 1.0 is a float, 2 an int", async () => {
  expect(brief(await scored("types", path("types.py"), path("0002.jsonl")))).toEqual([[0, 1, 2, "scored"]]);
});

it("verl: its own columns, and what changed can be filtered", async () => {
  expect(brief(await scored("verl", path("verl.py"), path("7.jsonl")))).toEqual([
    [0, 2, 2, "scored"],
    [1, 1, 0, "scored"],
  ]);
  expect(brief(await scored("changed", path("verl.py"), path("7.jsonl"), "changed"))).toEqual([
    [1, 1, 0, "scored"],
  ]);
});

it("takes the numbers back when the reward is bound to others", async () => {
  const { client, close } = await viewer("gone", path("7.jsonl"));
  await engine.client.unbind({ path: path("verl.py") });
  const page = () =>
    client.page({ query: { filter: "", sort: "index", descending: false }, from: 0, count: 9 });
  const end = Date.now() + 5000;
  let { rows } = await page();
  while (Date.now() < end && rows.some(({ nowState }) => nowState !== null)) {
    await new Promise((done) => setTimeout(done, 50));
    ({ rows } = await page());
  }
  close();
  expect(rows.map(({ now, nowState }) => [now, nowState])).toEqual([
    [null, null],
    [null, null],
  ]);
});
