import { type Check, finding } from "./finding";
import { code } from "./sentences";

/** Modules whose distribution has another name. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  PIL: "pillow",
  bs4: "beautifulsoup4",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  dotenv: "python-dotenv",
  latex2sympy2_extended: "latex2sympy2-extended",
  sklearn: "scikit-learn",
  yaml: "pyyaml",
};

/** A package that the reward imports isn't installed for the interpreter in use. */
export const missingModule: Check = {
  code: "missing-module",
  run({ loadFailure, interpreter, source }) {
    if (loadFailure?.code !== "ModuleMissing" || loadFailure.name === null) return [];
    const top = loadFailure.name.split(".")[0] ?? loadFailure.name;
    const where = interpreter === null ? "the interpreter in use" : code(interpreter);
    const from = source.imports.find(({ module, level }) => level === 0 && module.split(".")[0] === top);
    const line = from?.line ?? null;
    const install = `${interpreter === null ? "python" : quoted(interpreter)} -m pip install ${DISTRIBUTIONS[top] ?? top.replaceAll("_", "-")}`;
    return [
      finding(this.code, {
        severity: "error",
        range:
          line === null ? null : { start: { line, character: 0 }, end: { line: line + 1, character: 0 } },
        message: `The module ${code(loadFailure.name)} isn't installed for ${where}, so the file can't be loaded.`,
        cure: `Install it (${code(install)}), choose another interpreter, or, if it is a file of yours, check from which folder it is imported.`,
      }),
    ];
  },
};

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}
