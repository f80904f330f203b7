import { oneLine } from "./format";

/**
 * Text from data (completions, exception messages) as a Markdown code span that cannot end early: what a model wrote
 * is never markup, also inside a table cell.
 */
export function code(text: string, max = 120): string {
  const flat = oneLine(text, max);
  if (flat === "") return "` `";
  const longest = Math.max(0, ...[...flat.matchAll(/`+/gu)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  const pad = flat.startsWith("`") || flat.endsWith("`") ? " " : "";
  return `${fence}${pad}${flat.replaceAll("|", "\\|")}${pad}${fence}`;
}

/** Text of ours or of a name, with everything that Markdown might read as markup escaped. */
export function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>&~:]/gu, (mark) => `\\${mark}`).replace(/\s+/gu, " ");
}
