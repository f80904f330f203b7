import { describe, expect, it } from "vitest";
import { tryCompletion } from "../../../src/services/lab/attempt";
import { followWay } from "../../../src/services/lab/way";
import { lab, never } from "./bench";

const SETTINGS = { liveTimeoutSeconds: 1.5, timeoutSeconds: 3 };
const samples = ["a", "BAD", "ccc"].map((completion) => ({ prompt: "p", completion }));
const reward = (body: string): string =>
  `import os, re, signal, sys, time\n
class Text(str):
    def __eq__(self, other):
        raise ValueError("no")
    def startswith(self, *args):
        os._exit(4)
    def __repr__(self):
        raise KeyError("no repr")
    __hash__ = None

class Liar:
    def __eq__(self, other):
        return "yes"
    def __bool__(self):
        raise RuntimeError("no truth")

def f(completions, **kwargs):
    scores = []
    for text in completions:
        if text == "BAD":
            ${body}
        scores.append(float(len(text)))
    return scores
`;

const CASES: readonly (readonly [what: string, body: string, states: string])[] = [
  ["loops for ever", "while True: pass", "timed-out"],
  ["is stuck in a pattern", 're.match(r"(a+)+$", "a" * 60 + "!")', "timed-out"],
  ["kills its parent", "os.kill(os.getppid(), signal.SIGKILL)", "held|crashed"],
  ["forks", "os.fork() or time.sleep(600)", "held"],
  ["leaves", "os._exit(3)", "crashed"],
  ["closes every descriptor", "os.closerange(0, 256)", "crashed|scored"],
  ["prints 100 MB", '[print("x" * 1_000_000) for _ in range(100)]', "scored"],
  ["compares texts that raise", 'Text("x") == "x"', "raised"],
  ["asks a text of a class of its own", 'Text("x").startswith("x")', "crashed"],
  ["compares what has no truth", 'found = Liar() == "x"', "scored"],
];

describe("one sample of a reward that", () => {
  it.each(CASES)(
    "%s: way and try end with a state, and the next one is answered",
    async (_, body, states) => {
      const { session } = await lab(reward(body), samples, { settings: SETTINGS });
      const state = new RegExp(`^(${states})$`);
      const way = await followWay(session, { row: 1, function: "f" }, never());
      expect(way.off === null ? way.state : way.off).toMatch(new RegExp(`^(${states}|not-scored)$`));
      if (way.state !== "unscored") expect(way.state).toMatch(state);
      const tried = await tryCompletion(session, { row: 0, completion: "BAD", weights: null }, never());
      expect(tried.error).toBeNull();
      expect(tried.functions[0]?.state).toMatch(state);
      if (states === "timed-out" || states === "crashed") expect(tried.total).toBeNull();
      const next = await tryCompletion(session, { row: 0, completion: "dddd", weights: null }, never());
      expect(next.total).toBe(4);
    },
  );
});
