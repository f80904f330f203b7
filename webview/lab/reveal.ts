import type { Lab } from "./lab";
import { showPane } from "./layoutModel";

/** Shows a line (1-based) of the reward file in the Lab's own editor, of another file (or without one) in VS Code's. */
export function revealLine(lab: Lab, line: number, file: string | null = null): void {
  const editor = file === null ? lab.editor.value : null;
  if (editor) {
    showPane(lab, "editor", false);
    editor.reveal(line);
    return;
  }
  lab.connection.host
    .reveal({ line, file })
    .catch((error: unknown) => lab.say(error instanceof Error ? error.message : String(error)));
}
