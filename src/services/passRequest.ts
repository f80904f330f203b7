import { planBatches } from "../core/scoring/plan";
import type { SampleTable } from "../core/scoring/table";
import type { SideEffect } from "../schema/score";
import type { EngineSettings } from "../schema/settings";
import type { Job } from "../schema/worker";
import { jobFunctions, type Composition } from "./composition";
import type { ScoringPorts } from "./ports";
import type { PassRequest } from "./scoreRunner";
import { SEED } from "./versions";

/** On whose behalf a pass runs. */
export interface PassKind {
  /** Side effects that nobody allowed end a row as held. */
  readonly guarded: boolean;
  readonly calls: 1 | 2;
  /** Wall clock of one call. */
  readonly unitSeconds: number;
  readonly patience: number | null;
  readonly searches: boolean;
}

/** Calls in a row that may end their process before a live pass gives the function up. */
const PATIENCE = 3;

/** While somebody types: guarded, short, soon given up. */
export function liveKind(settings: Pick<EngineSettings, "liveTimeoutSeconds">): PassKind {
  return {
    guarded: true,
    calls: 1,
    unitSeconds: settings.liveTimeoutSeconds,
    patience: PATIENCE,
    searches: true,
  };
}

/** The user asked: every row, unguarded, with time. */
export function askedKind(settings: Pick<EngineSettings, "timeoutSeconds">, calls: 1 | 2): PassKind {
  return { guarded: false, calls, unitSeconds: settings.timeoutSeconds, patience: null, searches: true };
}

export interface RequestInput {
  readonly path: string;
  readonly table: SampleTable;
  readonly composition: Composition;
  readonly rows: readonly number[];
  readonly overlays: Record<string, string>;
  readonly kind: PassKind;
  readonly settings: Pick<EngineSettings, "memoryMb" | "outputBytes" | "timeoutSeconds">;
  readonly allow: ReadonlyMap<string, readonly SideEffect[]>;
  /** Follow lines: every row is called alone. */
  readonly trace?: NonNullable<Job["trace"]>;
}

export async function passRequest(
  ports: Pick<ScoringPorts, "imports" | "documents">,
  input: RequestInput,
): Promise<PassRequest> {
  const { path, table, composition, rows, overlays, kind, settings, allow, trace } = input;
  return {
    target: {
      path,
      ...(await ports.imports(path)),
      overlays: await ports.documents.withNotebook(path, overlays),
    },
    functions: jobFunctions(composition, (name) => allow.get(name) ?? []),
    set: table.info.set,
    n: table.n,
    batches: trace ? rows.map((row) => [row]) : planBatches(table, rows, composition.trainer.batch),
    limits: {
      unitSeconds: kind.unitSeconds,
      loadSeconds: settings.timeoutSeconds,
      memoryMb: settings.memoryMb,
      outputBytes: settings.outputBytes,
    },
    guarded: kind.guarded,
    seed: SEED,
    calls: kind.calls,
    trace: trace ?? null,
    patience: kind.patience,
    searches: kind.searches,
  };
}
