import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileFilter, type FilterRows } from "../../../../src/core/query/evaluate";
import { OWN_FIELDS } from "../../../../src/core/query/fields";
import { parseFilter } from "../../../../src/core/query/parse";
import { fieldName, quoted, suggestFilter } from "../../../../src/core/query/suggest";
import type { SampleLabel } from "../../../../src/schema/label";
import type { ScoreState } from "../../../../src/schema/score";
import { filterErrorInWords } from "../../../../src/words/filter";

const names = { functions: ["correct", "my fmt"], columns: ["answer", "step", "length", "my col", "Total"] };

interface Sample {
  total?: number;
  correct?: number;
  correctState?: ScoreState | null;
  state?: ScoreState | null;
  label?: SampleLabel["value"];
  direction?: 1 | 0 | -1;
  flags?: string[];
  group?: string;
  completion?: string;
  prompt?: string;
  length?: number;
  columns?: Record<string, unknown>;
}

function rowsOf(samples: readonly Sample[]): FilterRows {
  const at = (row: number): Sample => samples[row]!;
  return {
    number: (field, row) => {
      const sample = at(row);
      return (
        (field === "total" ? sample.total : field === "length" ? sample.length : undefined) ?? Number.NaN
      );
    },
    component: (index, row) => (index === 0 ? at(row).correct : undefined) ?? Number.NaN,
    state: (row) => at(row).state ?? null,
    componentState: (index, row) => (index === 0 ? at(row).correctState : undefined) ?? null,
    label: (row) => {
      const value = at(row).label;
      return value === undefined ? null : { value, source: "sidecar", stream: "random", by: "" };
    },
    direction: (row) => at(row).direction ?? null,
    flag: (flag, row) => at(row).flags?.includes(flag) ?? false,
    text: (field, row) => {
      const sample = at(row);
      if (field === "group") return sample.group ?? "";
      if (field === "completion") return (sample.completion ?? "").toLowerCase();
      return field === "prompt" ? (sample.prompt ?? "").toLowerCase() : "";
    },
    column: (name, row) => at(row).columns?.[name],
    valueText: (value) => String(value).toLowerCase(),
  };
}

/** 1-based numbers of the rows that the filter lets through. */
function matches(filter: string, samples: readonly Sample[]): number[] {
  const { node, problem } = parseFilter(filter, names);
  expect(problem).toBeNull();
  const test = compileFilter(node!, rowsOf(samples));
  return samples.flatMap((_, row) => (test(row) ? [row + 1] : []));
}

function problemOf(filter: string) {
  const { node, problem } = parseFilter(filter, names);
  expect(node).toBeNull();
  const { code, subject, near, from, to } = problem!;
  return [code, subject, near, filter.slice(from, to)];
}

describe("filter language", () => {
  const totals: Sample[] = [{ total: 0.1 }, { total: 0.3 }, { total: 0.1 + 0.2 }, {}, { total: Infinity }];

  it("compares scores to the trainer's precision; what has no finite value satisfies no comparison", () => {
    expect(matches("total<0.3", totals)).toEqual([1]);
    expect(matches("total <= 0.3", totals)).toEqual([1, 2, 3]);
    expect(matches("total>=.3", totals)).toEqual([2, 3]);
    expect(matches("total:0.3", totals)).toEqual([2, 3]);
    expect(matches("total!=0.3", totals)).toEqual([1]);
    expect(matches("total:0.05..0.3", totals)).toEqual([1, 2, 3]);
    expect(matches("total:0.2..", totals)).toEqual([2, 3]);
    expect(matches("not total<0.3", totals)).toEqual([2, 3, 4, 5]);
    expect(matches("total:none", totals)).toEqual([4]);
  });

  it("not binds stronger than and, and than or; parentheses and minus", () => {
    const samples = ["a", "b", "ab", "c"].map((completion) => ({ completion }));
    expect(matches("a b or c", samples)).toEqual([3, 4]);
    expect(matches("a and not b", samples)).toEqual([1]);
    expect(matches("a -b", samples)).toEqual([1]);
    expect(matches("-(a or b)", samples)).toEqual([4]);
    expect(matches("(a OR c) NOT b", samples)).toEqual([1, 4]);
    expect(matches("- - a", [{ completion: "- a" }, { completion: "a" }])).toEqual([1]);
    expect(matches("", samples)).toEqual([1, 2, 3, 4]);
  });

  it("searches completion and prompt, whatever the case; in quotes also keywords, flags and operators", () => {
    const samples = [{ completion: "The Answer" }, { prompt: "answer and x<3" }, { completion: 'say "hi"' }];
    expect(matches("ANSWER", samples)).toEqual([1, 2]);
    expect(matches('"and"', samples)).toEqual([2]);
    expect(matches('"x<3"', samples)).toEqual([2]);
    expect(matches('"say \\"hi\\""', samples)).toEqual([3]);
    expect(matches("completion:answer", samples)).toEqual([1]);
  });

  it("states, of the row or of one function, several at once", () => {
    const samples: Sample[] = [
      { state: "scored", correctState: "scored", correct: 1 },
      { state: "raised", correctState: "raised" },
      { state: "timed-out", correctState: "scored", correct: 0 },
      { state: null },
    ];
    expect(matches("state:raised,timed-out", samples)).toEqual([2, 3]);
    expect(matches('state:"Timed out"', samples)).toEqual([3]);
    expect(matches("state:none", samples)).toEqual([4]);
    expect(matches("state!=scored", samples)).toEqual([2, 3, 4]);
    expect(matches("correct:raised", samples)).toEqual([2]);
    expect(matches("correct:1", samples)).toEqual([1]);
    expect(matches("correct<1", samples)).toEqual([3]);
    expect(matches("correct:none", samples)).toEqual([2, 4]);
  });

  it("labels and flips", () => {
    const samples: Sample[] = [{ label: "good" }, { label: 0.2 }, {}, { direction: -1 }, { direction: 0 }];
    expect(matches("label:good", samples)).toEqual([1]);
    expect(matches("label:any", samples)).toEqual([1, 2]);
    expect(matches("label<0.5", samples)).toEqual([2]);
    expect(matches("label:none", samples)).toEqual([3, 4, 5]);
    expect(matches("flip", samples)).toEqual([4, 5]);
    expect(matches("flip:down", samples)).toEqual([4]);
    expect(matches("flip:up,down", samples)).toEqual([4]);
  });

  it("flags, rows counted from 1, groups by their whole name", () => {
    const samples: Sample[] = [{ flags: ["tied"], group: "p1" }, { group: "p10" }, { group: 'a "b\\' }];
    expect(matches("tied", samples)).toEqual([1]);
    expect(matches('"tied"', samples)).toEqual([]);
    expect(matches("row:2", samples)).toEqual([2]);
    expect(matches("row:2..", samples)).toEqual([2, 3]);
    expect(matches("row:3..2,1", samples)).toEqual([1, 2, 3]);
    expect(matches("row>=2", samples)).toEqual([2, 3]);
    expect(matches("group:p1", samples)).toEqual([1]);
    expect(matches("group:p1,p10", samples)).toEqual([1, 2]);
    expect(matches(`group:${quoted('a "b\\')}`, samples)).toEqual([3]);
  });

  it("data columns: numbers whole, texts by a part, numerals in texts in comparisons", () => {
    const samples: Sample[] = [
      { length: 9, columns: { answer: "4", step: 4, "my col": "x y", length: 1 } },
      { length: 1, columns: { answer: "14", step: 14, "my col": null } },
      { columns: { answer: null, step: 2n ** 60n } },
    ];
    expect(matches("step:4", samples)).toEqual([1]);
    expect(matches("step:4.0", samples)).toEqual([1]);
    expect(matches("answer:4", samples)).toEqual([1, 2]);
    expect(matches("answer>10", samples)).toEqual([2]);
    expect(matches(`step:${2n ** 60n}`, samples)).toEqual([3]);
    expect(matches("step:1..20", samples)).toEqual([1, 2]);
    expect(matches("answer:none", samples)).toEqual([3]);
    expect(matches('"my col":"X y"', samples)).toEqual([1]);
    // Quoted: the column; plain: the completion's length.
    expect(matches('"length":1', samples)).toEqual([1]);
    expect(matches("length:1", samples)).toEqual([2]);
  });

  it("says what is wrong and where", () => {
    expect(problemOf("a totl<3")).toEqual(["unknown-field", "totl", "total", "totl"]);
    expect(problemOf("http://x")).toEqual(["unknown-field", "http", null, "http"]);
    expect(problemOf("corect:1")).toEqual(["unknown-field", "corect", "correct", "corect"]);
    expect(problemOf("state:rased,held")).toEqual(["unknown-value", "rased", "raised", "rased,held"]);
    expect(problemOf("total<abc")).toEqual(["not-a-number", "abc", null, "abc"]);
    expect(problemOf("row:0")).toEqual(["not-a-row", "0", null, "0"]);
    expect(problemOf("row:2..x")).toEqual(["not-a-row", "2..x", null, "2..x"]);
    expect(problemOf("group>3")).toEqual(["not-ordered", "group", null, "3"]);
    expect(problemOf("total< ")).toEqual(["no-value", "<", null, "<"]);
    expect(problemOf("a :3")).toEqual(["unknown-field", "a", null, "a"]);
    expect(problemOf("(:3)")).toEqual(["no-field", ":", null, ":"]);
    expect(problemOf("a or")).toEqual(["no-term", "or", null, "or"]);
    expect(problemOf("and a")).toEqual(["no-term", "and", null, "and"]);
    expect(problemOf("a not")).toEqual(["no-term", "not", null, "not"]);
    expect(problemOf("a ()")).toEqual(["no-term", "(", null, "("]);
    expect(problemOf("(a")).toEqual(["open-parenthesis", "(", null, "("]);
    expect(problemOf("a)")).toEqual(["stray-parenthesis", ")", null, ")"]);
    expect(problemOf('a "bc')).toEqual(["open-quote", "bc", null, '"bc']);
    expect(problemOf("/a.*b c/i x")).toEqual(["regex", "/a.*b c/i", null, "/a.*b c/i"]);
    expect(problemOf("answer:/a/")).toEqual(["regex", "/a/", null, "/a/"]);
    expect(problemOf("(".repeat(5000))[0]).toBe("too-deep");
  });

  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 80 }),
    fc
      .array(
        fc.oneof(
          fc.constantFrom(...'()"\\:<>=!-/ ,.'.split("")),
          fc.constantFrom(
            "and",
            "or",
            "not",
            "total",
            "state",
            "row",
            "correct",
            "flip",
            "label",
            "1",
            "..",
            " ",
          ),
          fc.constantFrom("raised", "good", "answer", "none", "tied"),
        ),
        { maxLength: 25 },
      )
      .map((parts) => parts.join("")),
  );

  it("any text is a filter or has a problem inside it, and a sentence for that", () => {
    fc.assert(
      fc.property(texts, fc.nat(100), (text, cursor) => {
        const { node, problem } = parseFilter(text, names);
        if (problem) {
          expect(node).toBeNull();
          expect(problem.from).toBeLessThan(problem.to);
          expect(problem.to).toBeLessThanOrEqual(text.length);
          const speech = { language: "en", t: (message: string) => message };
          expect(filterErrorInWords(problem, speech)).not.toBe("");
        } else compileFilter(node!, rowsOf([{}]))(0);
        const { from, to } = suggestFilter(text, cursor, names);
        expect(from >= 0 && from <= to && to <= text.length).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("a filter and its denial part the rows", () => {
    const samples = fc.array(
      fc.record({
        total: fc.double(),
        correct: fc.double(),
        state: fc.constantFrom("scored" as const, "raised" as const, null),
        completion: fc.constantFrom("a", "total", "4"),
        columns: fc.record({ answer: fc.constantFrom(1, "1", null, 2n) }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(texts, samples, (text, rows) => {
        // Two slashes of two copies would be a pattern.
        fc.pre(parseFilter(text, names).problem === null && text.trim() !== "" && !text.includes("/"));
        const all = rows.map((_, i) => i + 1);
        const some = matches(text, rows);
        expect([...some, ...matches(`not (${text})`, rows)].sort((a, b) => a - b)).toEqual(all);
        expect(matches(`(${text}) (${text})`, rows)).toEqual(some);
      }),
      { numRuns: 500 },
    );
  });

  it("every name can be written so that it is read back, and every example of the help is a filter", () => {
    for (const { example } of OWN_FIELDS) expect(parseFilter(example, names).problem).toBeNull();
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 12 }), (name) => {
        const { node } = parseFilter(`${fieldName(name)}:"x"`, { functions: [], columns: [name] });
        const own = OWN_FIELDS.some((field) => field.name.toLowerCase() === name.toLowerCase());
        if (!own) expect(node).toMatchObject({ field: { by: "column", name } });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("suggestions", () => {
  const at = (text: string) => {
    const cursor = text.indexOf("|");
    const plain = text.replace("|", "");
    const { from, to, items } = suggestFilter(plain, cursor, names);
    return items.map(({ insert }) => plain.slice(0, from) + insert + plain.slice(to));
  };
  it("names, then values behind the operator, of a list the part at the cursor", () => {
    expect(at("to|")).toContain("total:");
    expect(at("my|")).toEqual(['"my fmt":', '"my col":']);
    // The data column in the shadow of the Lab's own.
    expect(at("leng|")).toEqual(["length:", '"length":']);
    expect(at("tot|<3")).toEqual(["total<3", '"Total"<3']);
    expect(at("a state:rai|")).toEqual(["a state:raised"]);
    expect(at("state:rai|,held x")).toEqual(["state:raised,held x"]);
    expect(at("state:held,cr| x")).toEqual(["state:held,crashed x"]);
    expect(at("label:|")).toEqual(["label:good", "label:bad", "label:any", "label:none"]);
    expect(at('"my fmt":non-|')).toEqual(['"my fmt":non-finite']);
  });
});
