import type { RewardsmithError } from "../../base/errors";
import type { Event } from "../../base/event";
import type { EngineContract } from "../../protocol/engine.contract";
import type { Client } from "../../protocol/rpc";
import type { FileScores } from "../../schema/live";

export type EngineClient = Client<EngineContract["methods"]>;

/** What the parts of the host need of the engine. */
export interface EngineLink {
  /** The client of a running engine, if there is one; starts nothing. */
  readonly running: EngineClient | undefined;
  /** Starts the engine if needed. */
  client(): Promise<EngineClient>;
  /** Fires on every start, before anybody's pending call reaches the engine: the place to send documents. */
  readonly onDidStart: Event<EngineClient>;
  /** An engine that had started, or tried to, is gone; what was asked of it has no answer. */
  readonly onDidEnd: Event<RewardsmithError>;
  readonly onScores: Event<FileScores>;
  /** To a view, from its other half in the engine. */
  readonly onFrame: Event<{ readonly view: string; readonly message: unknown }>;
  readonly onChanged: Event<"rewards" | "samples" | "trajectories" | "interpreter">;
}
