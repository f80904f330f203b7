import type { Lab } from "../lab/lab";

/** The document in the Lab's own editor. */
export function EditorPane({ lab }: { readonly lab: Lab }) {
  return <p class="quiet">{lab.t("Loading the editor…")}</p>;
}
