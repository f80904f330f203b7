import { visibleParts } from "./visible";

/** Text of a stranger: as text, with what can't be seen as symbols. */
export function Visible({ text }: { readonly text: string }) {
  return (
    <>
      {visibleParts(text).map((part, i) =>
        part.kind === "text" ? (
          part.text
        ) : (
          <span key={i} class="hidden-character" title={part.name} role="img" aria-label={part.name}>
            {part.count > 1 ? `${part.symbol}×${part.count}` : part.symbol}
          </span>
        ),
      )}
    </>
  );
}
