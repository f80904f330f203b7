import { describe, expect, test } from "vitest";
import { Consents, type Consent } from "../../../src/host/consent";

/** Workspace state in memory; values go through JSON, as VS Code stores them. */
function memento(initial: Record<string, unknown> = {}) {
  const values = new Map(Object.entries(initial));
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key) as undefined,
    update: (key: string, value: unknown) => {
      values.set(key, JSON.parse(JSON.stringify(value)));
      return Promise.resolve();
    },
  };
}

const consent: Consent = {
  files: ["/work/data/outputs.jsonl"],
  mapping: null,
  contracts: {},
  allow: { correctness: ["connect"] },
  live: true,
  pinned: 3,
};

describe("permission to run", () => {
  test("is kept in the workspace's state and found again", async () => {
    const state = memento();
    await new Consents(state).set("/work/reward.py", consent);
    expect(new Consents(state).get("/work/reward.py")).toEqual(consent);
    await new Consents(state).set("/work/reward.py", undefined);
    expect(new Consents(state).get("/work/reward.py")).toBeUndefined();
  });

  test("that can't be read is no permission", () => {
    const damaged = { "/a.py": { files: [] }, "/b.py": { ...consent, live: "yes" }, "/c.py": consent };
    const consents = new Consents(memento({ "rewardsmith.consent.1": damaged }));
    expect(consents.get("/a.py")).toBeUndefined();
    expect(consents.get("/b.py")).toBeUndefined();
    expect(consents.get("/c.py")).toEqual(consent);
    expect(new Consents(memento({ "rewardsmith.consent.1": "x" })).get("/c.py")).toBeUndefined();
  });

  test("goes along with a file or folder that is moved in the editor, to nobody else", async () => {
    const consents = new Consents(memento());
    await consents.set("/work/reward.py", consent);
    await consents.set("/work2/reward.py", consent);
    await consents.rename("/work", "/moved");
    expect(consents.get("/moved/reward.py")?.files).toEqual(["/moved/data/outputs.jsonl"]);
    expect(consents.get("/work/reward.py")).toBeUndefined();
    expect(consents.get("/work2/reward.py")?.files).toEqual(["/moved/data/outputs.jsonl"]);
    await consents.rename("/moved/reward.py", "/moved/other.py");
    expect(consents.get("/moved/other.py")?.allow).toEqual({ correctness: ["connect"] });
  });
});
