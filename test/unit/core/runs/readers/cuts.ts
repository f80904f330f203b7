import fc from "fast-check";
import { expect } from "vitest";
import type { TelemetryReader } from "../../../../../src/core/runs/telemetry";
import type { Row } from "../../../../../src/core/runs/readers/rows";

/** All rows of a text given in one piece. */
export function readAll(reader: TelemetryReader, text: string): readonly Row[] {
  return readPieces(reader, [text]);
}

export function readPieces(reader: TelemetryReader, pieces: readonly string[]): readonly Row[] {
  const reading = reader.open();
  return [...pieces.flatMap((piece) => reading.push(piece)), ...reading.end()];
}

/** Whatever the places where the text is cut, the rows are the same. */
export function expectSameRowsForAnyCuts(reader: TelemetryReader, text: string, runs = 150): void {
  const whole = readAll(reader, text);
  expect(whole.length).toBeGreaterThan(0);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 40 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((to, at) => text.slice(places[at], to));
      expect(readPieces(reader, pieces)).toEqual(whole);
    }),
    { numRuns: runs },
  );
  expect(
    readPieces(
      reader,
      Array.from({ length: text.length }, (_, at) => text.charAt(at)),
    ),
  ).toEqual(whole);
}
