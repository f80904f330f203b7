import type { Json } from "../../../../schema/json";
import type { ResolvedKey, RunCommand } from "../../../../schema/run";
import { plainNumber } from "./python";
import { shellLine, shellWord } from "./shell";

/** A fenced block that its own text can't end. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/gu) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}\n`;
}

/** The lines by which a command is run by hand from the folder `job/`. Secrets are named, never written. */
export function handLines(command: RunCommand): string {
  const lines = command.secrets.map((name) => `export ${name}=…   # your own key, not kept in this folder`);
  for (const [name, value] of Object.entries(command.env)) lines.push(`export ${name}=${shellWord(value)}`);
  if (command.cwd !== "job") lines.push(`cd ${shellWord(`../${command.cwd === "." ? "" : command.cwd}`)}`);
  lines.push(shellLine(command.program, command.args));
  return lines.join("\n");
}

/** What was set and differs from the framework's default, a line each. */
export function differences(resolved: readonly ResolvedKey[]): string {
  const rows = resolved.filter(({ differs }) => differs);
  if (rows.length === 0) return "Every value is the framework's default.\n";
  return rows
    .map(({ key, value, default: usual }) => {
      const was = usual === null ? "" : ` (default ${inline(usual)})`;
      return `* ${inline(key)}: ${inline(value)}${was}\n`;
    })
    .join("");
}

/** JSON text in a code span, which it can't end. */
export function inline(value: Json): string {
  const text =
    typeof value === "string"
      ? value
      : typeof value === "number"
        ? plainNumber(value)
        : JSON.stringify(value);
  const safe = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, "\ufffd").replaceAll("`", "'");
  return `\`${safe}\``;
}
