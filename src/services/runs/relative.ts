/** `path` below `folder`, with `/`; a path elsewhere stays as it is. Both absolute, as `resolvePath` makes them. */
export function relativePath(folder: string, path: string): string {
  return isBelow(folder, path) ? path.slice(folder.length + 1).replaceAll("\\", "/") : path;
}

export function isBelow(folder: string, path: string): boolean {
  return path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}
