import type { Container, FileAccess, FileLimits, RecordFile } from "../container";
import type { PlacedRecord } from "../form";
import { parseValue } from "../jsonValue";
import { RewardsmithError } from "../../../base/errors";

/** One JSON value, read whole. */
export const documentContainer: Container = {
  id: "document",
  sniff: (first, name) => /\.json$/i.test(name) && first.length > 0,
  async head(file, limits) {
    return {
      container: "document",
      name: file.name,
      folders: file.folders,
      records: [await whole(file, limits)],
      names: [],
      metadata: {},
    };
  },
  async open(file, form, limits) {
    const value = await whole(file, limits);
    const only: readonly PlacedRecord[] = [{ value, line: 1 }];
    const { shared, records } = form.split?.(only) ?? { shared: null, records: only };
    const found = records.map((record, at) => ({ ...record, place: { at, length: 0 } }));
    return {
      container: "document",
      bytes: file.bytes,
      shared,
      async *scan() {
        await Promise.resolve();
        yield {
          records: found,
          problems: [],
          position: { bytes: file.bytes, lines: found.length, records: found.length },
        };
      },
      at: ({ at }) => Promise.resolve(found[at]?.value ?? null),
      close: () => undefined,
    } satisfies RecordFile;
  },
};

async function whole(file: FileAccess, limits: FileLimits): Promise<unknown> {
  if (file.bytes > limits.valueBytes)
    throw new RewardsmithError("TooLarge", `${file.name} is one JSON value of ${file.bytes} bytes`, {});
  const parsed = parseValue(new TextDecoder().decode(await file.read(0, file.bytes)));
  if (!parsed.ok) throw new RewardsmithError("FormatUnknown", `${file.name}: ${parsed.message}`, {});
  return parsed.value;
}
