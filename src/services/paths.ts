/** Paths as strings, for rooms without Node: `/` and, where a path is Windows', `\` too. */

export function dirName(path: string): string {
  const cut = lastSeparator(path);
  if (cut < 0) return ".";
  // The separator of a root ("/", "C:\") belongs to it.
  return cut === 0 || /^[A-Za-z]:$/.test(path.slice(0, cut)) ? path.slice(0, cut + 1) : path.slice(0, cut);
}

export function baseName(path: string): string {
  return path.slice(lastSeparator(path) + 1);
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}

/** `path` as seen from `folder`; `.` and `..` are resolved. Keeps the folder's kind of separator. */
export function resolvePath(folder: string, path: string): string {
  const full = isAbsolute(path) ? path : `${folder}/${path}`;
  const windows = /^[A-Za-z]:[\\/]/.test(full) || full.startsWith("\\\\");
  const separator = windows ? "\\" : "/";
  const root = /^(?:[A-Za-z]:[\\/]|\\\\|\/)?/.exec(full)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of full.slice(root.length).split(windows ? /[\\/]/ : /\//)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || root === "") parts.push(part);
  }
  return (windows ? root.replaceAll("/", "\\") : root) + parts.join(separator);
}

function lastSeparator(path: string): number {
  const windows = /^[A-Za-z]:/.test(path) || path.startsWith("\\\\");
  return windows ? Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) : path.lastIndexOf("/");
}
