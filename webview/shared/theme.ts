import { useEffect, useState } from "preact/hooks";

/** Rises when VS Code changes the theme: what is drawn on a canvas reads its colours again. */
export function useTheme(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setCount((known) => known + 1));
    observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-vscode-theme-id"] });
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
    return () => observer.disconnect();
  }, []);
  return count;
}

/** A theme's colour by the name of its variable, with others where the theme has none. */
export function themeColour(...names: readonly string[]): string {
  const style = getComputedStyle(document.body);
  for (const name of names) {
    const value = style.getPropertyValue(name).trim();
    if (value !== "") return value;
  }
  return style.color;
}
