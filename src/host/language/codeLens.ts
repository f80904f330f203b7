import { CodeLens, type CodeLensProvider, EventEmitter, Range, type TextDocument, workspace } from "vscode";
import { basename } from "node:path";
import { DisposableStore, type IDisposable } from "../../base/lifecycle";
import { mayHoldReward } from "../documents";
import type { Host } from "../host";
import { type BaselineKind, lensesOf } from "../model/lenses";

/** Verbs above each reward function. Numbers don't stand here: VS Code refreshes a CodeLens too late for them. */
export class RewardLenses implements CodeLensProvider, IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new EventEmitter<void>());
  readonly #host: Host;
  /** What the lenses say now: fired only when that changes, not on every pass. */
  #shown = new Map<string, string>();
  readonly #baselines = new Map<string, BaselineKind>();

  readonly onDidChangeCodeLenses = this.#onChange.event;

  constructor(host: Host) {
    this.#host = host;
    this.#store.add(host.live.onDidChange((path) => this.#refresh(path)));
    this.#store.add(host.models.onDidChange(() => this.#onChange.fire()));
    this.#store.add(workspace.onDidGrantWorkspaceTrust(() => this.#onChange.fire()));
  }

  async provideCodeLenses(document: TextDocument): Promise<CodeLens[]> {
    const { documents, models } = this.#host;
    const path = documents.sourceOf(document)?.path;
    if (path === undefined || (!models.get(path) && !mayHoldReward(document))) return [];
    const fresh = await models.refresh(path);
    this.#shown.set(path, this.#titles(path));
    // Where a cell stands is asked after the model came: it is of the newest text.
    const first = documents.sourceOf(document)?.first ?? 0;
    return (fresh?.functions ?? []).flatMap((fn) => {
      const line = fn.line - first;
      if (line < 0 || line >= document.lineCount) return [];
      const range = new Range(line, 0, line, 0);
      const argument = { path, function: fn.name };
      return lensesOf(fn, this.#facts(path), this.#host.speech).map(
        ({ title, tooltip, command }) =>
          new CodeLens(range, {
            title,
            tooltip,
            command,
            ...(command === "workbench.trust.manage" ? {} : { arguments: [argument] }),
          }),
      );
    });
  }

  dispose(): void {
    this.#store.dispose();
  }

  #facts(path: string): Parameters<typeof lensesOf>[1] {
    const { live, consents } = this.#host;
    const consent = consents.get(path);
    const set = live.setOf(path);
    const scores = live.scoresOf(path);
    const baseline = scores?.functions.find((fn) => fn.baseline !== null)?.baseline?.kind;
    if (!scores) this.#baselines.delete(path);
    else if (baseline !== undefined) this.#baselines.set(path, baseline);
    const files = set?.files ?? consent?.files;
    const first = files?.[0];
    return {
      trusted: workspace.isTrusted,
      bound: consent !== undefined,
      live: consent?.live ?? true,
      samples:
        set && first !== undefined
          ? {
              name: files && files.length > 1 ? `${basename(first)} +${files.length - 1}` : basename(first),
              rows: set.rows,
            }
          : null,
      scores,
      baseline: this.#baselines.get(path) ?? null,
    };
  }

  #titles(path: string): string {
    const facts = this.#facts(path);
    return JSON.stringify(
      (this.#host.models.get(path)?.functions ?? []).map((fn) =>
        lensesOf(fn, facts, this.#host.speech).map((lens) => lens.title),
      ),
    );
  }

  #refresh(path: string): void {
    const titles = this.#titles(path);
    if (this.#shown.get(path) === titles) return;
    this.#shown.set(path, titles);
    this.#onChange.fire();
  }
}
