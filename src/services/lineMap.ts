/**
 * Where a line of an older text stands now. Lines of the common beginning and end keep their neighbours; a line that
 * was changed has no place any more (null). Lines are 0-based.
 */
export function lineMap(before: string, after: string): (line: number) => number | null {
  if (before === after) return (line) => line;
  const old = before.split("\n");
  const now = after.split("\n");
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return (line) => {
    if (line < head) return line;
    if (line >= old.length - tail) return line + now.length - old.length;
    return null;
  };
}
