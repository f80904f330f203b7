import type {
  FileAccess,
  FileLimits,
  FileProblem,
  FoundRecord,
  RecordFile,
} from "../../src/formats/trajectories/container";
import { FILE_LIMITS, START } from "../../src/formats/trajectories/container";
import type { TrajectoryForm } from "../../src/formats/trajectories/form";

/** Bytes as a file; `reads` says how many bytes were asked for in all. */
export function memoryFile(
  name: string,
  content: string | Uint8Array,
  beside: Readonly<Record<string, Uint8Array>> = {},
): FileAccess & { readonly reads: () => number } {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  let reads = 0;
  return {
    name,
    folders: [],
    bytes: bytes.length,
    reads: () => reads,
    async read(from, length) {
      await new Promise((resolve) => setImmediate(resolve));
      const part = Uint8Array.prototype.slice.call(bytes, from, from + Math.max(0, length));
      reads += part.length;
      return part;
    },
    beside: (relative) => Promise.resolve(beside[relative] ?? null),
  };
}

/** A form that takes any record, so that containers can be tested alone. */
export const anyForm: TrajectoryForm = {
  id: "any",
  title: "any",
  framework: null,
  containers: ["lines", "document", "parquet", "zip", "sqlite"],
  grouping: "given",
  credit: null,
  recognise: () => true,
  read: () => [],
};

export interface Scanned {
  readonly records: readonly FoundRecord[];
  readonly problems: readonly FileProblem[];
}

export async function scanAll(file: RecordFile): Promise<Scanned> {
  const records: FoundRecord[] = [];
  const problems: FileProblem[] = [];
  for await (const batch of file.scan({ from: START, last: true })) {
    records.push(...batch.records);
    problems.push(...batch.problems);
  }
  return { records, problems };
}

export const smallLimits: FileLimits = {
  ...FILE_LIMITS,
  valueBytes: 1_000_000,
  decompressedBytes: 20_000_000,
};
