/** Release numbers of `1.16.0`, `1.10.0.dev0`, `0.18.2rc1`; null for what isn't a version. */
export function parseVersion(text: string): readonly [number, number, number] | null {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text);
  return match && [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
}

export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (!left || !right) return 0;
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** Whether a version has what came with `since`; an unknown version counts as the newest. */
export function atLeast(version: string | null, since: string): boolean {
  return version === null || parseVersion(version) === null || compareVersions(version, since) >= 0;
}

/** Whether a contract's facts were seen in this version's own code. */
export function isChecked(version: string | null, range: readonly [string, string] | null): boolean {
  if (!range) return true;
  if (version === null || !parseVersion(version)) return false;
  return compareVersions(version, range[0]) >= 0 && compareVersions(version, range[1]) <= 0;
}
