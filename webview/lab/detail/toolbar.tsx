import { useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

export interface ToolbarItem {
  readonly id: string;
  readonly label: string;
  /** Codicon before the label. */
  readonly icon?: string;
  readonly title?: string;
  /** For a toggle. */
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  run(): void;
}

/** Buttons with one tab stop; arrow keys, Home and End go between them. */
export function Toolbar({
  label,
  items,
  children,
}: {
  readonly label: string;
  readonly items: readonly ToolbarItem[];
  readonly children?: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const enabled = items.map(({ disabled }) => disabled !== true);
  const stop = enabled[current] === true ? current : enabled.indexOf(true);
  const move = (event: KeyboardEvent): void => {
    const buttons = [...(box.current?.querySelectorAll<HTMLButtonElement>("button[data-item]") ?? [])];
    const usable = buttons.filter((button) => !button.disabled);
    const at = usable.findIndex((button) => button === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: usable.length - 1 }[event.key];
    if (to === undefined || at === -1) return;
    event.preventDefault();
    const next = usable[(to + usable.length) % usable.length];
    if (!next) return;
    setCurrent(buttons.indexOf(next));
    next.focus();
  };
  return (
    <div ref={box} class="tool-bar" role="toolbar" aria-label={label} onKeyDown={move}>
      {items.map((item, i) => (
        <button
          key={item.id}
          type="button"
          data-item={item.id}
          class={item.pressed === true ? "pressed" : ""}
          title={item.title ?? item.label}
          aria-pressed={item.pressed}
          disabled={item.disabled}
          tabIndex={i === stop ? 0 : -1}
          onFocus={() => setCurrent(i)}
          onClick={() => item.run()}
        >
          {item.icon !== undefined && <span class={`codicon codicon-${item.icon}`} aria-hidden="true" />}
          <span>{item.label}</span>
        </button>
      ))}
      {children}
    </div>
  );
}
