import { basename, dirname, join } from "node:path";

export interface ImportRoot {
  /** Folder for the front of `sys.path`. */
  readonly root: string;
  /** Dotted name under which the file is imported from there. */
  readonly module: string;
}

/**
 * pytest's rule (`rootdir/conftest.py`, import mode `prepend`): the root is the first folder upward that has no
 * `__init__.py`, and the module's name counts the packages below it. `hasInit` says whether a folder has one.
 */
export async function findImportRoot(
  path: string,
  hasInit: (folder: string) => Promise<boolean>,
): Promise<ImportRoot> {
  // A notebook runs with its own folder in front, whatever package that folder is.
  if (/\.ipynb$/i.test(path)) return { root: dirname(path), module: moduleName(basename(path)) };
  const stem = basename(path).replace(/\.pyw?$/, "");
  const names = stem === "__init__" ? [] : [moduleName(stem)];
  let folder = dirname(path);
  // A folder whose name isn't an identifier can't be a package, whatever lies in it.
  while (isIdentifier(basename(folder)) && dirname(folder) !== folder && (await hasInit(folder))) {
    names.unshift(basename(folder));
    folder = dirname(folder);
  }
  return { root: folder, module: names.length > 0 ? names.join(".") : stem };
}

/** The file whose presence makes a folder a package. */
export function initFile(folder: string): string {
  return join(folder, "__init__.py");
}

/**
 * A dot in a file's name must not read as a package (`reward.v2.py`). Two underscores for each character, so that
 * `my-reward.py` can still import a `my_reward.py` beside it.
 */
function moduleName(stem: string): string {
  if (isIdentifier(stem)) {
    return stem;
  }
  const name = stem.replace(/[^\p{ID_Continue}]/gu, "__");
  return isIdentifier(name) ? name : `_${name}`;
}

function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name);
}
