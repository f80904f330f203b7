/** Markdown as data: what a page draws of it. Never HTML; links are their text and address. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly image: boolean; readonly text: string; readonly address: string };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | {
      readonly kind: "list";
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: "rule" };

const MOST_DEPTH = 6;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$/u;
const ITEM = /^( *)([-*+]|\d{1,9}[.)]) +(.*)$/u;
const TABLE_RULE = /^ *\|? *:?-{2,}:? *(?:\| *:?-{2,}:? *)*\|? *$/u;

/** The blocks of a text: CommonMark's common ones, and tables. What isn't understood stays text, HTML included. */
export function markdownBlocks(text: string, depth = 0): Block[] {
  const lines = text.replace(/\r\n?/gu, "\n").split("\n");
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0)
      blocks.push({ kind: "paragraph", children: markdownInline(paragraph.join("\n")) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const taken = depth >= MOST_DEPTH ? null : blockAt(lines, at, depth, paragraph.length > 0);
    if (taken) {
      flush();
      blocks.push(taken.block);
      at = taken.next;
      continue;
    }
    if (line.trim() === "") flush();
    else paragraph.push(line);
    at++;
  }
  flush();
  return blocks;
}

interface Taken {
  readonly block: Block;
  readonly next: number;
}

function blockAt(lines: readonly string[], at: number, depth: number, inParagraph: boolean): Taken | null {
  const line = lines[at] ?? "";
  const fence = FENCE.exec(line);
  if (fence) return fenced(lines, at, fence[1] ?? "```", fence[2] ?? "");
  const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/u.exec(line);
  if (heading)
    return {
      block: { kind: "heading", level: heading[1]?.length ?? 1, children: markdownInline(heading[2] ?? "") },
      next: at + 1,
    };
  if (/^ {0,3}([-*_])(?: *\1){2,} *$/u.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (/^ {0,3}>/u.test(line)) return quote(lines, at, depth);
  if (ITEM.test(line) && !(inParagraph && !/^ *[-*+1]/u.test(line))) return list(lines, at, depth);
  if (line.includes("|") && TABLE_RULE.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-"))
    return table(lines, at);
  return null;
}

function fenced(lines: readonly string[], at: number, mark: string, language: string): Taken {
  const end = new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}\\s*$`, "u");
  const text: string[] = [];
  let next = at + 1;
  while (next < lines.length && !end.test(lines[next] ?? "")) text.push(lines[next++] ?? "");
  return { block: { kind: "code", language, text: text.join("\n") }, next: next + 1 };
}

function quote(lines: readonly string[], at: number, depth: number): Taken {
  const inner: string[] = [];
  let next = at;
  while (next < lines.length && /^ {0,3}>/u.test(lines[next] ?? ""))
    inner.push((lines[next++] ?? "").replace(/^ {0,3}> ?/u, ""));
  return { block: { kind: "quote", children: markdownBlocks(inner.join("\n"), depth + 1) }, next };
}

function list(lines: readonly string[], at: number, depth: number): Taken {
  const first = ITEM.exec(lines[at] ?? "");
  const indent = first?.[1]?.length ?? 0;
  const mark = first?.[2] ?? "-";
  const ordered = /\d/u.test(mark);
  const items: string[][] = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const item = ITEM.exec(line);
    if (item && (item[1]?.length ?? 0) <= indent + 1) {
      if (/\d/u.test(item[2] ?? "") !== ordered) break;
      items.push([item[3] ?? ""]);
    } else if (line.trim() === "") {
      const after = lines[next + 1] ?? "";
      if (!ITEM.test(after) && !/^ {2,}\S/u.test(after)) break;
      items.at(-1)?.push("");
    } else if (/^ {2,}/u.test(line))
      items.at(-1)?.push(line.slice(Math.min(indent + 2, line.length - line.trimStart().length)));
    else break;
  }
  return {
    block: {
      kind: "list",
      ordered,
      start: ordered ? Number.parseInt(mark, 10) : 1,
      items: items.map((item) => markdownBlocks(item.join("\n"), depth + 1)),
    },
    next,
  };
}

function table(lines: readonly string[], at: number): Taken {
  const cells = (line: string): Inline[][] =>
    line
      .trim()
      .replace(/^\||\|$/gu, "")
      .split("|")
      .map((cell) => markdownInline(cell.trim()));
  const head = cells(lines[at] ?? "");
  const rows: Inline[][][] = [];
  let next = at + 2;
  while (next < lines.length && (lines[next] ?? "").includes("|")) rows.push(cells(lines[next++] ?? ""));
  return { block: { kind: "table", head, rows }, next };
}

/** Code first, so that marks in it are text; then links, bold, emphasis. */
const INLINE =
  /(`+)([^`]|[^`][\s\S]{0,2000}?[^`])\1(?!`)|(!?)\[([^\]\n]{0,500})\]\(([^()\s]{0,2000})(?:\s+"[^"\n]{0,200}")?\)|\*\*(?=\S)([^\n]{1,2000}?\S)\*\*|__(?=\S)([^\n]{1,2000}?\S)__|\*(?=[^\s*])([^*\n]{0,1000}?[^\s*])\*|(?<![\w])_(?=[^\s_])([^_\n]{0,1000}?[^\s_])_(?![\w])/gu;

export function markdownInline(text: string, depth = 0): Inline[] {
  if (depth >= MOST_DEPTH) return text === "" ? [] : [{ kind: "text", text }];
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) parts.push({ kind: "text", text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    const [, , code, bang, label, address, strong1, strong2, emphasis1, emphasis2] = match;
    const strong = strong1 ?? strong2;
    const emphasis = emphasis1 ?? emphasis2;
    if (code !== undefined) parts.push({ kind: "code", text: code });
    else if (address !== undefined)
      parts.push({ kind: "link", image: bang === "!", text: label ?? "", address });
    else if (strong !== undefined)
      parts.push({ kind: "strong", children: markdownInline(strong, depth + 1) });
    else if (emphasis !== undefined)
      parts.push({ kind: "emphasis", children: markdownInline(emphasis, depth + 1) });
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}
