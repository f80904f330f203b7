// Texts that the extension shows at run time: collects them from the code into l10n/bundle.l10n.json.
//   node scripts/l10n.mjs           writes the bundle
//   node scripts/l10n.mjs --check   says whether it is as the code says, exit code 1 where not
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
export const bundlePath = path.join(root, "l10n/bundle.l10n.json");

/** First arguments of every `t(…)`, `l10n.t(…)` and `speech.t(…)`; calls whose text isn't a literal are problems. */
export function collect() {
  const texts = new Set();
  const problems = [];
  const rooms = ["src/host", "src/words", "webview"];
  const entries = rooms.flatMap((room) =>
    readdirSync(path.join(root, room), { recursive: true, withFileTypes: true }),
  );
  for (const entry of entries) {
    if (!entry.isFile() || !/\.tsx?$/u.test(entry.name)) continue;
    const file = path.join(entry.parentPath, entry.name);
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node) => {
      if (ts.isCallExpression(node)) {
        const callee = node.expression;
        const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
        const [first, ...rest] = node.arguments;
        if (name === "t" && first) {
          if (!ts.isStringLiteralLike(first)) {
            // The one place that hands `l10n.t` on.
            if (!rest.some(ts.isSpreadElement))
              problems.push(`${path.relative(root, file)}: ${node.getText()}`);
          } else {
            texts.add(first.text);
            const placeholders = new Set(
              [...first.text.matchAll(/\{(\d+)\}/g)].map((match) => Number(match[1])),
            );
            if (placeholders.size !== rest.length || rest.some((_, index) => !placeholders.has(index)))
              problems.push(`${path.relative(root, file)}: placeholders of ${JSON.stringify(first.text)}`);
          }
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { texts: [...texts].sort(), problems };
}

export function bundleText(texts) {
  return `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { texts, problems } = collect();
  for (const problem of problems) console.error(problem);
  if (process.argv.includes("--check")) {
    const same = readFileSync(bundlePath, "utf8") === bundleText(texts);
    if (!same) console.error("l10n/bundle.l10n.json is not as the code says: run node scripts/l10n.mjs");
    process.exitCode = same && problems.length === 0 ? 0 : 1;
  } else {
    writeFileSync(bundlePath, bundleText(texts));
    console.log(`${texts.length} texts`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
}
