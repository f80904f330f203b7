import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attributeFlips } from "../../../src/services/lab/hunks";
import { lab, never, until, type LabBench } from "./bench";

const BASE = [
  "import re",
  "NUMBER = re.compile(r'\\d')",
  "",
  "def number_reward(completions, answer, **kwargs):",
  "    scores = []",
  "    for text, gold in zip(completions, answer):",
  "        found = NUMBER.search(text)",
  "        scores.append(float(bool(found) and found[0] == gold))",
  "    return scores",
  "",
  "def short_reward(completions, **kwargs):",
  "    return [float(len(text) < 10) for text in completions]",
  "",
].join("\n");
const ROWS = [
  { prompt: "p", completion: "it is 42", answer: "42" },
  { prompt: "p", completion: "it is 7", answer: "7" },
  { prompt: "p", completion: "a rather long answer of 12", answer: "12" },
];

/** The saved text is the baseline; the typed one is scored against it. */
async function edited(now: string, more: Parameters<typeof lab>[2] = {}): Promise<LabBench> {
  const bench = await lab(BASE, ROWS, { live: true, ...more });
  await until("the first scores", () => bench.session.lab().baseline.scores !== null);
  bench.type(now);
  await until("scores of the edit", () => {
    const { scored, status, baseline } = bench.session.lab();
    return scored?.text === now && status === "fresh" && baseline.scores !== null;
  });
  return bench;
}

describe("which hunk caused which flip", () => {
  it("each hunk alone on the baseline, for the rows that flipped", async () => {
    const now = BASE.replace("r'\\d'", "r'\\d+'")
      .replace("< 10", "< 100")
      .replace("scores = []", "scores = list()");
    const { session, warnings } = await edited(now);
    const { hunks, causes, failed, otherFiles } = await attributeFlips(session, never());
    expect(
      hunks.map(({ id, before, now: after, added }) => [id, before.from, after.from, added[0]?.trim()]),
    ).toEqual([
      [0, 2, 2, "NUMBER = re.compile(r'\\d+')"],
      [1, 5, 5, "scores = list()"],
      [2, 12, 12, "return [float(len(text) < 100) for text in completions]"],
    ]);
    expect(causes).toEqual([
      { row: 0, function: "number_reward", hunks: [0] },
      { row: 2, function: "number_reward", hunks: [0] },
      { row: 2, function: "short_reward", hunks: [2] },
    ]);
    expect([failed, otherFiles, warnings]).toEqual([[], [], []]);
  });

  it("flips that need two hunks together have none alone", async () => {
    const now = BASE.replace("NUMBER = re.compile(r'\\d')", "DIGITS = re.compile(r'\\d+')").replace(
      "NUMBER.search",
      "DIGITS.search",
    );
    const { session } = await edited(
      now.replace("import re\n", "import re\nLIMIT = 100\n").replace("< 10", "< LIMIT"),
    );
    const { hunks, causes } = await attributeFlips(session, never());
    expect(hunks).toHaveLength(3);
    expect(causes.every(({ hunks: ids }) => ids.length === 0)).toBe(true);
    expect(causes.map(({ row, function: name }) => `${name} ${row}`)).toContain("number_reward 0");
  });

  it("a version that doesn't load is told in Python's words", async () => {
    const now = `${BASE}\nEND = tidy(1)\n`
      .replace("import re", "import re\ntidy = abs")
      .replace("< 10", "< 100");
    const { session } = await edited(now);
    const { failed, causes, hunks } = await attributeFlips(session, never());
    const last = hunks.at(-1);
    expect(failed).toEqual([{ id: last?.id, message: "NameError: name 'tidy' is not defined" }]);
    expect(causes).toEqual([{ row: 2, function: "short_reward", hunks: [1] }]);
  });

  it("the only hunk needs no pass, and follows a function that was renamed", async () => {
    const { session, type } = await edited(BASE.replace("short_reward", "brief_reward"));
    const now = BASE.replace("short_reward", "brief_reward").replace("< 10", "< 100");
    type(now);
    await until("scores", () => session.lab().scored?.text === now && session.lab().status === "fresh");
    const { hunks, causes } = await attributeFlips(session, never());
    expect(hunks).toHaveLength(1);
    expect(causes).toEqual([{ row: 2, function: "brief_reward", hunks: [0] }]);
  });

  it("other files that differ are named; nothing is said of what nobody compared", async () => {
    const helper = "def limit():\n    return 10\n";
    const text = BASE.replace("import re", "import re\nfrom tools import limit").replace("< 10", "< limit()");
    const bench = await lab(text, ROWS, { live: true, files: { "tools.py": helper } });
    const { session, graph, folder } = bench;
    await until("baseline", () => session.lab().baseline.scores !== null);
    const path = join(folder, "tools.py");
    graph.ports.documents.set(path, { version: 1, text: helper.replace("10", "100"), saved: false });
    await until("flips", () => {
      const { scored, baseline, status } = session.lab();
      return (
        status === "fresh" && scored?.texts.get(path)?.includes("100") === true && baseline.scores !== null
      );
    });
    expect(await attributeFlips(session, never())).toEqual({
      hunks: [],
      causes: [{ row: 2, function: "short_reward", hunks: [] }],
      failed: [],
      otherFiles: ["tools.py"],
    });
    const fresh = await lab(BASE, ROWS);
    expect(await attributeFlips(fresh.session, never())).toMatchObject({ hunks: [], causes: [] });
  });

  it("a newer edit ends it", async () => {
    const slow = BASE.replace("    scores = []", "    import time; time.sleep(0.3)\n    scores = []");
    const bench = await lab(slow, ROWS, { live: true });
    const { session, type, path } = bench;
    await until("baseline", () => session.lab().baseline.scores !== null);
    const now = slow.replace("r'\\d'", "r'\\d+'").replace("< 10", "< 100");
    type(now);
    await until("scores", () => session.lab().scored?.text === now && session.lab().status === "fresh");
    const asked = attributeFlips(session, never());
    setTimeout(() => type(`${now}# on\n`), 100);
    await expect(asked).rejects.toMatchObject({ code: "Cancelled" });
    writeFileSync(path, now);
  });
});
