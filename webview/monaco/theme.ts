import * as monaco from "monaco-editor/editor/editor.api.js";

const THEME = "rewardsmith";
const PREFIX = "--vscode-";

/** Kinds of tokens in Monaco's Python grammar, by the variable of the editor's theme that has a colour for the like. */
const TOKENS: readonly (readonly [token: string, variable: string])[] = [
  ["string", "debugTokenExpression-string"],
  ["string.escape", "debugTokenExpression-string"],
  ["number", "debugTokenExpression-number"],
  // Monaco's own green has too little contrast on VS Code's dark background.
  ["comment", "descriptionForeground"],
];

/**
 * Keeps Monaco in the colours of VS Code's theme: backgrounds, widgets and marks from its variables. Keywords, comments
 * and the rest of the syntax are Monaco's own for dark, light and high contrast: a page is not told the theme's.
 */
export function followTheme(): { dispose(): void } {
  const draw = (): void => {
    monaco.editor.defineTheme(THEME, themeNow());
    monaco.editor.setTheme(THEME);
  };
  draw();
  const observer = new MutationObserver(draw);
  observer.observe(document.body, { attributes: true, attributeFilter: ["class", "data-vscode-theme-id"] });
  // The variables themselves stand on the root element.
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  return { dispose: () => observer.disconnect() };
}

function themeNow(): monaco.editor.IStandaloneThemeData {
  const colors: Record<string, string> = {};
  for (const name of document.documentElement.style) {
    if (!name.startsWith(PREFIX)) continue;
    const color = hexOf(document.documentElement.style.getPropertyValue(name));
    if (color) colors[name.slice(PREFIX.length).replaceAll("-", ".")] = `#${color}`;
  }
  return {
    base: baseOf(document.body.classList),
    inherit: true,
    colors,
    rules: TOKENS.flatMap(([token, variable]) => {
      const color = hexOf(document.documentElement.style.getPropertyValue(PREFIX + variable));
      return color ? [{ token, foreground: color.slice(0, 6) }] : [];
    }),
  };
}

function baseOf(classes: DOMTokenList): monaco.editor.BuiltinTheme {
  if (classes.contains("vscode-high-contrast-light")) return "hc-light";
  if (classes.contains("vscode-high-contrast")) return "hc-black";
  return classes.contains("vscode-light") ? "vs" : "vs-dark";
}

/** `RRGGBB` or `RRGGBBAA` of a CSS colour as VS Code writes them; null: not a colour. */
export function hexOf(css: string): string | null {
  const text = css.trim();
  const hex = /^#([0-9a-f]{3,8})$/iu.exec(text)?.[1];
  if (hex !== undefined) {
    if (hex.length === 6 || hex.length === 8) return hex;
    return hex.length === 3 || hex.length === 4 ? hex.replace(/./gu, "$&$&") : null;
  }
  const parts = /^rgba?\(([^)]*)\)$/iu
    .exec(text)?.[1]
    ?.split(/[\s,/]+/u)
    .filter((part) => part !== "");
  if (!parts || parts.length < 3 || parts.length > 4) return null;
  const values = parts.map((part, i) => {
    const number = part.endsWith("%") ? Number(part.slice(0, -1)) / 100 : Number(part);
    return Math.round(i === 3 || part.endsWith("%") ? number * 255 : number);
  });
  if (values.some((value) => !Number.isInteger(value) || value < 0 || value > 255)) return null;
  return values.map((value) => value.toString(16).padStart(2, "0")).join("");
}
