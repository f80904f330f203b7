import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach } from "vitest";
import { createGraph, type Graph } from "../../../src/engine/compose";
import type { SampleMapping } from "../../../src/schema/sample";
import { DEFAULT_SETTINGS, type EngineSettings } from "../../../src/schema/settings";
import { DEFAULT_TRAINER } from "../../../src/services/composition";
import { ScoreSession } from "../../../src/services/scoreSession";

const ROOT = resolve(import.meta.dirname, "../../..");
const CASES = join(ROOT, "test/fixtures/cases");

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export interface LabBench {
  readonly graph: Graph;
  readonly session: ScoreSession;
  readonly path: string;
  readonly folder: string;
  readonly warnings: string[];
  /** The document as an editor has it. */
  readonly type: (text: string) => void;
}

/** A session with a real worker, in this process. Samples are rows, or the name of a case's file. */
export async function lab(
  reward: string,
  samples: string | readonly object[],
  more: {
    settings?: Partial<EngineSettings>;
    files?: Record<string, string>;
    mapping?: SampleMapping;
    live?: boolean;
  } = {},
): Promise<LabBench> {
  const folder = mkdtempSync(join(tmpdir(), "rewardsmith-lab-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "reward.py");
  if (/^[A-Z]\d\d_\w+\.py$/.test(reward)) copyFileSync(join(CASES, reward), path);
  else writeFileSync(path, reward);
  for (const [name, text] of Object.entries(more.files ?? {})) writeFileSync(join(folder, name), text);
  const data = join(folder, "samples.jsonl");
  if (typeof samples === "string") copyFileSync(join(CASES, samples), data);
  else writeFileSync(data, samples.map((row) => `${JSON.stringify(row)}\n`).join(""));

  const warnings: string[] = [];
  const note = (text: string): void => void warnings.push(text);
  const settings: EngineSettings = {
    ...DEFAULT_SETTINGS,
    python: process.env["REWARDSMITH_TEST_PYTHON"] ?? "python3",
    ...more.settings,
  };
  const graph = createGraph({
    settings,
    folders: [folder],
    storage: join(folder, ".storage"),
    workerPath: join(ROOT, "python/rewardsmith_worker"),
    logger: { debug: () => undefined, info: () => undefined, warn: note, error: note },
  });
  cleanups.push(() => graph.dispose());
  const table = await graph.samples.open([data], more.mapping ?? null);
  let seq = 0;
  const session = new ScoreSession(graph.ports, {
    path,
    table,
    overrides: new Map(),
    allow: {},
    live: more.live ?? false,
    trusted: true,
    settings,
    trainer: DEFAULT_TRAINER,
    nextSeq: () => ++seq,
  });
  cleanups.push(() => session.dispose());
  graph.ports.documents.onDidChange(({ path: changed, saved }) => session.documentChanged(changed, saved));
  await session.start();
  let version = 0;
  return {
    graph,
    session,
    path,
    folder,
    warnings,
    type: (text) => graph.ports.documents.set(path, { version: ++version, text, saved: false }),
  };
}

export const never = (): AbortSignal => new AbortController().signal;

export async function until(what: string, holds: () => boolean, ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`not in ${ms} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
