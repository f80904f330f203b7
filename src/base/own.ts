/** The record's own value: names come from files and from Python, and `constructor` is a good name for either. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
