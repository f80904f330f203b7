import type { Fields } from "../build";

/** A line of metrics: the step it belongs to, and what may be numbers by name. */
export interface MetricsRow {
  readonly step: unknown;
  readonly values: Fields;
}

/** One form in which frameworks write metrics. A new one is a file here, a line in `registry.ts`, a test. */
export interface MetricsForm {
  readonly id: string;
  readonly framework: string | null;
  /** By the first records: the document's one value, or parsed lines. */
  recognise(records: readonly unknown[], name: string): boolean;
  /** The rows of one record: a document has many, a line one. */
  rows(record: unknown): readonly MetricsRow[];
}
