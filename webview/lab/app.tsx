import type { Lab } from "./lab";

export function App({ lab }: { readonly lab: Lab }) {
  const { t } = lab.speech.value;
  if (lab.failed.value !== null)
    return (
      <p role="alert">
        {t("The Reward Lab could not start: {0} Close this tab and open it again.", lab.failed.value)}
      </p>
    );
  const greeting = lab.greeting.value;
  if (!greeting) return <p class="quiet">{t("Opening…")}</p>;
  return (
    <main>
      <h1>{greeting.name}</h1>
      <div role="status" aria-live="polite" class="said">
        {lab.said.value.text}
      </div>
    </main>
  );
}
