import { useRef } from "preact/hooks";
import { clampShare, shareAfterKey, type SplitLimits } from "./splitMath";

export interface SashProps {
  /** `vertical`: an upright line between panes side by side. */
  readonly vertical: boolean;
  /** Whether the pane whose share this is comes before or after the sash. */
  readonly sized: "before" | "after";
  readonly share: number;
  readonly limits: () => SplitLimits;
  /** Share after a double click. */
  readonly initial: number;
  readonly label: string;
  readonly controls: string;
  readonly onShare: (share: number) => void;
}

/** A line between two panes that can be dragged, and moved with the arrow keys. */
export function Sash(props: SashProps) {
  const { vertical, sized, share, limits, initial, label, controls, onShare } = props;
  const drag = useRef<{ readonly at: number; readonly share: number } | null>(null);
  const { length, min, minOther } = limits();
  const percent = (value: number): number => Math.round(clampShare(value, { length, min, minOther }) * 100);
  return (
    <div
      role="separator"
      tabIndex={0}
      class={`sash ${vertical ? "vertical" : "horizontal"}`}
      aria-orientation={vertical ? "vertical" : "horizontal"}
      aria-label={label}
      aria-controls={controls}
      aria-valuenow={percent(share)}
      aria-valuemin={percent(0)}
      aria-valuemax={percent(1)}
      onKeyDown={(event) => {
        const next = shareAfterKey(event, share, vertical, sized, limits());
        if (next === null) return;
        event.preventDefault();
        onShare(next);
      }}
      onDblClick={() => onShare(clampShare(initial, limits()))}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = {
          at: vertical ? event.clientX : event.clientY,
          share: clampShare(share, limits()),
        };
      }}
      onPointerMove={(event) => {
        if (!drag.current) return;
        const moved = (vertical ? event.clientX : event.clientY) - drag.current.at;
        const part = moved / Math.max(1, limits().length);
        onShare(clampShare(drag.current.share + (sized === "before" ? part : -part), limits()));
      }}
      onPointerUp={() => (drag.current = null)}
      onPointerCancel={() => (drag.current = null)}
    />
  );
}
