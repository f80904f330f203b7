import { describe, expect, it } from "vitest";
import { Emitter } from "../../../src/base/event";
import { labDataContract, type LabDataContract } from "../../../src/protocol/labData.contract";
import { createServer, type Channel, type Handlers } from "../../../src/protocol/rpc";
import type { LabDetail, LabelAct, LabelCounts } from "../../../src/schema/lab";
import { Lab } from "../../../webview/lab/lab";
import { reviewModel } from "../../../webview/lab/review/model";
import { countsInWords } from "../../../webview/lab/review/words";
import { speechOf } from "../../../webview/shared/speech";

const COUNTS: LabelCounts = {
  file: "outputs.labels.jsonl",
  labelled: 40,
  random: 31,
  hunting: 5,
  chosen: 4,
  good: 20,
  bad: 20,
  numbers: 0,
  pairs: 0,
  data: 0,
  looked: 12,
  lookedOf: 50,
  problems: 0,
};

/** A page whose engine has a queue of the given rows and writes down what it is told. */
function page(rows: readonly number[], left = rows.length) {
  const toEngine = new Emitter<unknown>();
  const toPage = new Emitter<unknown>();
  const end = (from: Emitter<unknown>, to: Emitter<unknown>): Channel => ({
    post: (message) => void Promise.resolve().then(() => to.fire(message)),
    onMessage: from.event,
    onClose: () => ({ dispose: () => undefined }),
  });
  const acts: LabelAct[][] = [];
  const queues: string[] = [];
  const never = () => new Promise<never>(() => undefined);
  const handlers = new Proxy({} as Handlers<LabDataContract["methods"]>, {
    get: (_, name) => {
      if (name === "label")
        return (ask: { acts: LabelAct[] }) => (acts.push(ask.acts), Promise.resolve(COUNTS));
      if (name === "labels") return () => Promise.resolve(COUNTS);
      if (name === "review")
        return (ask: { stream: string }) => {
          queues.push(ask.stream);
          const items = rows.map((row) => ({ row, reason: "random" as const }));
          return Promise.resolve({ stream: "random" as const, items, left });
        };
      if (name === "detail")
        return ({ row }: { row: number }) =>
          Promise.resolve<LabDetail>({
            seq: 0,
            docVersion: 0,
            status: "fresh",
            row,
            id: `s${row}`,
            group: "g",
            groupAt: 0,
            file: "f",
            line: 1,
            prompt: "p",
            completion: "c",
            columns: {},
            cut: false,
            label: null,
            functions: [],
            total: null,
            advantage: null,
            ifFixed: null,
            members: [],
          });
      return never;
    },
    has: () => true,
    ownKeys: () => Object.keys(labDataContract.methods),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
  createServer<LabDataContract["methods"], LabDataContract["events"]>(
    labDataContract,
    end(toEngine, toPage),
    handlers,
    (problem) => expect.unreachable(problem),
  );
  const lab = new Lab({ channel: end(toPage, toEngine), kept: () => null, keep: () => undefined });
  const model = reviewModel(lab);
  const stop = model.start();
  return { model, acts, queues, stop };
}

const shown = async (model: ReturnType<typeof page>["model"], row: number | null) => {
  await expect.poll(() => model.queue.value !== null && (model.item?.row ?? null) === row).toBe(true);
};

describe("a review", () => {
  it("labels in its stream, notes that a random sample was looked at, and shows the score only then", async () => {
    const { model, acts, stop } = page([7, 3]);
    await shown(model, 7);
    expect(model.shown.value.has(7)).toBe(false);
    await model.label("bad");
    expect(acts).toEqual([
      [
        { kind: "verdict", row: 7, value: "bad", stream: "random" },
        { kind: "looked", row: 7, stream: "random" },
      ],
    ]);
    expect(model.shown.value.has(7)).toBe(true);
    await shown(model, 7);
    await model.next();
    await shown(model, 3);
    stop();
  });

  it("where scores are open the next one comes at once", async () => {
    const { model, stop } = page([7, 3]);
    await shown(model, 7);
    model.blind.value = false;
    await model.label("good");
    await shown(model, 3);
    stop();
  });

  it("a hunt is no random look", async () => {
    const { model, acts, queues, stop } = page([1]);
    await shown(model, 1);
    model.open("hunting");
    await shown(model, 1);
    await model.label("good");
    expect(queues).toEqual(["random", "hunting"]);
    expect(acts).toEqual([[{ kind: "verdict", row: 1, value: "good", stream: "hunting" }]]);
    stop();
  });

  it("an inspection counts what is passed by, each once, and going back says nothing", async () => {
    const { model, acts, stop } = page([4, 5]);
    await shown(model, 4);
    model.open("inspect");
    await shown(model, 4);
    await model.next();
    await shown(model, 5);
    model.go(-1);
    await model.next();
    await shown(model, 5);
    expect(acts).toEqual([[{ kind: "looked", row: 4, stream: "random" }]]);
    stop();
  });

  it("asks for more at the end of what it was given, and stops at the end of the stream", async () => {
    const more = page([1], 9);
    await shown(more.model, 1);
    await more.model.next();
    await expect.poll(() => more.queues).toEqual(["random", "random"]);
    more.stop();
    const last = page([1]);
    await shown(last.model, 1);
    await last.model.next();
    await shown(last.model, null);
    expect(last.queues).toEqual(["random"]);
    last.stop();
  });
});

it("agreement stands with the number of random labels behind it, and only where there are any", () => {
  const speech = speechOf({}, "en");
  expect(countsInWords({ ...COUNTS, agreement: { n: 31, agree: 28 } }, speech)).toBe(
    "40 labelled · 31 random · label agreement 0.903 (n = 31 random)",
  );
  expect(countsInWords({ ...COUNTS, agreement: null }, speech)).toBe("40 labelled · 31 random");
});
