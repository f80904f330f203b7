import { window } from "vscode";
import * as z from "zod";
import type { Host } from "../host";
import type { CommandId } from "../ids";
import { seenDocument } from "../seen";

/** One command: a file each in this folder, listed in `index.ts`. */
export interface Command {
  readonly id: CommandId;
  run(host: Host, argument: unknown): Promise<void> | void;
}

/** What CodeLenses and tree items hand over. */
const Target = z.object({ path: z.string().min(1), function: z.string().optional() });
/** A tree node of a reward: `reward:PATH:FUNCTION`. */
const RewardNode = z.object({
  id: z.string().startsWith("reward:"),
  open: z.object({ path: z.string() }).optional(),
});

export interface RewardTarget {
  readonly path: string;
  /** Null where the file has no function at that place. */
  readonly function: string | null;
}

/** The reward a command is meant for: its argument, else the function at the cursor of the editor that is seen. */
export async function rewardTarget(host: Host, argument: unknown): Promise<RewardTarget | null> {
  const target = Target.safeParse(argument);
  if (target.success) {
    const model = host.models.get(target.data.path);
    return { path: target.data.path, function: target.data.function ?? model?.functions[0]?.name ?? null };
  }
  const node = RewardNode.safeParse(argument);
  if (node.success && node.data.open) {
    const name = node.data.id.slice(`reward:${node.data.open.path}:`.length);
    return { path: node.data.open.path, function: name === "" ? null : name };
  }
  const seen = seenDocument(host);
  if (!seen) {
    void window.showInformationMessage(host.speech.t("Open a Python file with a reward function first."));
    return null;
  }
  const { document } = seen;
  const path = document.uri.fsPath;
  const model = host.models.get(path) ?? (await host.models.refresh(path));
  const first = host.documents.sourceOf(document)?.first ?? 0;
  const line = seen.line + first;
  const functions = model?.functions ?? [];
  const at =
    functions.find((fn) => line >= fn.range.start.line && line <= fn.range.end.line) ??
    functions.find((fn) => fn.line >= first && fn.line < first + document.lineCount) ??
    functions[0];
  return { path, function: at?.name ?? null };
}

/** As {@link rewardTarget}, and the file has samples and permission; says what is missing otherwise. */
export async function boundTarget(host: Host, argument: unknown): Promise<RewardTarget | null> {
  const target = await rewardTarget(host, argument);
  if (!target) return null;
  if (host.consents.get(target.path)) {
    await host.live.ensure(target.path);
    if (host.live.isBound(target.path)) return target;
    const problem = host.live.problemOf(target.path);
    if (problem) throw problem;
  }
  void window.showInformationMessage(
    host.speech.t("Choose samples for this reward first: Score on samples…"),
  );
  return null;
}
