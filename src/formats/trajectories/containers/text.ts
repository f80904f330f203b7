import { RewardsmithError } from "../../../base/errors";
import type { Container, FileAccess, FileLimits } from "../container";
import { isArtLog } from "../forms/artLog";
import { decodeSlowly, peekText } from "./bytes";
import { listedRecords } from "./listed";

/** A text for people that is one trajectory; told by its beginning, for it has no structure to tell it by. */
export const textContainer: Container = {
  id: "document",
  sniff: (first) => isArtLog(peekText(first)),
  async head(file, limits) {
    return {
      container: "document",
      name: file.name,
      folders: file.folders,
      records: [await textOf(file, limits)],
      names: [],
      metadata: {},
    };
  },
  async open(file, _form, limits) {
    const value = await textOf(file, limits);
    return listedRecords({
      container: "document",
      bytes: file.bytes,
      // eslint-disable-next-line @typescript-eslint/require-await, require-yield -- nothing is left to be read
      async *load() {
        return { shared: null, records: [{ value, line: 1 }], problems: [] };
      },
    });
  },
};

async function textOf(file: FileAccess, limits: FileLimits): Promise<string> {
  if (file.bytes > limits.valueBytes)
    throw new RewardsmithError(
      "TooLarge",
      `${file.name} is one text of ${file.bytes} bytes; up to ${limits.valueBytes} are read`,
      { path: file.name },
    );
  return (await decodeSlowly(await file.read(0, file.bytes))).text;
}
