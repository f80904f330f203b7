/** Folder of the page's programs; this code may stand in a chunk below it. */
const PROGRAMS = new URL(/\/chunks\/[^/]*$/u.test(import.meta.url) ? "../" : "./", import.meta.url);

/** Monaco's worker, made from bytes that we fetched: a page may not start one from another origin. */
export async function editorWorker(): Promise<Worker> {
  const answer = await fetch(new URL("editor.worker.js", PROGRAMS));
  if (!answer.ok) throw new Error(`editor.worker.js: ${answer.status}`);
  const url = URL.createObjectURL(new Blob([await answer.text()], { type: "text/javascript" }));
  try {
    return new Worker(url, { name: "editor" });
  } finally {
    // The worker has fetched it by the time anything else may run; some browsers need a moment.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}
