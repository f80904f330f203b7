import type { Lab } from "./lab";

/** Sliders that re-rank without scoring again. */
export function Weights({ lab }: { readonly lab: Lab }) {
  return <p class="quiet">{lab.t("Loading…")}</p>;
}
