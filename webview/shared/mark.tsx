import type { Shape } from "./stripLayout";

/** What makes a mark a button. */
export interface MarkButton {
  readonly "data-row": number;
  readonly role: "button";
  readonly tabindex: number;
  readonly "aria-label": string;
  readonly "aria-pressed": boolean;
  readonly onClick: () => void;
}

interface MarkProps {
  readonly shape: Shape;
  readonly x: number;
  readonly y: number;
  readonly r: number;
  readonly button?: MarkButton;
}

/** One row's mark. A list draws thousands, so it is one element each. */
export function Mark({ shape, x, y, r, button }: MarkProps) {
  const kind = `mark ${shape}`;
  switch (shape) {
    case "scored":
      return <circle {...button} class={kind} cx={x} cy={y} r={r - 0.5} />;
    case "partly":
      return <path {...button} class={kind} d={`M${x} ${y - r}L${x + r} ${y + r - 1}H${x - r}Z`} />;
    case "failed": {
      const e = r - 1;
      const d = `M${x - e} ${y - e}L${x + e} ${y + e}M${x + e} ${y - e}L${x - e} ${y + e}`;
      return <path {...button} class={kind} d={d} />;
    }
    case "open":
    case "absent":
      return <circle {...button} class={kind} cx={x} cy={y} r={r - 1} />;
    case "non-finite":
      return (
        <path {...button} class={kind} d={`M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`} />
      );
  }
}
