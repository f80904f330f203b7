import type { Lab } from "../lab";

export function FlipsView({ lab }: { readonly lab: Lab }) {
  return <p class="quiet">{lab.t("Loading…")}</p>;
}
