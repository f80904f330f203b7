/**
 * Names a place inside a sample's values: the column, then keys down to the value; every item of a list shares one
 * place, as in an Arrow schema. `SampleTable.floats` holds such places, so a plain column is just its name.
 */
const SEPARATOR = "\u0000";
export const ITEM = "[]";

export function placeOf(keys: readonly string[]): string {
  return keys.join(SEPARATOR);
}

export function below(place: string, key: string): string {
  return place + SEPARATOR + key;
}

/** The same place under another column name. */
export function underColumn(place: string, from: string, to: string): string {
  return place === from ? to : to + place.slice(from.length);
}

export function columnOf(place: string): string {
  const end = place.indexOf(SEPARATOR);
  return end < 0 ? place : place.slice(0, end);
}
