import { expect, it } from "vitest";
import { BatchBuilder, TEXT } from "../../../../src/core/trajectories/batch";
import { StringBlock } from "../../../../src/core/trajectories/strings";
import { textMessage, trajectory } from "../../../../src/formats/trajectories/build";

const place = (row: number) => ({
  name: "1.jsonl",
  line: row + 1,
  nth: 0,
  at: row * 100,
  length: 99,
  record: row,
});
const one = (reward: number | null, fields: object = {}) =>
  trajectory({ messages: [textMessage("user", "q"), textMessage("assistant", "a")], reward, ...fields });

it("leaves out columns that have nothing in them, and fills what came before and after", () => {
  const builder = new BatchBuilder();
  for (let row = 0; row < 600; row++) builder.add(one(row === 300 ? 0.5 : null), place(row));
  const batch = builder.take();
  expect(batch.n).toBe(600);
  expect(batch.columns.advantage).toBeUndefined();
  expect(batch.columns.branches).toBeUndefined();
  const { reward } = batch.columns;
  expect(reward?.length).toBe(600);
  expect([...(reward ?? [])].flatMap((value, at) => (Number.isNaN(value) ? [] : [[at, value]]))).toEqual([
    [300, 0.5],
  ]);
  expect(batch.columns.line?.[599]).toBe(600);
});

it("begins anew after it was taken", () => {
  const builder = new BatchBuilder();
  builder.add(one(1, { group: "g", split: "val" }), place(0));
  builder.take();
  builder.add(one(null), place(7));
  const batch = builder.take();
  expect(batch).toMatchObject({ n: 1, splits: [], components: [], metrics: [] });
  expect(batch.columns.reward).toBeUndefined();
  expect(batch.columns.split).toBeUndefined();
  expect([...(batch.columns.at ?? [])]).toEqual([700]);
  const texts = new StringBlock(batch.texts);
  expect([texts.get(0, TEXT.group), texts.get(0, TEXT.title)]).toEqual([null, "q"]);
});
