import type { Lab } from "../lab";

export function PicturesView({ lab }: { readonly lab: Lab }) {
  return <p class="quiet">{lab.t("Loading…")}</p>;
}
