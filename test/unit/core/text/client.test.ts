import { describe, expect, test } from "vitest";
import { TextClient, type EditRequest, type HostText } from "../../../../src/core/text/client";
import { type Changes, textHash } from "../../../../src/core/text/ops";
import type { UnsentEdits } from "../../../../src/schema/text";
import { Simulation } from "./simulation";

function run(seed: number, steps: number, reloads: boolean): Simulation {
  const sim = new Simulation(seed);
  for (let i = 0; i < steps; i++) sim.step(reloads);
  sim.drain();
  return sim;
}

function check(sim: Simulation, seed: number): void {
  const where = `seed ${seed}`;
  expect(sim.isQuiet, where).toBe(true);
  expect(sim.client?.isIdle, where).toBe(true);
  expect(sim.client?.text, where).toBe(sim.hostText);
  expect(sim.viewText, where).toBe(sim.hostText);
  for (const key of sim.keys) {
    const found = sim.hostText.split(key).length - 1;
    if (found > 1) throw new Error(`${where}: a key is there ${found} times`);
    if (found === 0 && !sim.gone.has(key)) throw new Error(`${where}: a key is lost`);
  }
}

describe("two sides that edit one text over a slow bus", () => {
  test("end with the same text, no key lost or doubled: 10,000 interleavings", { timeout: 120_000 }, () => {
    let typed = 0;
    for (let seed = 1; seed <= 10_000; seed++) {
      const sim = run(seed, 40, false);
      check(sim, seed);
      typed += sim.keys.length;
    }
    expect(typed).toBeGreaterThan(70_000);
  });

  test("and the same where the page is reloaded in the middle: 1,500", { timeout: 120_000 }, () => {
    for (let seed = 1; seed <= 1500; seed++) check(run(seed * 7919, 120, true), seed * 7919);
  });
});

interface Sent {
  readonly edits: EditRequest[];
  readonly undos: boolean[];
  resyncs: number;
  refusals: number;
  kept: UnsentEdits | null;
  readonly because: string[];
}

function page(host: HostText, kept?: UnsentEdits): { client: TextClient; sent: Sent } {
  const sent: Sent = {
    edits: [],
    undos: [],
    resyncs: 0,
    refusals: 0,
    kept: null,

    because: [],
  };
  let next = 0;
  const client = new TextClient(
    {
      newId: () => `id${next++}`,
      edit: (request) => sent.edits.push(request),
      undo: (redo) => sent.undos.push(redo),
      refused: () => sent.refusals++,
      resync: () => sent.resyncs++,
      apply: (_, because) => sent.because.push(because),
      keep: (unsent) => (sent.kept = structuredClone(unsent)),
    },
    host,
  );
  if (kept) client.resume(kept, host);
  return { client, sent };
}

const HOST: HostText = { version: 5, text: "abc", session: "s", lastEdit: null };
const insert = (offset: number, text: string): Changes => [{ offset, length: 0, text }];
const event = (version: number, changes: Changes, own: boolean, text: string) => ({
  version,
  changes,
  own,
  hash: textHash(text),
});

describe("one page", () => {
  test("has one edit in flight; keys of the same word wait as one, another word as another", () => {
    const { client, sent } = page(HOST);
    client.typed(insert(3, "d"), 1);
    client.typed(insert(4, "e"), 1);
    client.typed(insert(5, "f"), 1);
    client.typed(insert(6, " "), 2);
    expect(sent.edits).toHaveLength(1);
    client.received(event(6, insert(3, "d"), true, "abcd"));
    client.answered({ id: "id0", base: 5 }, true, 6);
    expect(sent.edits.at(-1)).toMatchObject({ base: 6, word: 1, changes: insert(4, "ef") });
    client.received(event(7, insert(4, "ef"), true, "abcdef"));
    expect(sent.edits.at(-1)).toMatchObject({ base: 7, word: 2, changes: insert(6, " ") });
    client.received(event(8, insert(6, " "), true, "abcdef "));
    expect(client.isIdle).toBe(true);
  });

  test("an undo waits for the keys before it, the keys after it wait for the undo", () => {
    const { client, sent } = page(HOST);
    client.typed(insert(3, "d"), 1);
    client.undo(false);
    client.typed(insert(4, "x"), 1);
    expect(sent).toMatchObject({ undos: [], edits: [{ word: 1 }] });
    client.received(event(6, insert(3, "d"), true, "abcd"));
    expect(sent.undos).toEqual([false]);
    client.received(event(7, [{ offset: 3, length: 1, text: "" }], false, "abc"));
    expect(sent.because).toEqual(["undo"]);
    expect(sent.edits).toHaveLength(1);
    client.undone();
    expect(sent.edits.at(-1)).toMatchObject({ base: 7, changes: insert(3, "x") });
  });

  test("where the texts part it asks for the whole, and keeps the keys that aren't there", () => {
    const { client, sent } = page(HOST);
    client.typed(insert(3, "d"), 1);
    client.typed(insert(4, "e"), 2);
    client.received(event(6, insert(0, "X"), false, "something else"));
    expect(sent.resyncs).toBe(1);
    client.restart({ version: 9, text: "0abc", session: "s", lastEdit: null });
    expect(client.text).toBe("0abcde");
    expect(sent.edits.at(-1)).toMatchObject({ base: 9, changes: insert(4, "d") });
  });

  test("the whole text says that the edit in flight was taken: it isn't put in twice", () => {
    const { client, sent } = page(HOST);
    client.typed(insert(3, "d"), 1);
    client.failed();
    client.restart({ version: 6, text: "abcd", session: "s", lastEdit: "id0" });
    expect(client.text).toBe("abcd");
    expect(client.isIdle).toBe(true);
    expect(sent.edits).toHaveLength(1);
  });

  test("a document that can't be written is said and tried again only when asked", () => {
    const { client, sent } = page(HOST);
    client.typed(insert(3, "d"), 1);
    client.answered({ id: "id0", base: 5 }, false, 5);
    expect(sent).toMatchObject({ refusals: 1, edits: [{ id: "id0" }] });
    client.retry();
    expect(sent.edits).toHaveLength(2);
  });

  test("offsets of the host's text are found in the view's", () => {
    const { client } = page(HOST);
    client.typed(insert(1, "__"), 1);
    expect([client.toView(0), client.toView(2)]).toEqual([0, 4]);
  });
});

describe("a reload in the middle of an edit", () => {
  const kept = (): UnsentEdits => {
    const { client, sent } = page(HOST);
    client.typed(insert(3, "d"), 1);
    client.typed(insert(4, "e"), 2);
    if (!sent.kept) throw new Error("nothing was kept");
    return sent.kept;
  };

  test.each([
    ["the host took it", { version: 6, text: "abcd", session: "s", lastEdit: "id0" }, "abcde", ["e"]],
    ["the host refused it", { version: 6, text: "Xabc", session: "s", lastEdit: null }, "Xabcde", ["d"]],
    [
      "another host, with it in the text",
      { version: 1, text: "abcd", session: "t", lastEdit: null },
      "abcde",
      ["e"],
    ],
    ["another host, without it", { version: 1, text: "abc", session: "t", lastEdit: null }, "abcde", ["d"]],
    [
      "another host, with it and more",
      { version: 1, text: "0abcd", session: "t", lastEdit: null },
      "0abcde",
      ["e"],
    ],
  ])("%s", (_, host: HostText, text, first) => {
    const { client, sent } = page(host, kept());
    expect(client.text).toBe(text);
    expect(sent.edits.flatMap(({ changes }) => changes.map((change) => change.text))).toEqual(first);
  });

  test("without the old text the rest is put in only where nothing else changed", () => {
    const long = { ...kept(), text: null };
    expect(page({ ...HOST, session: "s" }, long).client.text).toBe("abcde");
    expect(page({ ...HOST, text: "zabc", version: 7 }, long).client.text).toBe("zabc");
  });
});
