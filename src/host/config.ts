import { workspace } from "vscode";
import * as z from "zod";
import { DEFAULT_SETTINGS, type EngineSettings } from "../schema/settings";
import { SETTINGS } from "./ids";

const SECTION = "rewardsmith";

/** A setting of the wrong type (settings are files that people edit) counts as not set. */
function read<T>(key: string, shape: z.ZodType<T>, fallback: T): T {
  const value: unknown = workspace.getConfiguration(SECTION).get(key);
  const parsed = shape.safeParse(value);
  return parsed.success ? parsed.data : fallback;
}

/** Settings as VS Code has them now. Interpreter and environment may still come from the Python extension. */
export function readSettings(): EngineSettings {
  const d = DEFAULT_SETTINGS;
  const python = read(SETTINGS.python, z.string(), "").trim();
  return {
    python: python === "" ? null : python,
    env: {},
    liveMode: read(SETTINGS.liveMode, z.enum(["onType", "onSave", "manual"]), d.liveMode),
    workerMode: read(SETTINGS.workerMode, z.enum(["auto", "fork", "spare"]), d.workerMode),
    liveTimeoutSeconds: read(SETTINGS.liveTimeout, z.number().positive(), d.liveTimeoutSeconds),
    timeoutSeconds: read(SETTINGS.timeout, z.number().positive(), d.timeoutSeconds),
    memoryMb: read(SETTINGS.workerMemory, z.number().positive(), d.memoryMb),
    outputBytes: read(SETTINGS.workerOutput, z.int().positive(), d.outputBytes),
    liveRows: read(SETTINGS.liveRows, z.int().positive(), d.liveRows),
    traceRows: read(SETTINGS.previewRows, z.int().nonnegative(), d.traceRows),
    previews: read(SETTINGS.previews, z.boolean(), d.previews),
    batch: read(SETTINGS.batch, z.int().positive(), d.batch),
    baseline: read(SETTINGS.baseline, z.enum(["saved", "head"]), d.baseline),
    labeller: read(SETTINGS.labeller, z.string().max(100), d.labeller),
  };
}

export function previewsEnabled(): boolean {
  return read(SETTINGS.previews, z.boolean(), DEFAULT_SETTINGS.previews);
}
