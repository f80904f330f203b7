import { ProgressLocation, window, workspace } from "vscode";
import { basename } from "node:path";
import { RewardsmithError } from "../../base/errors";
import type { Host } from "../host";
import { COMMANDS } from "../ids";
import { toAbortSignal } from "../signal";
import { type Command, rewardTarget } from "./command";
import { chooseSamples } from "./pickSamples";

/** Quick passes need no progress: it would only flash. */
const QUIET_MS = 700;

export const score: Command = {
  id: COMMANDS.score,
  async run(host, argument) {
    if (!workspace.isTrusted) throw new RewardsmithError("Untrusted", "not trusted");
    const target = await rewardTarget(host, argument);
    if (!target) return;
    if (!host.consents.get(target.path)) {
      await chooseSamples(host, target);
      return;
    }
    await scoreNow(host, target.path);
  },
};

/** Every row, with side effects: the user asked. */
export async function scoreNow(host: Host, path: string): Promise<void> {
  await host.live.ensure(path);
  const problem = host.live.problemOf(path);
  if (problem) throw problem;
  if (!host.live.isBound(path)) return;
  const client = await host.engine.client();
  const controller = new AbortController();
  const pass = client.score({ path }, { signal: controller.signal });
  const quiet = new Promise<"slow">((resolve) => setTimeout(() => resolve("slow"), QUIET_MS));
  const first = await Promise.race([pass, quiet]);
  if (first !== "slow") {
    host.live.accept(first);
    return;
  }
  const scores = await window.withProgress(
    {
      location: ProgressLocation.Notification,
      cancellable: true,
      title: host.speech.t("Scoring {0}", basename(path)),
    },
    async (_progress, token) => {
      toAbortSignal(token).addEventListener("abort", () => {
        void client.cancel({ path }).catch(() => undefined);
        controller.abort();
      });
      return pass;
    },
  );
  host.live.accept(scores);
}
