import type { ExtensionContext, LogOutputChannel } from "vscode";
import type { Consents } from "./consent";
import type { Documents } from "./documents";
import type { EngineProcess } from "./process/engineProcess";
import type { InterpreterStatus } from "./interpreter";
import type { Painter } from "./language/painter";
import type { Labs } from "./lab/labs";
import type { Texts } from "./lab/texts";
import type { LiveFiles } from "./live";
import type { Models } from "./models";
import type { Viewers } from "./trajectories/viewers";
import type { Workspace } from "./workspaceScan";
import type { Speech } from "../words/format";

/** What commands and surfaces share. Made once by the composition root. */
export interface Host {
  readonly context: ExtensionContext;
  readonly log: LogOutputChannel;
  readonly speech: Speech;
  readonly engine: EngineProcess;
  readonly consents: Consents;
  readonly documents: Documents;
  readonly models: Models;
  readonly live: LiveFiles;
  readonly interpreter: InterpreterStatus;
  readonly scan: Workspace;
  readonly painter: Painter;
  readonly texts: Texts;
  readonly labs: Labs;
  readonly viewers: Viewers;
}

/** What the Labs and viewers themselves need. */
export type LabHost = Omit<Host, "labs" | "viewers">;
