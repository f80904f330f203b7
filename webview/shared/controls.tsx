import { type ComponentChildren, type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

export function Icon({ name }: { readonly name: string }) {
  return <span class={`codicon codicon-${name}`} aria-hidden="true" />;
}

/**
 * Shows an element in the browser's top layer, under another: no pane cuts it off. The element carries `popover="manual"`;
 * it is as wide as it needs, at most as high as there is room.
 */
export function usePopover(
  popover: RefObject<HTMLElement | null>,
  anchor: RefObject<HTMLElement | null>,
  open: boolean,
): void {
  useLayoutEffect(() => {
    const element = popover.current;
    if (!element || !open) return;
    element.showPopover();
    const place = (): void => {
      const box = anchor.current?.getBoundingClientRect();
      if (!box) return;
      const width = Math.min(element.scrollWidth, window.innerWidth - 8);
      element.style.left = `${Math.max(4, Math.min(box.left, window.innerWidth - width - 4))}px`;
      element.style.top = `${box.bottom + 1}px`;
      element.style.maxHeight = `${Math.max(80, window.innerHeight - box.bottom - 8)}px`;
      element.style.minWidth = `${Math.min(box.width, 240)}px`;
    };
    place();
    window.addEventListener("resize", place);
    return () => {
      window.removeEventListener("resize", place);
      if (element.isConnected) element.hidePopover();
    };
  }, [open]);
}

export interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly pressed?: boolean;
  readonly menu?: boolean;
  readonly expanded?: boolean;
  readonly class?: string;
  readonly onClick: (button: HTMLElement) => void;
}

export function IconButton({ icon, label, pressed, menu, expanded, onClick, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${rest.class ?? ""}`}
      title={label}
      aria-label={label}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(menu ? { "aria-haspopup": "menu" as const, "aria-expanded": expanded ?? false } : {})}
      onClick={(event) => onClick(event.currentTarget)}
    >
      <Icon name={icon} />
    </button>
  );
}

export interface MenuItem {
  readonly id: string;
  readonly text: string;
  readonly icon?: string;
  /** A choice that is on or off; the menu stays open. */
  readonly checked?: boolean;
  readonly disabled?: boolean;
  /** A line above. */
  readonly divided?: boolean;
}

export interface MenuProps {
  readonly items: readonly MenuItem[];
  readonly label: string;
  /** Where to open, in pixels of the page; moved so that all of it is on screen. */
  readonly at: { readonly x: number; readonly y: number };
  readonly onChoose: (id: string) => void;
  readonly onClose: (refocus: boolean) => void;
}

/** A menu with the focus in it: arrows, Home, End, first letters; Escape and Tab close it. */
export function Menu({ items, label, at, onChoose, onClose }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    // In the top layer: a pane that the menu belongs to would cut it off.
    if (!element.matches(":popover-open")) element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(0, Math.min(at.x, window.innerWidth - width - 4))}px`;
    element.style.top = `${Math.max(0, Math.min(at.y, window.innerHeight - height - 4))}px`;
    element.querySelector<HTMLElement>("[role^=menuitem]:not([aria-disabled=true])")?.focus();
  }, [at.x, at.y]);
  useEffect(() => {
    const outside = (event: Event): void => {
      if (event.target instanceof Node && menu.current?.contains(event.target)) return;
      close.current(false);
    };
    const blurred = (): void => close.current(false);
    document.addEventListener("pointerdown", outside, true);
    window.addEventListener("blur", blurred);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      window.removeEventListener("blur", blurred);
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const all = [...(menu.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const now = all.findIndex((item) => item === document.activeElement);
    const to = (index: number): void => all[(index + all.length) % all.length]?.focus();
    switch (event.key) {
      case "ArrowDown":
        to(now + 1);
        break;
      case "ArrowUp":
        to(now - 1);
        break;
      case "Home":
        to(0);
        break;
      case "End":
        to(-1);
        break;
      case "Escape":
      case "Tab":
        onClose(true);
        break;
      case "Enter":
      case " ":
        all[now]?.click();
        break;
      default: {
        const letter = event.key.toLowerCase();
        const found = [...all.slice(now + 1), ...all.slice(0, now + 1)].find((item) =>
          item.textContent.trim().toLowerCase().startsWith(letter),
        );
        if (letter.length === 1) found?.focus();
      }
    }
    event.preventDefault();
  };
  return (
    <div role="menu" popover="manual" class="menu" ref={menu} aria-label={label} onKeyDown={onKeyDown}>
      {items.map((item) => (
        <div
          key={item.id}
          role={item.checked === undefined ? "menuitem" : "menuitemcheckbox"}
          {...(item.checked === undefined ? {} : { "aria-checked": item.checked })}
          aria-disabled={item.disabled ?? false}
          class={item.divided ? "menu-item divided" : "menu-item"}
          tabIndex={-1}
          onClick={() => {
            if (item.disabled) return;
            if (item.checked === undefined) onClose(true);
            onChoose(item.id);
          }}
        >
          <Icon
            name={item.checked === undefined ? (item.icon ?? "blank") : item.checked ? "check" : "blank"}
          />
          <span>{item.text}</span>
        </div>
      ))}
    </div>
  );
}

export interface TabItem {
  readonly id: string;
  readonly text: string;
  /** A number behind the name, with its meaning for screen readers. */
  readonly badge?: { readonly text: string; readonly title: string } | undefined;
  /** Id of the element that the tab shows. */
  readonly panel: string;
}

export interface TabsProps {
  readonly label: string;
  readonly items: readonly TabItem[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** A tab list: one tab stop, arrows choose. */
export function Tabs({ label, items, chosen, onChoose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const at = items.findIndex(({ id }) => id === chosen);
  const go = (index: number): void => {
    const item = items[(index + items.length) % items.length];
    if (!item) return;
    onChoose(item.id);
    const tabs = list.current?.querySelectorAll<HTMLElement>("[role=tab]");
    tabs?.[(index + items.length) % items.length]?.focus();
  };
  return (
    <div
      role="tablist"
      class="tabs"
      aria-label={label}
      ref={list}
      onKeyDown={(event) => {
        if (event.key === "ArrowRight") go(at + 1);
        else if (event.key === "ArrowLeft") go(at - 1);
        else if (event.key === "Home") go(0);
        else if (event.key === "End") go(items.length - 1);
        else return;
        event.preventDefault();
      }}
    >
      {items.map(({ id, text, badge, panel }, index) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === chosen}
          aria-controls={panel}
          tabIndex={index === Math.max(0, at) ? 0 : -1}
          class="tab"
          onClick={() => onChoose(id)}
        >
          {text}
          {badge && (
            <span class="badge" title={badge.title}>
              {badge.text}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

export interface NoticeProps {
  readonly icon: string;
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** A whole pane that has nothing to show: what belongs here, and what to do. */
export function Notice({ icon, title, children }: NoticeProps) {
  return (
    <div class="pane-notice">
      <span class={`codicon codicon-${icon} big`} aria-hidden="true" />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
