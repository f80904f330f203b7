/** A file that was looked at, and why nothing was read of it; null: it was not even looked into. */
export interface TriedFile {
  readonly name: string;
  readonly why: string | null;
}

const NAMED = 5;
const WHY = 200;

/** What is said of a folder in which no form of trajectories is known: which files were tried, and why not. */
export function nothingKnown(folder: string, tried: readonly TriedFile[]): string {
  if (tried.length === 0) return `${folder}: no known form of trajectories, and no files that could hold one`;
  const named = tried
    .toSorted((a, b) => Number(b.why !== null) - Number(a.why !== null))
    .slice(0, NAMED)
    .map(({ name, why }) => sentence(name, why ?? "was not read"));
  const more = tried.length > NAMED ? ` And ${tried.length - NAMED} more.` : "";
  const count = tried.length === 1 ? "the one file" : `${tried.length} files`;
  return `${folder}: no known form of trajectories in ${count} that were tried. ${named.join(" ")}${more}`;
}

/** Reasons begin with the file's own name, without its folders. */
function sentence(name: string, why: string): string {
  const base = name.split("/").at(-1) ?? name;
  const rest = why.startsWith(base) ? why.slice(base.length).trimStart() : why;
  const text = `${name} ${rest}`.slice(0, name.length + WHY);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
