import type { Container } from "./container";
import type { ContainerId, FormHead, TrajectoryForm } from "./form";
import { atif } from "./forms/atif";
import { harborExport } from "./forms/harborExport";
import { inspectEval, inspectJson } from "./forms/inspect";
import { miniSweAgent } from "./forms/miniSweAgent";
import { sweAgent } from "./forms/sweAgent";
import { verifiersResults } from "./forms/verifiersResults";
import { verifiersTraces } from "./forms/verifiersTraces";
import { verlRollout } from "./forms/verlRollout";

/** In order of certainty: the first that recognises a file reads it. */
export const FORMS: readonly TrajectoryForm[] = [
  inspectEval,
  inspectJson,
  atif,
  miniSweAgent,
  sweAgent,
  harborExport,
  verifiersTraces,
  verifiersResults,
  verlRollout,
];

/** Loaded when a file first needs them. In sniffing order; `lines` takes what is left. */
export const CONTAINERS: readonly { readonly id: ContainerId; readonly load: () => Promise<Container> }[] = [
  { id: "document", load: async () => (await import("./containers/document")).documentContainer },
  { id: "lines", load: async () => (await import("./containers/lines")).linesContainer },
];

export function formOf(id: string): TrajectoryForm | null {
  return FORMS.find((form) => form.id === id) ?? null;
}

export function recogniseForm(head: FormHead): TrajectoryForm | null {
  return FORMS.find((form) => form.containers.includes(head.container) && form.recognise(head)) ?? null;
}
