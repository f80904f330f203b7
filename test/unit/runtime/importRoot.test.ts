import { describe, expect, it } from "vitest";
import { findImportRoot } from "../../../src/runtime/importRoot";

/** Folders that hold an `__init__.py`. */
const packages = (...folders: string[]) => {
  const set = new Set(folders);
  return (folder: string): Promise<boolean> => Promise.resolve(set.has(folder));
};

describe("the import root", () => {
  it.each([
    ["a lone file", "/w/reward.py", [], "/w", "reward"],
    ["a file in a package", "/w/rewards/math.py", ["/w/rewards"], "/w", "rewards.math"],
    ["a nested package", "/w/src/a/b/c.py", ["/w/src/a", "/w/src/a/b"], "/w/src", "a.b.c"],
    ["a gap ends it, as in pytest", "/w/a/b/c.py", ["/w/a/b", "/w"], "/w/a", "b.c"],
    ["the package's own file", "/w/rewards/__init__.py", ["/w/rewards"], "/w", "rewards"],
    ["a name with a dash", "/w/my-reward.py", [], "/w", "my__reward"],
    ["a name with a dot, which is no package", "/w/reward.v2.py", [], "/w", "reward__v2"],
    ["several dots and a digit in front", "/w/1.0-b.c.py", [], "/w", "_1__0__b__c"],
    ["a dot below a package", "/w/rewards/math.v2.py", ["/w/rewards"], "/w", "rewards.math__v2"],
    [
      "a folder that can't be a package",
      "/w/my runs (v2) & co/r.py",
      ["/w/my runs (v2) & co"],
      "/w/my runs (v2) & co",
      "r",
    ],
    ["letters of any script", "/w/belöning/r.py", ["/w/belöning"], "/w", "belöning.r"],
    ["a package at the very top", "/r.py", ["/"], "/", "r"],
  ])("%s", async (_, path, inits, root, module) => {
    expect(await findImportRoot(path, packages(...inits))).toEqual({ root, module });
  });
});
