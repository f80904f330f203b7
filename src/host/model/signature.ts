/** Where the cursor is inside a `def name(…` list: the parameter names that stand there already. */
export interface OpenSignature {
  readonly name: string;
  readonly given: readonly string[];
}

/**
 * @param before text from some lines above up to the cursor
 * @returns null where the cursor isn't at the place of a parameter name
 */
export function openSignature(before: string): OpenSignature | null {
  const heads = [...before.matchAll(/(?:^|\n)[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/gu)];
  const head = heads.at(-1);
  const name = head?.[1];
  if (!head || name === undefined) return null;
  const inside = before.slice(head.index + head[0].length);
  let depth = 0;
  let parameter = "";
  const given: string[] = [];
  for (const char of inside.replace(/#[^\n]*/gu, "").replace(/"[^"\n]*"|'[^'\n]*'/gu, "''")) {
    if (depth === 0 && char === ",") {
      given.push(parameter);
      parameter = "";
      continue;
    }
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    if (depth < 0) return null;
    parameter += char;
  }
  // After `:` or `=` stands a type or a default, not a name.
  if (depth > 0 || /[:=]/u.test(parameter) || !/^\s*\w*$/u.test(parameter)) return null;
  const names = given.flatMap((text) => /^\s*\**(\w+)/u.exec(text)?.[1] ?? []);
  return { name, given: names };
}
