const TOKEN = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/**
 * A value as Python's `json` writes it: NaN and Infinity come as the texts "NaN", "Infinity", "-Infinity", which
 * `numberOf` reads as numbers. Undefined: not JSON, or not all of it yet.
 */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Strings are matched as a whole, so that a word inside one stays as it is.
    if (!/NaN|Infinity/.test(text)) return undefined;
  }
  try {
    return JSON.parse(text.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)));
  } catch {
    return undefined;
  }
}
