import type { Overrides } from "../core/contracts/registry";
import type { SampleTable } from "../core/scoring/table";
import type { SideEffect } from "../schema/score";
import type { EngineSettings } from "../schema/settings";
import type { SuiteTrainer } from "./suites";

/** What a session starts with. */
export interface SessionOptions {
  readonly path: string;
  readonly table: SampleTable;
  /** Contracts that the user or the project chose, by function. */
  readonly overrides: Overrides;
  readonly allow: Readonly<Record<string, readonly SideEffect[]>>;
  readonly live: boolean;
  readonly trusted: boolean;
  readonly settings: EngineSettings;
  readonly trainer: SuiteTrainer;
  /** Numbers snapshots; shared by all sessions, so that a file bound anew goes on from the last. */
  readonly nextSeq: () => number;
}
