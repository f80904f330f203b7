/**
 * Variables of an env file, read as the Python extension reads it (`python.envFile`): `NAME=value` lines, quotes
 * around the value dropped, `\n` in quotes a line break, `${NAME}` the value of an earlier line (`\$` a plain dollar).
 * Lines that aren't assignments are ignored.
 */
export function parseEnvFile(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    const name = match?.[1];
    if (name === undefined) continue;
    let value = match?.[2] ?? "";
    const quoted = /^(['"])(.*)\1$/s.exec(value);
    if (quoted) value = (quoted[2] ?? "").replaceAll("\\n", "\n");
    variables[name] = value
      .replace(/(?<!\\)\$\{([A-Za-z_]\w*)\}/g, (_, other: string) => variables[other] ?? "")
      .replaceAll("\\$", "$");
  }
  return variables;
}

/**
 * An env file's variables over a process's own, as the Python extension merges them: the file wins, but its search
 * paths (`PATH`, `PYTHONPATH`) go before the process's instead of replacing them. `delimiter` is the system's (`:` or `;`).
 */
export function mergeEnv(
  own: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, string>>,
  delimiter: string,
): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) if (value !== undefined) merged[name] = value;
  for (const [name, value] of Object.entries(file)) {
    const before = isSearchPath(name) ? own[name] : undefined;
    merged[name] = before ? [value, before].filter((part) => part !== "").join(delimiter) : value;
  }
  return merged;
}

function isSearchPath(name: string): boolean {
  return name === "PYTHONPATH" || name.toUpperCase() === "PATH";
}
