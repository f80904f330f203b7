import type { Container } from "./container";
import type { ContainerId, FormHead, TrajectoryForm } from "./form";
import { artCompact, artGroups, artParquet, artTrajectories } from "./forms/art";
import { artLog } from "./forms/artLog";
import { atif } from "./forms/atif";
import { evalProtocolLogs, evalProtocolRows } from "./forms/evalProtocol";
import { evalProtocolRecording } from "./forms/evalProtocolRecording";
import { generic } from "./forms/generic";
import { harborExport } from "./forms/harborExport";
import { inspectEval, inspectJson } from "./forms/inspect";
import { langfuse } from "./forms/langfuse";
import { langsmith } from "./forms/langsmith";
import { miniSweAgent } from "./forms/miniSweAgent";
import { mlflow } from "./forms/mlflow";
import { otelSpans } from "./forms/otelSpans";
import { sweAgent } from "./forms/sweAgent";
import { verifiersResults } from "./forms/verifiersResults";
import { verifiersTraces } from "./forms/verifiersTraces";
import { areal } from "./forms/areal";
import { atropos } from "./forms/atropos";
import { nemoGym, nemoGymFailures } from "./forms/nemoGym";
import { nemoRl } from "./forms/nemoRl";
import { rllmEpisode } from "./forms/rllm";
import { skyrlEval } from "./forms/skyrlEval";
import { tinkerLogtree, tinkerRollouts } from "./forms/tinker";
import { trackioSession, trackioTables, trackioTraces } from "./forms/trackio";
import { trlCompletions } from "./forms/trlCompletions";
import { samplesTable, trlTable, verlTable } from "./forms/wandbTable";
import { verlRollout } from "./forms/verlRollout";

/** In order of certainty: the first that recognises a file reads it. */
export const FORMS: readonly TrajectoryForm[] = [
  inspectEval,
  inspectJson,
  atif,
  miniSweAgent,
  sweAgent,
  harborExport,
  otelSpans,
  mlflow,
  langfuse,
  langsmith,
  artCompact,
  artParquet,
  artGroups,
  artTrajectories,
  artLog,
  evalProtocolLogs,
  evalProtocolRecording,
  evalProtocolRows,
  verifiersTraces,
  verifiersResults,
  nemoGym,
  nemoGymFailures,
  trackioTraces,
  trackioTables,
  trackioSession,
  rllmEpisode,
  trlCompletions,
  tinkerLogtree,
  tinkerRollouts,
  trlTable,
  verlTable,
  samplesTable,
  areal,
  skyrlEval,
  nemoRl,
  atropos,
  verlRollout,
  generic,
];

/** Loaded when a file first needs them. In sniffing order; `lines` takes what is left. */
export const CONTAINERS: readonly { readonly id: ContainerId; readonly load: () => Promise<Container> }[] = [
  { id: "parquet", load: async () => (await import("./containers/parquet")).parquetContainer },
  { id: "zip", load: async () => (await import("./containers/zip")).zipContainer },
  { id: "sqlite", load: async () => (await import("./containers/sqlite")).sqliteContainer },
  { id: "document", load: async () => (await import("./containers/text")).textContainer },
  { id: "document", load: async () => (await import("./containers/document")).documentContainer },
  { id: "lines", load: async () => (await import("./containers/document")).rowsContainer },
  { id: "lines", load: async () => (await import("./containers/lines")).linesContainer },
];

export function formOf(id: string): TrajectoryForm | null {
  return FORMS.find((form) => form.id === id) ?? null;
}

/** It fits any rows with columns of the usual names: a framework's own form knows better. */
export function isGuess(form: TrajectoryForm): boolean {
  return form.id === generic.id;
}

/** The form of a file by its first records; of lines the one that knows most of them. */
export function recogniseForm(head: FormHead): TrajectoryForm | null {
  const fits = (form: TrajectoryForm): boolean =>
    form.containers.includes(head.container) && form.recognise(head);
  if (head.container !== "lines" || head.records.length < 2) return FORMS.find(fits) ?? null;
  const fitting = FORMS.filter(fits);
  const known = fitting.filter((form) => !isGuess(form));
  const counts = known.map(
    (form) => head.records.filter((record) => form.recognise({ ...head, records: [record] })).length,
  );
  return known[counts.indexOf(Math.max(...counts))] ?? fitting[0] ?? null;
}
