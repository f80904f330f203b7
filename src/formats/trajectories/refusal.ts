import { RewardsmithError } from "../../base/errors";
import type { TrajectoryProblemCode } from "../../schema/trajectory";
import { isFields } from "./build";
import type { FileAccess } from "./container";
import { peekText, startsWith } from "./containers/bytes";
import type { FormHead } from "./form";

const SHOWN_NAMES = 8;

const MAGIC: readonly (readonly [readonly number[], string])[] = [
  [[0x89, 0x50, 0x4e, 0x47], "a PNG image"],
  [[0xff, 0xd8, 0xff], "a JPEG image"],
  [[0x25, 0x50, 0x44, 0x46], "a PDF document"],
  [[0x42, 0x5a, 0x68], "compressed with bzip2: unpack it first"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "compressed with xz: unpack it first"],
  [[0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59], "a NumPy array"],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31], "an Arrow file: save it as Parquet to read it here"],
  [[0x7f, 0x45, 0x4c, 0x46], "a program"],
];

/** What is never a file of trajectories, told by its first bytes. Throws FormatUnknown with `problem` in its detail. */
export function refuse(file: FileAccess, first: Uint8Array): void {
  if (peekText(first.subarray(0, 200)).startsWith("version https://git-lfs.github.com/spec"))
    throw refusal(
      file,
      "git-lfs-pointer",
      `is a Git LFS pointer, not the file itself. Run "git lfs pull" in its folder`,
    );
  const second = first[1] ?? 0;
  if (first[0] === 0x80 && second >= 2 && second <= 5)
    throw refusal(file, "pickle", "is a Python pickle. Pickles run code when loaded, so they are never read");
  if (file.bytes === 0 || (first.length === file.bytes && peekText(first) === ""))
    throw refusal(file, "empty", "is empty: nothing has been written to it yet");
}

/** The best that can be said about a file that no form knows. */
export function unknownFile(
  file: FileAccess,
  first: Uint8Array,
  heads: readonly FormHead[],
  failures: readonly RewardsmithError[],
): RewardsmithError {
  const known = failures.find(({ code }) => code === "TooLarge");
  if (known) return known;
  const told = heads.map(seemsToBe).find((text) => text !== null);
  if (heads.some(({ names }) => names.some((name) => /(^|\/)data\.pkl$/.test(name))))
    return refusal(
      file,
      "pickle",
      "is a PyTorch file with a pickle in it. Pickles run code when loaded, so they are never read",
    );
  if (told !== undefined)
    return refusal(file, "unknown-form", `seems to be ${told}. No known form of trajectories is like that`);
  const [failure] = failures;
  if (failure) return failure;
  return refusal(file, "unknown-form", `seems to be ${kindOf(first)}. No trajectories can be read from it`);
}

function refusal(file: FileAccess, problem: TrajectoryProblemCode, text: string): RewardsmithError {
  return new RewardsmithError("FormatUnknown", `${file.name} ${text}`, { path: file.name, problem });
}

function seemsToBe(head: FormHead): string | null {
  const [first] = head.records;
  switch (head.container) {
    case "lines":
      return isFields(first) ? `rows with ${listed(Object.keys(first), "column")}` : null;
    case "document":
      if (isFields(first)) return `a document with ${listed(Object.keys(first), "key")}`;
      return Array.isArray(first) ? `a list of ${first.length} items` : null;
    case "parquet":
      return `a Parquet table with ${listed(head.names, "column")}`;
    case "zip":
      return `a ZIP archive with ${listed(head.names, "entry", "entries")}`;
    case "sqlite":
      return `a SQLite database with ${listed([...new Set(head.names.map((name) => name.split(".")[0] ?? ""))], "table")}`;
  }
}

function listed(names: readonly string[], one: string, many = `${one}s`): string {
  if (names.length === 0) return `no ${many}`;
  const shown = names.slice(0, SHOWN_NAMES).map((name) => name.slice(0, 60));
  const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : "";
  return `the ${names.length === 1 ? one : many} ${shown.join(", ")}${more}`;
}

function kindOf(first: Uint8Array): string {
  const known = MAGIC.find(([magic]) => startsWith(first, magic));
  if (known) return known[1];
  if (first.subarray(0, 4096).includes(0)) return "binary data";
  const text = peekText(first).toLowerCase();
  if (text.startsWith("<!doctype html") || text.startsWith("<html")) return "a web page";
  if (text.startsWith("<?xml")) return "XML";
  return "plain text";
}
