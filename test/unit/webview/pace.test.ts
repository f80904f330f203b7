import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Pace } from "../../../webview/lab/pace";

let pace: Pace;
let ran: string[];
const run = (name: string, what = name): void => pace.run(name, () => ran.push(what));

beforeEach(() => {
  vi.useFakeTimers();
  pace = new Pace(() => Date.now());
  ran = [];
});
afterEach(() => {
  vi.useRealTimers();
});

describe("newer data is shown", () => {
  it("at once where nobody types", () => {
    run("a");
    run("a");
    run("b");
    expect(ran).toEqual(["a", "a", "b"]);
  });

  it("after the typing, the newest of each name alone, in the order in which they came last", () => {
    pace.typed();
    run("a", "a1");
    run("b", "b1");
    vi.advanceTimersByTime(100);
    pace.typed();
    run("a", "a2");
    vi.advanceTimersByTime(150);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(ran).toEqual(["b1", "a2"]);
    run("a", "a3");
    expect(ran).toEqual(["b1", "a2", "a3"]);
  });

  it("now and then while somebody doesn't stop typing", () => {
    const keys = 60;
    for (let key = 0; key < keys; key++) {
      pace.typed();
      run("a", `${key}`);
      vi.advanceTimersByTime(50);
    }
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.length).toBeLessThan(keys / 10);
    vi.runAllTimers();
    expect(ran.at(-1)).toBe(`${keys - 1}`);
  });

  it("when the page is shown again, once, and not before", () => {
    pace.hidden = true;
    for (const what of ["a1", "a2", "a3"]) run("a", what);
    vi.advanceTimersByTime(60_000);
    expect(ran).toEqual([]);
    pace.hidden = false;
    expect(ran, "the page as it was comes first").toEqual([]);
    vi.runAllTimers();
    expect(ran).toEqual(["a3"]);
  });

  it("not of a page that is hidden again before it was due", () => {
    pace.hidden = true;
    run("a");
    pace.hidden = false;
    pace.hidden = true;
    vi.runAllTimers();
    expect(ran).toEqual([]);
  });
});
