const MOST = 48;

/** A run's name as the start of its id: lower-case letters, digits and single dashes; `run` where nothing is left. */
export function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .slice(0, MOST)
    .replace(/^-+|-+$/gu, "");
  return slug === "" ? "run" : slug;
}
