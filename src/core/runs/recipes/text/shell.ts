/** One word of a POSIX shell's command line; Bash's `$'…'` where characters are in it that a page wouldn't show. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/u.test(text)) return text;
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const inside = text.replace(/['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) => {
    if (char === "'" || char === "\\") return `\\${char}`;
    const code = char.codePointAt(0) ?? 0;
    if (code > 0xffff) return `\\U${code.toString(16).padStart(8, "0")}`;
    return code > 0x7f
      ? `\\u${code.toString(16).padStart(4, "0")}`
      : `\\x${code.toString(16).padStart(2, "0")}`;
  });
  return `$'${inside}'`;
}

/** A command line to paste; long ones get an argument a line. */
export function shellLine(program: string, args: readonly string[]): string {
  const words = [program, ...args].map(shellWord);
  const line = words.join(" ");
  return line.length <= 100 ? line : words.join(" \\\n  ");
}
