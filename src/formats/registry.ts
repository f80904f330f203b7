import { jsonReader } from "./json";
import { jsonlReader } from "./jsonl";
import {
  DEFAULT_LIMITS,
  ProblemList,
  type ReadLimits,
  type ReadResult,
  type RowReaderId,
  type SampleReader,
} from "./reader";
import { sniff } from "./sniff";
import { toUtf8 } from "./text";
import { RewardsmithError } from "../base/errors";

/** Parsers of CSV and Parquet are loaded when a file first needs them. */
const READERS: { readonly [K in RowReaderId]: () => Promise<SampleReader> } = {
  jsonl: () => Promise.resolve(jsonlReader),
  json: () => Promise.resolve(jsonReader),
  csv: async () => (await import("./csv")).csvReader,
  parquet: async () => (await import("./parquet")).parquetReader,
};

/** Bytes of a sample file → rows, lines and problems. Rejects with FormatUnknown for what no reader knows. */
export async function readSampleFile(
  raw: Uint8Array,
  name: string,
  limits: ReadLimits = DEFAULT_LIMITS,
  signal?: AbortSignal,
): Promise<ReadResult> {
  const bytes = toUtf8(raw);
  const sniffed = sniff(bytes, name);
  if (sniffed.reader !== null) return (await READERS[sniffed.reader]()).read(bytes, limits, signal);
  if (sniffed.why === "unknown")
    throw new RewardsmithError("FormatUnknown", `${name}: ${sniffed.message}`, { path: name });
  const problems = new ProblemList();
  problems.add(1, sniffed.why, sniffed.message);
  return { reader: "jsonl", rows: [], lines: [], problems, floats: new Set() };
}
