import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { placeOf } from "../../../../src/core/scoring/paths";
import { FILE_LIMITS } from "../../../../src/formats/trajectories/container";
import { parquetContainer } from "../../../../src/formats/trajectories/containers/parquet";
import { movedText, noteFloats, withMovedFloats } from "../../../../src/formats/trajectories/floats";
import { anyForm, memoryFile, scanAll } from "../../../support/memoryFile";

it.each([
  ['{"a": 1.0, "b": 1, "c": -0.0, "d": 100.00}', '{"a": 1.5, "b": 1, "c": -0.5, "d": 100.50}'],
  ["[1e5, 9E+2, 12e-1, 1.0e5, 0e0]", "[2e5, 8E+2, 22e-1, 1.5e5, 1e0]"],
  ["[NaN, Infinity, 3, 30, .0]", "[NaN, Infinity, 3, 30, .0]"],
  ['"see 2.0, e.g. café 7e 8e+"', '"see 2.5, e.g. café 7e 8e+"'],
])("moves the whole floats of %s, and no integer", (text, moved) => {
  expect(movedText(text)).toBe(moved);
  expect(movedText(text)).toHaveLength(text.length);
});

it("notes places of floats, also where another row's value has another shape", () => {
  const floats = new Set<string>();
  noteFloats(
    { a: 1, b: 2, list: [1, 2], only: 0.5, odd: Number.NaN, was: [3] },
    { a: 1.5, b: 2, list: [1, 2.5], was: "text" },
    "column",
    floats,
  );
  expect([...floats].sort()).toEqual(
    [
      placeOf(["column", "a"]),
      placeOf(["column", "list", "[]"]),
      placeOf(["column", "odd"]),
      placeOf(["column", "only"]),
    ].sort(),
  );
});

it("of a Parquet file moves what its columns say are floats", async () => {
  const file = memoryFile("x.parquet", readFileSync("test/fixtures/samples/all.none.parquet"));
  const rows = async (access: typeof file | Awaited<ReturnType<typeof withMovedFloats>>) =>
    (await scanAll(await parquetContainer.open(access, anyForm, FILE_LIMITS))).records.map(
      ({ value }) => value,
    );
  const [plain] = await rows(file);
  expect(plain).toMatchObject({ accuracy: 1, step: 3, tokens: [1, 2], weights: [1, 0.5] });
  const [moved] = await rows(await withMovedFloats(file));
  expect(moved).toMatchObject({ accuracy: 1.5, step: 3, tokens: [1, 2], weights: [1.5, 0.5] });
});
