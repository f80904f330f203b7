import type { Lab } from "./lab";

/** Selects a row whose identity the caller doesn't know: the detail pane fills the id in from the engine's answer. */
export function selectRow(lab: Lab, row: number): void {
  lab.set({ selected: { id: "", row } });
}
