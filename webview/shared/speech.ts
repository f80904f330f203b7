import type { Speech } from "../../src/words/format";

/** Words in the editor's language: the host hands over its bundle, English is the key. */
export function speechOf(bundle: Readonly<Record<string, string>>, language: string): Speech {
  return {
    language,
    t: (message, ...args) =>
      (bundle[message] ?? message).replace(/\{(\d+)\}/gu, (whole, index: string) =>
        String(args[Number(index)] ?? whole),
      ),
  };
}
