/** A node of one of our trees, without VS Code: what it says and how to get its children. */
export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** Codicon. */
  readonly icon?: string;
  /** Theme colour of the icon; the words say the same. */
  readonly color?: string;
  /** What a screen reader says. */
  readonly aria: string;
  readonly context?: string;
  /** Opens this file at a line (0-based). */
  readonly open?: { readonly path: string; readonly line: number };
  /** Runs one of our commands with one argument. */
  readonly command?: { readonly id: string; readonly title: string; readonly argument: unknown };
  readonly expanded?: boolean;
  /** Its parent's children aren't all known yet: they are asked for again soon. */
  readonly unfinished?: boolean;
  /** Absent: a leaf. */
  readonly children?: () => Promise<readonly Node[]> | readonly Node[];
}

/** Trees don't page: more children than this stand in ranges. */
export const MOST_CHILDREN = 200;

/**
 * At most {@link MOST_CHILDREN} nodes; more are put into ranges, and ranges into ranges.
 * @param name says what a range is called, given the first and last position (from 1)
 * @param most nodes on the first level: fewer than {@link MOST_CHILDREN} where others stand beside them
 */
export function inRanges(
  parent: string,
  nodes: readonly Node[],
  name: (from: number, to: number) => string,
  offset = 0,
  most = MOST_CHILDREN,
): readonly Node[] {
  if (nodes.length <= most) return nodes;
  let size = MOST_CHILDREN;
  while (nodes.length / size > most) size *= MOST_CHILDREN;
  const ranges: Node[] = [];
  for (let start = 0; start < nodes.length; start += size) {
    const part = nodes.slice(start, start + size);
    const label = name(offset + start + 1, offset + start + part.length);
    const id = `${parent}/${offset + start}+${part.length}`;
    ranges.push({
      id,
      label,
      aria: label,
      icon: "list-tree",
      children: () => inRanges(id, part, name, offset + start),
    });
  }
  return ranges;
}
