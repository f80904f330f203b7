import { RewardsmithError, toRewardsmithError } from "../base/errors";
import { Emitter } from "../base/event";
import { DisposableStore, type IDisposable } from "../base/lifecycle";
import type { FileScores } from "../schema/live";
import type { Finding } from "../schema/reward";
import type { SampleSetInfo } from "../schema/sample";
import type { Consent, Consents } from "./consent";
import type { EngineLink } from "./process/link";

/** What live scoring needs to know of the editor; VS Code in the product. */
export interface LiveSurroundings {
  isTrusted(): boolean;
  /** Open in an editor, so that somebody can see the numbers. */
  isOpen(path: string): boolean;
}

interface Session {
  readonly set: SampleSetInfo;
}

/**
 * Which reward files are scored live: those that are open, in a trusted folder, with samples and permission from the
 * user. Holds the newest snapshot of each.
 */
export class LiveFiles implements IDisposable {
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<string>());
  readonly #sessions = new Map<string, Session>();
  readonly #scores = new Map<string, FileScores>();
  readonly #problems = new Map<string, RewardsmithError>();
  /** Open in an editor, though no longer on disk. */
  readonly #missing = new Set<string>();
  /** Were to be bound when the engine ended. */
  readonly #lost = new Set<string>();
  readonly #queues = new Map<string, Promise<void>>();
  readonly #engine: EngineLink;
  readonly #consents: Consents;
  readonly #around: LiveSurroundings;

  /** A path whose snapshot, session or problem changed. */
  readonly onDidChange = this.#onChange.event;

  constructor(engine: EngineLink, consents: Consents, around: LiveSurroundings) {
    this.#engine = engine;
    this.#consents = consents;
    this.#around = around;
    this.#store.add(engine.onScores((scores) => this.#accept(scores)));
    this.#store.add(
      engine.onDidStart(() => {
        const before = new Set([...this.#sessions.keys(), ...this.#lost]);
        this.#lost.clear();
        this.#sessions.clear();
        // Numbers of an engine that is gone are kept, but they are from before.
        for (const [path, scores] of this.#scores) this.#scores.set(path, { ...outdated(scores), seq: 0 });
        for (const path of before) void this.ensure(path);
      }),
    );
    this.#store.add(
      engine.onChanged((what) => {
        if (what === "samples") for (const path of [...this.#sessions.keys()]) void this.rebind(path);
      }),
    );
  }

  scoresOf(path: string): FileScores | undefined {
    return this.#scores.get(path);
  }

  setOf(path: string): SampleSetInfo | undefined {
    return this.#sessions.get(path)?.set;
  }

  /** Why an allowed file is not scored, e.g. its samples are gone. */
  problemOf(path: string): RewardsmithError | undefined {
    if (this.#missing.has(path))
      return new RewardsmithError("FileMissing", `${path}: there is no such file now.`, {
        path,
        open: true,
      });
    return this.#problems.get(path);
  }

  /** Whether the file is on disk. While it isn't, its numbers are those of a text that only an editor has. */
  setMissing(path: string, missing: boolean): void {
    if (!this.#sessions.has(path) || this.#missing.has(path) === missing) return;
    if (missing) this.#missing.add(path);
    else this.#missing.delete(path);
    this.#onChange.fire(path);
  }

  isBound(path: string): boolean {
    return this.#sessions.has(path);
  }

  paths(): string[] {
    return [...this.#sessions.keys()];
  }

  /** Binds a file where everything needed is there; otherwise does nothing. */
  ensure(path: string): Promise<void> {
    return this.#queue(path, async () => {
      if (!this.#sessions.has(path)) await this.#bind(path);
    });
  }

  /** Binds again, because samples, mapping, contracts or permissions changed. */
  rebind(path: string): Promise<void> {
    return this.#queue(path, () => this.#bind(path));
  }

  unbind(path: string): Promise<void> {
    return this.#queue(path, async () => {
      this.#lost.delete(path);
      this.#missing.delete(path);
      this.#scores.delete(path);
      this.#problems.delete(path);
      const bound = this.#sessions.delete(path);
      this.#onChange.fire(path);
      if (bound) await this.#engine.running?.unbind({ path });
    });
  }

  /** A snapshot that came as an answer instead of an event. */
  accept(scores: FileScores): void {
    this.#accept(scores);
  }

  /** What an asked-for check found, in place of the snapshot's own findings. */
  setFindings(path: string, findings: readonly Finding[]): void {
    const scores = this.#scores.get(path);
    if (!scores) return;
    this.#scores.set(path, { ...scores, findings: [...findings] });
    this.#onChange.fire(path);
  }

  async setLive(path: string, live: boolean): Promise<void> {
    const consent = this.#consents.get(path);
    if (consent) await this.#consents.set(path, { ...consent, live });
    await (await this.#engine.client()).setLive({ path, live });
    this.#onChange.fire(path);
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #bind(path: string): Promise<void> {
    const consent = this.#consents.get(path);
    if (!consent || !this.#around.isTrusted() || !this.#around.isOpen(path)) return;
    try {
      await this.#bindWith(path, consent);
      this.#problems.delete(path);
    } catch (error) {
      const known = toRewardsmithError(error);
      if (known.code === "Disposed") this.#lost.add(path);
      if (known.code === "Disposed" || known.code === "Cancelled") return;
      this.#problems.set(path, known);
    }
    this.#onChange.fire(path);
  }

  async #bindWith(path: string, consent: Consent): Promise<void> {
    const client = await this.#engine.client();
    const set = await client.openSamples({ files: consent.files, mapping: consent.mapping });
    this.#sessions.set(path, { set });
    this.#onChange.fire(path);
    // A new session counts from the start again.
    const before = this.#scores.get(path);
    if (before) this.#scores.set(path, { ...before, seq: 0 });
    const scores = await client.bind({
      path,
      set: set.set,
      contracts: consent.contracts,
      allow: consent.allow,
      live: consent.live,
    });
    this.#accept(scores);
    if (consent.pinned !== null && consent.pinned < set.rows) await client.pin({ path, row: consent.pinned });
  }

  #accept(scores: FileScores): void {
    // A result that was on its way when the file was closed.
    if (!this.#sessions.has(scores.path)) return;
    const before = this.#scores.get(scores.path);
    if (before && before.seq > scores.seq) return;
    this.#scores.set(scores.path, scores);
    this.#onChange.fire(scores.path);
  }

  #queue(path: string, work: () => Promise<void>): Promise<void> {
    const next = (this.#queues.get(path) ?? Promise.resolve()).then(work);
    const settled = next.catch(() => undefined);
    this.#queues.set(path, settled);
    return next;
  }
}

function outdated(scores: FileScores): FileScores {
  return {
    ...scores,
    functions: scores.functions.map((fn) => (fn.status === "fresh" ? { ...fn, status: "old" } : fn)),
  };
}
