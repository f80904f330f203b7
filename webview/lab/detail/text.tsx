import type { ReadonlySignal } from "@preact/signals";
import { Visible } from "../../shared/visibleText";

/** A text in its own lines. */
export function Block({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    // dir=auto: a right-to-left text reads as it should and can't reorder what stands around it.
    <div
      class="text-block"
      dir="auto"
      {...(label === undefined ? {} : { "aria-label": label, role: "group" })}
    >
      <Visible text={text} />
    </div>
  );
}

/** Names with their values; what isn't text as JSON. */
export function Values({ of }: { readonly of: readonly (readonly [name: string, value: unknown])[] }) {
  return (
    <dl class="values">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Visible text={name} />
          </dt>
          <dd>
            <Visible text={typeof value === "string" ? value : JSON.stringify(value)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Dimmed while what it holds is older than what is asked for; says so to those who don't see it, too. */
export function Stale({
  old,
  children,
}: {
  readonly old: ReadonlySignal<boolean>;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div class={old.value ? "stale" : ""} aria-busy={old.value}>
      {children}
    </div>
  );
}
