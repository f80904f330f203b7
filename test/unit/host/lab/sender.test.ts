import { expect, it } from "vitest";
import { Sender } from "../../../../src/host/lab/sender";

it("what is equal to the last isn't sent again; what the page was told otherwise counts", () => {
  const sent: unknown[] = [];
  const sender = new Sender<{ version: number; lines: number[] }>((value) => sent.push(value));
  sender.send({ version: 1, lines: [1] });
  sender.send({ version: 1, lines: [1] });
  sender.send({ version: 1, lines: [1, 2] });
  sender.send({ version: 2, lines: [1, 2] });
  expect(sent).toEqual([
    { version: 1, lines: [1] },
    { version: 1, lines: [1, 2] },
    { version: 2, lines: [1, 2] },
  ]);
  sender.told({ version: 1, lines: [1] });
  sender.send({ version: 1, lines: [1] });
  expect(sent.length).toBe(3);
  sender.send({ version: 2, lines: [1, 2] });
  expect(sent.length).toBe(4);
});
